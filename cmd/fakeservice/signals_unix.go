//go:build unix

package main

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// endings are the signals that end a program that does not catch them, except those that
// the program's own mistakes cause.
var endings = []os.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGALRM, syscall.SIGTERM,
	syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGVTALRM, syscall.SIGXCPU,
}

// brokenPipe is sent to a program whose output nobody reads any more.
const brokenPipe = syscall.SIGPIPE

// sentToAll reports whether a signal came from the terminal, which sends it to the command
// as well.
func sentToAll(s os.Signal) bool {
	if s != syscall.SIGINT && s != syscall.SIGQUIT {
		return false
	}
	terminal, err := os.Open("/dev/tty")
	if err != nil {
		return false // there is none
	}
	defer terminal.Close()
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
