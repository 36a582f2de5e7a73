// Package nats runs private NATS servers with JetStream inside this program, one for
// each instance of the fake service.
//
// Who connects to a server's public port meets a gate first, which knows the
// allowlist and passes bytes on to a port of the inside, where TLS and a password are
// required. The package itself comes in without a port, as a user of its own in the
// customer's account: it hears what happens to streams, and saves them. What is said
// to it and by it the customer neither hears nor says.
package nats
