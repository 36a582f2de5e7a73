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

// specOf specifies a program that runs as an account, with an almost empty environment.
func specOf(who engineaccount.Account, folder string, output *process.Tail, command []string) process.Spec {
	return process.Spec{
		Command: command, Folder: folder, Environment: []string{"LC_ALL=C", "TZ=UTC"},
		Output: output, User: who.User, Orphaned: syscall.SIGQUIT,
	}
}

// startServer starts PostgreSQL. It writes its data and its sockets, and sees its installation.
func (c *Cluster) startServer() (*program, error) {
	server, err := filepath.EvalSymlinks(c.server.programs.Postgres)
	if err != nil {
		return nil, err
	}
	mounts := append(c.readOnly("postgresql.conf", "pg_hba.conf", "pg_ident.conf"), installation(server)...)
	mounts = append(mounts,
		process.Mount{Point: "/etc/passwd", Source: c.path(usersFile)},
		process.Mount{Point: c.data(), Source: c.data(), Writable: true},
		process.Mount{Point: c.sockets(), Source: c.sockets(), Writable: true})
	return c.startProgram(mounts, server, "-D", c.data(), "-c", "config_file="+c.path("postgresql.conf"))
}

// installation mounts the parts of the installation that a server belongs to. Its folder may
// contain other things, as ~/.local does.
func installation(server string) []process.Mount {
	var mounts []process.Mount
	for _, part := range []string{"bin", "lib", "lib64", "share"} {
		folder := filepath.Join(filepath.Dir(filepath.Dir(server)), part)
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			mounts = append(mounts, process.Mount{Point: folder, Source: folder})
		}
	}
	return mounts
}

// startPooler starts PgBouncer. It writes nothing.
func (c *Cluster) startPooler() (*program, error) {
	pooler, err := filepath.EvalSymlinks(c.server.programs.PgBouncer)
	if err != nil {
		return nil, err
	}
	mounts := append(c.readOnly("pgbouncer.ini", "users.txt"),
		process.Mount{Point: pooler, Source: pooler},
		process.Mount{Point: c.sockets(), Source: c.sockets()})
	return c.startProgram(mounts, pooler, c.path("pgbouncer.ini"))
}

// readOnly mounts files of the cluster's folder and its certificate, each at its own path.
func (c *Cluster) readOnly(files ...string) []process.Mount {
	var mounts []process.Mount
	for _, file := range append(files, "server.crt", "server.key") {
		mounts = append(mounts, process.Mount{Point: c.path(file), Source: c.path(file)})
	}
	return mounts
}

// startProgram starts a program of the cluster. In a sandbox, it sees only the mounts.
func (c *Cluster) startProgram(mounts []process.Mount, command ...string) (*program, error) {
	output := process.NewTail(outputKept)
	spec := specOf(c.server.account, c.folder, output, command)
	spec.Sandbox, spec.Mounts = c.server.sandbox, mounts
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
