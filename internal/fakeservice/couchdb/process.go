package couchdb

import (
	"context"
	_ "embed" // the server's program
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
)

//go:embed server/server.js
var program string

// outputKept is the number of bytes kept of a server's output.
const outputKept = 4 << 10

// running is a server's process, with the end of its output.
type running struct {
	*process.Process
	output *process.Tail
}

func (s *Server) path(name string) string { return filepath.Join(s.folder, name) }
func (s *Server) data() string            { return s.path("data") }
func (s *Server) script() string          { return s.path("server.js") }

// start starts the server and returns when it answers. The caller has the lock.
func (s *Server) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := s.account.WriteFile(s.script(), program); err != nil {
		return err
	}
	node, err := filepath.EvalSymlinks(s.program.Node)
	if err != nil {
		return err
	}
	// The server inherits its socket, and cannot put another one in its place.
	socket, err := s.front.inside.File()
	if err != nil {
		return err
	}
	defer socket.Close()
	output := process.NewTail(outputKept)
	spec := process.Spec{
		Command: []string{node, "--no-deprecation", "--max-old-space-size=" + strconv.Itoa(s.settings.MemoryMB), s.script(), s.data()},
		Folder:  s.folder, Environment: []string{"LC_ALL=C", "TZ=UTC", "NODE_ENV=production", "NODE_PATH=" + s.program.Modules}, Output: output, User: s.account.User,
		Sandbox: s.sandbox, Files: []*os.File{socket},
	}
	spec.Command = append(spec.Command, strconv.Itoa(spec.FirstFile()))
	if s.sandbox != nil {
		spec.Mounts = []process.Mount{
			{Point: s.program.Modules, Source: s.program.Modules},
			{Point: s.script(), Source: s.script()},
			{Point: s.data(), Source: s.data(), Writable: true},
		}
	}
	started, err := process.Start(spec)
	if err != nil {
		return err
	}
	if err := s.awaitReady(ctx, started); err != nil {
		started.Stop(patience)
		return fmt.Errorf("start CouchDB: %w\n%s", err, output)
	}
	p := &running{started, output}
	s.process = p
	s.pid.Store(int64(p.PID()))
	s.front.gate.open()
	go s.lock.Revive(s.log, "CouchDB", started, func() bool { return s.process == p }, s.restartKilled)
	return nil
}

// awaitReady returns when the server answers.
func (s *Server) awaitReady(ctx context.Context, p *process.Process) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-p.Ended():
			cancel(errors.New("it ended before it was ready"))
		case <-ctx.Done():
		}
	}()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, inside.String()+"/_up", nil)
	if err != nil {
		return err
	}
	answer, err := s.front.transport.RoundTrip(request)
	if err != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	return answer.Body.Close()
}

// runs reports whether the server runs, as far as is known. The caller has the lock.
func (s *Server) runs() bool {
	return s.process != nil && !s.process.HasEnded()
}

// stop stops the server, if it runs, after the requests in progress. The caller has the
// lock.
func (s *Server) stop() {
	p := s.process
	s.process = nil
	if p != nil {
		s.front.gate.close()
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
