package postgres

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/engineaccount"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
)

// linger is the time that a program has to stop before it gets a signal that it cannot
// refuse.
const linger = 20 * time.Second

// Signals that stop PostgreSQL. With fast, it aborts transactions and leaves the data in
// order; with immediate, it just ends.
var (
	stopFast      os.Signal = syscall.SIGINT
	stopImmediate os.Signal = syscall.SIGQUIT
)

// outputKept is the number of bytes kept of a program's output.
const outputKept = 4 << 10

// program is a running server, with the end of its output.
type program struct {
	*process.Process
	output *process.Tail
}

// startProgram starts a program as an account, with an empty environment except for the
// given variables.
func startProgram(who engineaccount.Account, folder string, command ...string) (*program, error) {
	output := process.NewTail(outputKept)
	p, err := process.Start(specOf(who, folder, output, command))
	if err != nil {
		return nil, err
	}
	return &program{p, output}, nil
}

func specOf(who engineaccount.Account, folder string, output *process.Tail, command []string) process.Spec {
	return process.Spec{
		Command: command, Folder: folder, Environment: []string{"LC_ALL=C", "TZ=UTC"},
		Output: output, User: who.User, Orphaned: syscall.SIGQUIT,
	}
}

// startServer starts PostgreSQL. In a sandbox, it sees only the cluster's own folders, at
// their own paths, and the folder of its installation.
func (c *Cluster) startServer() (*program, error) {
	server, err := filepath.EvalSymlinks(c.server.programs.Postgres)
	if err != nil {
		return nil, err
	}
	output := process.NewTail(outputKept)
	spec := specOf(c.server.account, c.folder, output, []string{server, "-D", c.data(), "-c", "config_file=" + c.path("postgresql.conf")})
	if spec.Sandbox = c.server.sandbox; spec.Sandbox != nil {
		installed := filepath.Dir(filepath.Dir(server))
		spec.Mounts = []process.Mount{
			{Point: installed, Source: installed},
			{Point: c.folder, Source: c.folder, Writable: true},
			{Point: c.sockets(), Source: c.sockets(), Writable: true},
			{Point: "/etc/passwd", Source: c.path(usersFile)},
		}
	}
	p, err := process.Start(spec)
	if err != nil {
		return nil, err
	}
	return &program{p, output}, nil
}

// stop tells the program to stop and waits until it has ended.
func (p *program) stop(how os.Signal) {
	signals := []os.Signal{how}
	if how == stopFast {
		signals = append(signals, stopImmediate)
	}
	p.Stop(linger, signals...)
}

// run runs a program to its end. Its error includes the end of the program's output.
func run(ctx context.Context, who engineaccount.Account, folder, input string, command ...string) error {
	output := process.NewTail(outputKept)
	spec := specOf(who, folder, output, command)
	spec.Input = strings.NewReader(input)
	if err := process.Run(ctx, spec); err != nil {
		return fmt.Errorf("%s: %w\n%s", command[0], err, strings.TrimSpace(output.String()))
	}
	return nil
}
