// Package app has the resource, list, data sources and actions of apps.
package app
