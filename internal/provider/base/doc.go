// Package base has what every resource, data source, action and ephemeral resource
// embeds: its client, the account of a state, what this process has planned, protection
// from deletion, private state, and the state and identity that a call returns.
package base
