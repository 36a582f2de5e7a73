// Package postgres runs private PostgreSQL clusters, one for each instance of
// the fake service, from binaries that are on the machine.
//
// A Server holds what clusters share: the binaries, the account that they run
// as, the folder that they live in, and a template that new ones are copied
// from. A Cluster is one PostgreSQL with the service's two roles, its own TLS
// certificate, backups, and two public ports, direct and pooled.
//
// Nothing but this package talks to PostgreSQL itself. Who connects to a public
// port meets a gate first, which knows the allowlist and passes bytes on to a
// port of the inside. Apps and the auth engine of the same instance use the
// inside port, so the allowlist never keeps them out; TLS and a password are
// required there as well. The package itself comes in by a socket in a folder
// that nobody else can open.
package postgres
