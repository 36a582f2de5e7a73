// Package authengine is an auth server over a Postgres database: sign-up,
// sign-in by password, code or link, anonymous users, invitations, bans, and
// sessions with tokens. Its endpoints, fields and error codes are named as the widely used open
// auth servers name them, so that existing browser clients work.
//
// It is the auth engine of the fake service, and it knows nothing of the fake:
// an Engine is given a database, its keys and its settings.
//
// Accounts and sessions live in the schema auth of the database and outlive the
// engine. Passwords are kept as bcrypt hashes, refresh tokens and link tokens as
// SHA-256 hashes of long random texts, and the short codes of mails as hashes
// under the signing key, which the database does not hold. Its clock is the machine's,
// since browsers check the times in tokens.
package authengine
