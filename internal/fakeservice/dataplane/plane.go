package dataplane

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/appruntime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/outside"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/postgres"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/redis"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/rescue"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/scratch"
)

// Options says how a Plane runs.
type Options struct {
	// Postgres names the programs to run; see postgres.Locate.
	Postgres postgres.Binaries
	// Redis is the redis-server to run; see redis.Locate. Without a path the engine
	// is a record alone.
	Redis redis.Program
	// Repositories, Environment, Go and Patience are those of
	// appruntime.Options: where the code of apps is, the environment of whoever
	// runs the fake, what builds may read of Go's caches, and how long an app
	// may take to answer.
	Repositories map[string]string
	Environment  []string
	Go           appruntime.GoCaches
	Patience     time.Duration
	// StatementTimeout is how long what is sent to the SQL console may take; 0
	// is half a minute.
	StatementTimeout time.Duration
	// HashCost is how much work the hash of a password is in auth engines, as bcrypt counts
	// it; 0 is bcrypt's default.
	HashCost int
	// AppsFolder is where apps are built and run, which some folders for data
	// forbid; empty is below the StateFolder.
	AppsFolder string
	// StateFolder is where the Plane makes the folder that it works in; empty
	// is the system's folder for temporary files. What planes whose program was
	// killed have left there is taken away first.
	StateFolder string
	// Keep is a folder that the Plane works in instead, apps included, and that
	// stays when it ends, however it does: the next Plane with it goes on with what
	// is there, when it is told to by Resume. It is made where it is not there. One
	// that another Plane keeps is scratch.ErrInUse. Whatever still runs in its folders
	// pg, redis and apps is ended first.
	Keep string
	// Outside is where instances and apps are reached; the zero value is at loopback
	// addresses of their own.
	Outside outside.Addresses
	// Logger is told of crashes and refused connections; nil discards them.
	Logger *slog.Logger
}

// Plane runs engines. It is safe for concurrent use.
type Plane struct {
	folder  string
	scratch *scratch.Folder
	// stays is set where the folder does. Sockets then lie in one that goes, as
	// their paths have to be short.
	stays   bool
	sockets *scratch.Folder
	// records is the folder with what is noted of each machine, where that is kept.
	records  string
	log      *slog.Logger
	outside  outside.Addresses
	hashCost int
	postgres *postgres.Server
	redis    redis.Program
	apps     *appruntime.Runtime
	// controlPlane is set once, before anything runs.
	controlPlane core.ControlPlane
	// life ends when the Plane is closed.
	life    context.Context
	end     context.CancelFunc
	closing sync.Once
	warming sync.WaitGroup
	// adding is held by whoever adds a machine.
	adding sync.Mutex

	mu       sync.Mutex
	machines map[string]*machine
	builds   map[buildKey]*appruntime.Build
	// kept are the machines of an earlier run that nobody has asked for yet.
	kept   map[string]record
	closed bool

	// unsandboxed is why apps and builds run in no sandbox; nil if they do.
	unsandboxed error

	buildLogs buildLogs
}

// The Plane is what the fake asks for.
var _ core.DataPlane = (*Plane)(nil)

// New makes a Plane with no machine yet. Those that are kept are there after Resume.
func New(o Options) (*Plane, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	p := &Plane{stays: o.Keep != "", log: o.Logger, outside: o.Outside, hashCost: o.HashCost, redis: o.Redis, machines: map[string]*machine{}, builds: map[buildKey]*appruntime.Build{}}
	p.life, p.end = context.WithCancel(context.Background())
	if err := p.open(o); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	if len(p.kept) == 0 {
		p.warming.Go(p.warmUp)
	}
	return p, nil
}

