// Package dataplane runs the engines of the fake service's instances for real.
//
// A Plane is a core.DataPlane. It combines packages that each run one engine and do not
// depend on the fake. It assigns each instance its own loopback address as host. An
// address needs no name service, and each instance can use the service's standard ports.
// It can also be named in a certificate, which verify-full checks.
//
// # Machines
//
// Apply asks for the whole desired machine and makes it so, so each change and its
// undoing are the same call. Every call may be repeated, because core resumes work whose
// end it had not seen. The desired machine is read when the call's turn at the machine
// has come, since an earlier reading could be outdated by then.
//
// # Access
//
// A TCP proxy in the fake enforces the allowlist for Postgres, Redis, NATS and CouchDB
// alike. It holds the port while a server restarts, and closes connections of addresses
// that are removed. It passes TLS through, except for Redis and CouchDB, for which it
// terminates TLS.
//
// The customer of an engine is not its administrator. The fake uses its own Redis user,
// and learns about NATS streams from the server's advisories, without a port. A front in
// the fake checks CouchDB's password and learns about its databases. The fake's own
// connections to Postgres are authenticated by the kernel on a private socket (peer).
//
// The read-only SQL console runs each statement alone, inside a transaction that the fake
// has made read-only and that has read data. No statement can make such a transaction
// writable again.
//
// # Data
//
// A backup is a copy that the engine itself makes while it runs. Only CouchDB is stopped for
// it, because its files belong together. For a restore, every engine stops and its folder is
// replaced. An incomplete restore is rolled back, also after a crash (datafolder). A restored
// Postgres has its old passwords, so the current ones are set before any client is let in.
//
// With a kept folder, a file for each machine lists what belongs to it. It is replaced by
// a rename after something exists, and before something is deleted, so a kill at any
// moment leaves nothing half made. The kernel releases the folder's lock with the
// program, so the next start knows that the previous owner is dead (workdir). fsync is
// off: a killed program loses nothing, a crash of the machine may.
//
// # Apps
//
// Apps, builds, PostgreSQL, Redis and CouchDB run in bubblewrap (process.Sandbox). Their
// environment reaches them through standard input of a shell inside, because bubblewrap
// itself must not see variables such as LD_PRELOAD. One thread starts every program, because
// the kernel ends a program when the thread that started it exits.
//
// An old version ends before a new one starts, because both write /data; until then the
// app's address answers 503. A build ends when both its fake time and the real build are
// over, so that a held job and a slow compiler both work.
package dataplane
