// Package redis runs private Redis servers, one for each instance of the fake service, with
// the redis-server installed on the machine.
//
// A Server listens on a socket in a folder that no other user can open. A client of its
// public port meets a proxy first, which applies the allowlist and speaks TLS, so a
// redis-server that was built without TLS works as well.
//
// The customer is the user default, who may work with the data. Only the package's own user
// may change the server: its files, its configuration and its replicas. The password of
// that user lives as long as the process.
//
// A server runs in a sandbox if the machine has one, because its data may come from somebody
// else's snapshot. Redis reads its log as commands, which may do everything.
package redis
