// Package couchdb runs private CouchDB servers, one for each instance of the fake service,
// with the Node.js installed on the machine. The server is express-pouchdb, which speaks
// CouchDB's protocol and stores its data in LevelDB.
//
// A client of the public port meets a proxy first, which applies the allowlist and speaks
// TLS, and then the front, which checks the password and reports the creation and the
// deletion of databases. The server behind it listens on a socket in a folder that no other
// user can open. It knows no password, so a rotation does not restart it.
//
// The front outlives the server, and a request waits while the server restarts.
//
// The functions in a customer's design documents run in the server's process, so the server
// runs in a sandbox if there is one, as a user without rights.
package couchdb
