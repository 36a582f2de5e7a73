package redis

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
)

// outputKept is the number of bytes kept of a server's output.
const outputKept = 4 << 10

// running is a server's process, with the end of its output.
type running struct {
	*process.Process
	output *process.Tail
}

// start starts the server and admits clients once it has its data. The caller has the lock.
func (s *Server) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := s.writeConfiguration(); err != nil {
		return err
	}
	// The link may not be replaced by its target: Redis is another program by another name.
	target, err := filepath.EvalSymlinks(s.program.Path)
	if err != nil {
		return err
	}
	output := process.NewTail(outputKept)
	spec := process.Spec{
		Command: []string{s.program.Path, s.configuration()}, Folder: s.folder,
		Environment: []string{"LC_ALL=C", "TZ=UTC"}, Output: output, User: s.account.User, Sandbox: s.sandbox,
	}
	if s.sandbox != nil {
		spec.Mounts = append(spec.Mounts, []process.Mount{
			{Point: s.program.Path, Source: target},
			{Point: s.configuration(), Source: s.configuration()},
			{Point: s.users(), Source: s.users()},
			{Point: s.data(), Source: s.data(), Writable: true},
			{Point: s.run, Source: s.run, Writable: true},
		}...)
	}
	started, err := process.Start(spec)
	if err != nil {
		return err
	}
	if err := s.awaitReady(ctx, started); err != nil {
		started.Stop(patience)
		return fmt.Errorf("start Redis: %w\n%s", err, output)
	}
	p := &running{started, output}
	s.process = p
	s.pid.Store(int64(p.PID()))
	s.proxy.Lead("unix", s.socket())
	go s.lock.Revive(s.log, "Redis", started, func() bool { return s.process == p }, s.restartKilled)
	return nil
}

// awaitReady returns when the server accepts commands.
func (s *Server) awaitReady(ctx context.Context, p *process.Process) error {
	admin := s.admin()
	defer admin.Close()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		err := s.listens(ctx)
		if err == nil {
			// It may still be reading its data.
			err = admin.Ping(ctx).Err()
		}
		if err == nil {
			return nil
		}
		select {
		case <-p.Ended():
			return errors.New("it ended before it was ready")
		case <-ctx.Done():
			return fmt.Errorf("it was not ready in time: %w", err)
		case <-tick.C:
		}
	}
}

// listens returns an error unless the server accepts connections. The client would log each
// failed attempt.
func (s *Server) listens(ctx context.Context) error {
	connection, err := process.DialSocket(ctx, s.socket())
	if err != nil {
		return err
	}
	return connection.Close()
}

// runs reports whether the server runs, as far as is known. The caller has the lock.
func (s *Server) runs() bool {
	return s.process != nil && !s.process.HasEnded()
}

// stop stops the server, if it runs. The caller has the lock.
func (s *Server) stop() {
	s.proxy.Lead("", "")
	p := s.process
	s.process = nil
	if p != nil {
		p.Stop(patience, syscall.SIGTERM)
	}
	s.pid.Store(0)
}

// restartKilled starts the server again after it has ended by itself. The caller has the
// lock.
func (s *Server) restartKilled(ctx context.Context) error {
	s.pid.Store(0)
	return s.start(ctx)
}
