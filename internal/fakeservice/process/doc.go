// Package process starts and ends the programs that the fake service runs: Postgres, Redis,
// apps and builds.
//
// Every program is started from one thread, which lives as long as this process does: on
// Linux the kernel ends a program when the thread that started it ends. A program inherits
// no descriptor except its input and output: before each start, all other descriptors of
// this process are marked close-on-exec.
//
// Apps and builds, which are other people's programs, run in a Sandbox if this machine has
// bubblewrap.
package process
