//go:build !unix

package main

import (
	"os"
	"syscall"
)

var endings = []os.Signal{os.Interrupt, syscall.SIGTERM}

const brokenPipe = syscall.SIGPIPE

// sentToAll returns true: a console sends its signals to all its programs.
func sentToAll(os.Signal) bool { return true }
