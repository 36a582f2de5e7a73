// Package process starts and ends the programs that the fake service runs:
// Postgres, Redis, apps and builds.
//
// Every program is started from one thread, which lives for as long as this one
// does. The kernel can therefore end a program when this one is killed: it takes
// the end of the thread that started a program for its parent's death. Where
// this program may, that thread enters a mount namespace made for the program,
// puts its view of the file system together there, starts it, and goes back. The
// namespace then belongs to the program alone and goes with it. So nothing grows
// with the number of starts, no helper has to be found or built, and a program
// that embeds this package has nothing to call.
package process