// open makes what the Plane works with.
func (p *Plane) open(o Options) (err error) {
	// Engines that run as other users pass through to folders of their own.
	if p.scratch, err = openFolder(o); err != nil {
		return err
	}
	p.folder = p.scratch.Path()
	clusters := postgres.Options{
		Binaries: o.Postgres, Folder: filepath.Join(p.folder, clustersFolder), Kept: p.stays, Logger: o.Logger,
		StatementTimeout: o.StatementTimeout, Outside: o.Outside,
	}
	if p.stays {
		if p.sockets, err = scratch.Make(o.StateFolder, "hostingfake-"); err != nil {
			return err
		}
		clusters.Sockets = p.sockets.Path()
	}
	if p.postgres, err = postgres.NewServer(clusters); err != nil {
		return err
	}
	sandbox, err := process.FindSandbox(p.life, pathOf(o.Environment))
	p.unsandboxed = err
	apps := appruntime.Options{
		Repositories: o.Repositories, Environment: o.Environment, Patience: o.Patience,
		Go: o.Go, Outside: o.Outside, Sandbox: sandbox,
		Parent: cmp.Or(o.AppsFolder, p.folder), Logger: o.Logger, StatusChanged: p.appChanged,
	}
	if p.stays {
		apps.Kept = filepath.Join(p.folder, appsFolder)
	}
	if p.apps, err = appruntime.Open(apps); err != nil || !p.stays {
		return err
	}
	return p.openRecords()
}

// Unsandboxed is why apps and builds run in no sandbox, or nil if they do.
func (p *Plane) Unsandboxed() error { return p.unsandboxed }

func pathOf(environment []string) string {
	var path string
	for _, variable := range environment {
		if value, found := strings.CutPrefix(variable, "PATH="); found {
			path = value // the last one counts
		}
	}
	return path
}

// Folders of the Plane's in which programs run.
const (
	clustersFolder = "pg"
	redisFolder    = "redis"
	appsFolder     = "apps"
)

func openFolder(o Options) (*scratch.Folder, error) {
	if o.Keep != "" {
		return scratch.Keep(o.Keep, clustersFolder, redisFolder, appsFolder)
	}
	return scratch.Make(o.StateFolder, "hostingfake-")
}

// warmUp makes what the first instance would have to wait for otherwise.
func (p *Plane) warmUp() {
	defer rescue.Log(p.log, "prepare PostgreSQL")
	if err := p.postgres.Prepare(p.life); err != nil && p.life.Err() == nil {
		// Whoever needs it tries again and is told.
		p.log.Warn("PostgreSQL could not be prepared", "error", err)
	}
}

// Attach keeps the way to ask and to tell.
func (p *Plane) Attach(c core.ControlPlane) { p.controlPlane = c }

// Close stops everything, and takes the folder away unless it is kept.
func (p *Plane) Close() error {
	var err error
	p.closing.Do(func() {
		p.mu.Lock()
		p.closed = true
		p.mu.Unlock()
		p.end()
		p.warming.Wait()
		if p.apps != nil {
			err = p.apps.Close()
		}
		err = errors.Join(err, p.closeAuth())
		if p.postgres != nil {
			err = errors.Join(err, p.postgres.Close())
		}
		err = errors.Join(err, p.closeServers(), p.closeFolder())
	})
	return err
}

// closeServers stops the engines of each machine, once whoever changes it has left. What
// runs the clusters of Postgres stops them.
func (p *Plane) closeServers() error {
	p.mu.Lock()
	machines := slices.Collect(maps.Values(p.machines))
	p.mu.Unlock()
	var errs []error
	for _, m := range machines {
		m.turn <- struct{}{}
		for _, e := range m.engines() {
			if e.name != core.EnginePostgres {
				errs = append(errs, e.Close())
			}
		}
		<-m.turn
	}
	return errors.Join(errs...)
}

func (p *Plane) closeFolder() (err error) {
	if p.sockets != nil {
		err = p.sockets.Remove()
	}
	switch {
	case p.scratch == nil:
		return err
	case p.stays:
		return errors.Join(err, p.scratch.Release())
	}
	return errors.Join(err, p.scratch.Remove())
}

// Endpoints says where a machine is reached.
func (p *Plane) Endpoints(instanceID string) core.Endpoints {
	p.mu.Lock()
	m := p.machines[instanceID]
	if m == nil {
		p.mu.Unlock()
		return core.Endpoints{}
	}
	at := m.endpoints
	p.mu.Unlock()
	at.AppURLs = p.appURLs(instanceID)
	return at
}

var errClosed = errors.New("the data plane is closed")
