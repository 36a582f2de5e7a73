// Package connection has the data source and the ephemeral resource of an instance's
// connection record, and the provider's functions.
package connection
