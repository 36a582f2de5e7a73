// Package process starts and ends the programs that the fake service runs:
// Postgres, Redis, apps and builds.
//
// Every program is started from one thread, which lives for as long as this
// process does: on Linux the kernel ends a program when the thread that started
// it ends.
//
// The programs of others, which are apps and builds, run in a Sandbox where this
// machine has bubblewrap.
package process
