//go:build !unix

package postgres

import (
	"os"
	"os/exec"
)

// Clusters do not run on this system: Locate finds none. These let the package
// build.
var (
	stopFast      = os.Interrupt
	stopImmediate = os.Kill
)

func runAs(*exec.Cmd, account) {}
