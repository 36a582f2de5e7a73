// Package dataplane runs the engines of the fake service's instances for real.
//
// A Plane is the fakeservice.DataPlane. It puts together packages that each run
// one engine and know nothing of the fake, and gives every instance a loopback
// address of its own, which is its host: an address needs no name service, and
// verify-full works with it, as certificates can name it.
package dataplane

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/postgres"
)

// Options says how a Plane runs.
type Options struct {
	// Postgres names the programs to run; see postgres.Locate.
	Postgres postgres.Binaries
	// StateFolder is where the Plane makes the folder that it works in; empty
	// is the system's folder for temporary files.
	StateFolder string
	// Logger is told of crashes and refused connections; nil discards them.
	Logger *slog.Logger
}

// Plane runs engines. It is safe for concurrent use.
type Plane struct {
	folder   string
	log      *slog.Logger
	postgres *postgres.Server
	// life ends when the Plane is closed.
	life    context.Context
	end     context.CancelFunc
	closing sync.Once

	mu       sync.Mutex
	machines map[string]*machine
	closed   bool
}

// The Plane is what the fake asks for.
var _ fakeservice.DataPlane = (*Plane)(nil)

// New makes a Plane with no machine yet.
func New(o Options) (*Plane, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	folder, err := os.MkdirTemp(o.StateFolder, "hosting-fake-")
	if err != nil {
		return nil, err
	}
	// Engines that run as other users pass through to folders of their own.
	if err := os.Chmod(folder, 0o711); err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	server, err := postgres.NewServer(postgres.Options{
		Binaries: o.Postgres, Folder: filepath.Join(folder, "pg"), Logger: o.Logger,
	})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	p := &Plane{folder: folder, log: o.Logger, postgres: server, machines: map[string]*machine{}}
	p.life, p.end = context.WithCancel(context.Background())
	return p, nil
}

// Attach does nothing yet: Postgres has nothing to tell.
func (p *Plane) Attach(fakeservice.Reporter) {}

// Close stops everything and takes the folder away.
func (p *Plane) Close() error {
	var err error
	p.closing.Do(func() {
		p.mu.Lock()
		p.closed = true
		p.mu.Unlock()
		p.end()
		err = errors.Join(p.postgres.Close(), os.RemoveAll(p.folder))
	})
	return err
}

// Endpoints says where a machine is reached.
func (p *Plane) Endpoints(instanceID string) fakeservice.Endpoints {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m := p.machines[instanceID]; m != nil {
		return m.endpoints
	}
	return fakeservice.Endpoints{}
}

var errClosed = errors.New("the data plane is closed")
