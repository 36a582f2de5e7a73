//go:build unix

package postgres

import (
	"os"
	"os/exec"
	"syscall"
)

// Signals by which PostgreSQL is told to stop. Fast lets transactions go and
// leaves the data in order; immediate just ends.
var (
	stopFast      os.Signal = syscall.SIGINT
	stopImmediate os.Signal = syscall.SIGQUIT
)

// runAs makes a command run as the account, and in a group of its own, so that
// a Ctrl-C at the terminal reaches the fake alone, which then stops it in
// order.
func runAs(command *exec.Cmd, who account) {
	attributes := &syscall.SysProcAttr{Setpgid: true}
	if who.other {
		attributes.Credential = &syscall.Credential{Uid: uint32(who.uid), Gid: uint32(who.gid)}
	}
	dieWithParent(attributes)
	command.SysProcAttr = attributes
}
