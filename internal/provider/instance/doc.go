// Package instance has the resource, list, data sources and actions of instances and
// their engines.
package instance
