// Package redis runs private Redis servers, one for each instance of the fake
// service, from the redis-server that is on the machine.
//
// A Server listens on a socket in a folder that nobody else can open. Who connects
// to its public port meets a gate first, which knows the allowlist and speaks TLS, so
// a redis-server that was built without TLS does as well.
//
// The customer is the user default, who may do what concerns the data. What concerns
// the server, such as its files, its configuration and its replicas, is left to a user
// of the package's own, whose password lives as long as the process.
package redis
