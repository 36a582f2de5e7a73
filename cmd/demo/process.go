package main

import (
	"context"
	"os"
	"os/exec"
	"time"
)

// newCommand prepares a child that gets exactly one interrupt when ctx ends.
//
// The child has its own process group, because Ctrl-C on a terminal goes to the whole
// group. Terraform would get it twice, and takes the second as the wish to kill the
// provider in the middle of a request. The fake would stop while Terraform still saves its
// state.
func newCommand(ctx context.Context, patience time.Duration, program string, arguments ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, program, arguments...)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = patience
	ownGroup(command)
	return command
}
