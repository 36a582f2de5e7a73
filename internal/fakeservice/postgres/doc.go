// Package postgres runs private PostgreSQL clusters, one for each instance of the fake
// service, with the programs installed on the machine.
//
// A Server contains the things that clusters share: the programs, the account that they run
// as, their common folder, and a template that new clusters are copied from. A Cluster is
// one PostgreSQL server with the service's two roles, its own TLS certificate, backups, and
// two public ports, direct and pooled.
//
// Only this package connects to PostgreSQL itself. A client of a public port meets a proxy
// first, which applies the allowlist and forwards the bytes to an inside port. Apps and the
// auth engine of the same instance use the inside port, so the allowlist never blocks them;
// TLS and a password are required there as well. The package itself connects through a
// socket in a folder that other users cannot open.
//
// A server runs in a sandbox if the machine has one, because its data may come from
// somebody else's snapshot. A superuser in that data can run any program.
package postgres
