// Package authengine is an auth server on top of a Postgres database. It supports sign-up,
// sign-in by password, code or link, anonymous users, invitations, bans, and sessions with
// tokens. Its endpoints, fields and error codes have the names that the widely used open
// auth servers use, so that existing browser clients work.
//
// The package is the auth engine of the fake service and does not depend on the fake: the
// database, the keys and the settings come from the caller.
//
// Accounts and sessions are stored in the schema auth of the database and outlive the
// engine. Passwords are stored as bcrypt hashes. Refresh tokens and link tokens are long
// random texts, stored as SHA-256 hashes. The short codes of mails are hashed with the
// signing key, which is not in the database. The engine uses the machine's clock, because
// browsers check the times in tokens.
package authengine
