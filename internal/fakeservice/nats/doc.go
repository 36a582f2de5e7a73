// Package nats runs private NATS servers with JetStream inside this program, one for each
// instance of the fake service.
//
// A client of a server's public port meets a proxy first, which applies the allowlist. The
// proxy forwards bytes to an inside port, where TLS and a password are required. The package
// itself connects without a port, as a separate user in the customer's account. It listens
// for changes of streams, and saves streams. The customer can neither see nor send messages
// on the subjects of that user.
package nats
