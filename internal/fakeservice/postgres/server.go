package postgres

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/unprivileged"
)

// Options says how a Server runs.
type Options struct {
	Binaries Binaries
	// Folder is where clusters live. It is made, and taken away by Close. Its
	// path is best short, as sockets lie in it.
	Folder string
	// StatementTimeout is how long a statement of Query may take; 0 is half a
	// minute.
	StatementTimeout time.Duration
	// Logger is told of crashes and refused connections; nil discards them.
	Logger *slog.Logger
}

// Server makes clusters and holds what they share. It is safe for concurrent
// use.
type Server struct {
	programs Binaries
	account  unprivileged.Account
	folder   string
	log      *slog.Logger
	template template
	// patience is how long a statement may take.
	patience time.Duration

	mu       sync.Mutex
	clusters map[*Cluster]bool
	closed   bool
}

// longestSocket is how long the path of a socket can be on every system.
const longestSocket = 103

// NewServer prepares the folder. Nothing runs yet.
func NewServer(o Options) (*Server, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	who, err := unprivileged.Find("PostgreSQL", "postgres", "nobody")
	if err != nil {
		return nil, err
	}
	folder, err := filepath.Abs(o.Folder)
	if err != nil {
		return nil, err
	}
	if err := who.MakeFolder(folder); err != nil {
		return nil, err
	}
	if err := who.CanEnter("PostgreSQL", folder); err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	return &Server{
		programs: o.Binaries, account: who, folder: folder, log: o.Logger,
		patience: cmp.Or(o.StatementTimeout, 30*time.Second),
		template: template{folder: filepath.Join(folder, "template")},
		clusters: map[*Cluster]bool{},
	}, nil
}

// add makes a cluster known, so that Close finds it.
func (s *Server) add(c *Cluster) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	s.clusters[c] = true
	return nil
}

func (s *Server) forget(c *Cluster) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.clusters, c)
}

// Close stops every cluster and takes the folder away.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	var all []*Cluster
	for c := range s.clusters {
		all = append(all, c)
	}
	s.mu.Unlock()
	errs := make([]error, len(all), len(all)+1)
	var closing sync.WaitGroup
	for i, c := range all {
		closing.Go(func() { errs[i] = c.Close() })
	}
	closing.Wait()
	return errors.Join(append(errs, os.RemoveAll(s.folder))...)
}

// Prepare makes the template that clusters are copied from, which the first
// cluster would wait for otherwise.
func (s *Server) Prepare(ctx context.Context) error {
	return s.template.make(ctx, s.programs, s.account)
}

var errClosed = errors.New("PostgreSQL is being shut down")
