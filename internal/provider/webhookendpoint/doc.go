// Package webhookendpoint has the resource, list and data source of webhook endpoints.
package webhookendpoint
