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

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/engineaccount"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/publicaddr"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/workdir"
)

// Options configures a Server.
type Options struct {
	Binaries Binaries
	// Folder is the folder of the clusters. It is created if it does not exist.
	Folder string
	// Sockets is the folder of the clusters' sockets, whose path should be short. The
	// default is Folder.
	Sockets string
	// Kept leaves the folder when the Server is closed, and lets NewCluster continue with
	// the data in it. No other process may use the folder at the same time.
	Kept bool
	// StatementTimeout is the time limit of a statement of Query. The default is half a
	// minute.
	StatementTimeout time.Duration
	// Public determines the addresses of the public ports.
	Public publicaddr.Addresses
	// Sandbox is where the servers run; nil means none. Their data can come from somebody
	// else, in a snapshot, and could then start programs.
	Sandbox *process.Sandbox
	// Logger logs crashes and refused connections; nil discards them.
	Logger *slog.Logger
}

// Server creates clusters and contains the things that they share. It is safe for
// concurrent use.
type Server struct {
	programs Binaries
	account  engineaccount.Account
	folder   string
	runs     string // folder of the sockets
	kept     bool
	log      *slog.Logger
	public   publicaddr.Addresses
	sandbox  *process.Sandbox
	template template
	// patience is the time limit of a statement.
	patience time.Duration

	mu       sync.Mutex
	clusters map[*Cluster]bool
	closed   bool
}

// NewServer prepares the folder. It starts no program.
func NewServer(o Options) (*Server, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	who, err := engineaccount.Find("PostgreSQL", "postgres", "nobody")
	if err != nil {
		return nil, err
	}
	folder, err := filepath.Abs(o.Folder)
	if err != nil {
		return nil, err
	}
	if err := who.MakePassable(folder); err != nil {
		return nil, err
	}
	if err := who.CanEnter("PostgreSQL", folder); err != nil {
		if o.Kept {
			return nil, err
		}
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	runs := folder
	if o.Sockets != "" {
		runs = o.Sockets
		if err := who.CanEnter("PostgreSQL", filepath.Join(runs, "sockets")); err != nil {
			return nil, err
		}
	}
	if err := workdir.Sweep(folder); err != nil {
		return nil, err
	}
	return &Server{
		programs: o.Binaries, account: who, folder: folder, runs: runs, kept: o.Kept, log: o.Logger, public: o.Public, sandbox: o.Sandbox,
		patience: cmp.Or(o.StatementTimeout, 30*time.Second),
		template: template{folder: filepath.Join(folder, "template")},
		clusters: map[*Cluster]bool{},
	}, nil
}

// add registers a cluster, so that Close finds it.
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

// Load creates the data of a new cluster from a backup. NewCluster then starts it.
func (s *Server) Load(ctx context.Context, name, backup string) error {
	c := &Cluster{server: s, folder: filepath.Join(s.folder, name)}
	if err := s.account.MakePassable(c.folder); err != nil {
		return err
	}
	if err := c.copyIn(ctx, backup); err != nil {
		return err
	}
	return os.Rename(c.next(), c.data())
}

// Close stops every cluster, and removes the folder unless it is kept.
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
	if !s.kept {
		errs = append(errs, os.RemoveAll(s.folder))
	}
	return errors.Join(errs...)
}

// Prepare creates the template that clusters are copied from. Otherwise the first cluster
// would wait for it.
func (s *Server) Prepare(ctx context.Context) error {
	return s.template.make(ctx, s.programs, s.account)
}

var errClosed = errors.New("PostgreSQL is being shut down")
