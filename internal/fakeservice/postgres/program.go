package postgres

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/unprivileged"
)

// linger is how long a program that was told to stop has, before it is told
// again in a way that it cannot refuse.
const linger = 20 * time.Second

// Signals by which PostgreSQL is told to stop. Fast lets transactions go and
// leaves the data in order; immediate just ends.
var (
	stopFast      os.Signal = syscall.SIGINT
	stopImmediate os.Signal = syscall.SIGQUIT
)

// outputKept is how much of a program's output is kept.
const outputKept = 4 << 10

// program is a server, with the end of what it said.
type program struct {
	*process.Process
	output *process.Tail
}

// startProgram starts a program as an account. Nothing of the environment
// reaches it but what is given.
func startProgram(who unprivileged.Account, folder string, command ...string) (*program, error) {
	output := process.NewTail(outputKept)
	p, err := process.Start(specOf(who, folder, output, command))
	if err != nil {
		return nil, err
	}
	return &program{p, output}, nil
}

func specOf(who unprivileged.Account, folder string, output *process.Tail, command []string) process.Spec {
	return process.Spec{
		Command: command, Folder: folder, Environment: []string{"LC_ALL=C", "TZ=UTC"},
		Output: output, User: who.User, Orphaned: syscall.SIGQUIT,
	}
}

// stop tells the program to stop and waits until it is gone.
func (p *program) stop(how os.Signal) {
	signals := []os.Signal{how}
	if how == stopFast {
		signals = append(signals, stopImmediate)
	}
	p.Stop(linger, signals...)
}

// run lets a program do its work and returns what went wrong, with the end of
// what it said.
func run(ctx context.Context, who unprivileged.Account, folder, input string, command ...string) error {
	output := process.NewTail(outputKept)
	spec := specOf(who, folder, output, command)
	spec.Input = strings.NewReader(input)
	if err := process.Run(ctx, spec); err != nil {
		return fmt.Errorf("%s: %w\n%s", command[0], err, strings.TrimSpace(output.String()))
	}
	return nil
}
