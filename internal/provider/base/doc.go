// Package base has what every resource, data source, action and ephemeral resource embeds,
// and the steps that their calls share: the client, the comparison of accounts, unfinished
// work, protection from deletion, and the state and identity that a call returns.
package base
