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
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/couchdb"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/postgres"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/publicaddr"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/redis"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/rescue"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/workdir"
)

// Options configures a Plane.
type Options struct {
	// Postgres has the paths of the programs; see postgres.Locate.
	Postgres postgres.Binaries
	// Redis is the redis-server to run; see redis.Locate. Without a path, the engine is
	// only a record.
	Redis redis.Program
	// CouchDB is what runs CouchDB; see couchdb.Locate. Without Node.js, the engine is only
	// a record.
	CouchDB couchdb.Program
	// Repositories, Environment, Go and Patience are the options of appruntime.Options.
	// They are the code of the apps, the environment of the fake, the parts of Go's
	// caches that builds may read, and the time that an app has to answer.
	Repositories map[string]string
	Environment  []string
	Go           appruntime.GoCaches
	Patience     time.Duration
	// StatementTimeout is the time limit for the SQL console. 0 means half a minute.
	StatementTimeout time.Duration
	// HashCost is the bcrypt cost of password hashes in auth engines. 0 means bcrypt's
	// default.
	HashCost int
	// AppsFolder is the folder in which apps are built and run. Some folders for data do
	// not allow programs to run. Empty means a folder below StateFolder.
	AppsFolder string
	// StateFolder is the folder in which the Plane makes its working folder. Empty means
	// the system's folder for temporary files. Working folders of killed programs are
	// removed first.
	StateFolder string
	// Keep, if not empty, is the working folder instead, for apps too. It is created if
	// necessary and stays when the Plane ends. The next Plane with the same folder
	// continues with its data when Resume is called. If another Plane uses the folder,
	// New returns workdir.ErrInUse. Programs that still run in its folders pg, redis,
	// couchdb and apps are ended first.
	Keep string
	// Public configures the addresses of instances and apps. By default each has its own
	// loopback address.
	Public publicaddr.Addresses
	// Logger, if non-nil, receives crashes and refused connections.
	Logger *slog.Logger
}

// Plane runs engines. It is safe for concurrent use.
type Plane struct {
	folder  string
	workdir *workdir.Folder
	// stays reports whether the folder is kept. Sockets are then in a temporary folder,
	// because their paths must be short.
	stays   bool
	sockets *workdir.Folder
	// records is the folder with the records of machines, if the folder is kept.
	records  string
	log      *slog.Logger
	public   publicaddr.Addresses
	hashCost int
	postgres *postgres.Server
	redis    redis.Program
	couchdb  couchdb.Program
	// sandbox is nil if there is none.
	sandbox *process.Sandbox
	apps    *appruntime.Runtime
	// controlPlane is set once, before anything runs.
	controlPlane core.ControlPlane
	// life is the context that ends when the Plane is closed.
	life    context.Context
	end     context.CancelFunc
	closing sync.Once
	warming sync.WaitGroup
	// adding is held by a call that adds a machine.
	adding sync.Mutex

	mu       sync.Mutex
	machines map[string]*machine
	builds   map[buildKey]*appruntime.Build
	// kept has the machines of an earlier run that have not been requested yet.
	kept   map[string]keptMachine
	closed bool

	// unsandboxed is the reason that apps and builds run without a sandbox, or nil.
	unsandboxed error

	buildLogs buildLogs
}

var _ core.DataPlane = (*Plane)(nil)

// New makes a Plane without machines. Resume restores the kept ones.
func New(o Options) (*Plane, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	p := &Plane{stays: o.Keep != "", log: o.Logger, public: o.Public, hashCost: o.HashCost, redis: o.Redis, couchdb: o.CouchDB, machines: map[string]*machine{}, builds: map[buildKey]*appruntime.Build{}}
	p.life, p.end = context.WithCancel(context.Background())
	if err := p.open(o); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	if len(p.kept) == 0 {
		p.warming.Go(p.warmUp)
	}
	return p, nil
}

// open prepares the Plane's folders and servers.
func (p *Plane) open(o Options) (err error) {
	// Engines that run as other users need access to their folders.
	if p.workdir, err = openFolder(o); err != nil {
		return err
	}
	p.folder = p.workdir.Path()
	if p.stays {
		if err := p.openRecords(); err != nil {
			return err
		}
	}
	p.sandbox, p.unsandboxed = process.FindSandbox(p.life, pathOf(o.Environment))
	clusters := postgres.Options{
		Binaries: o.Postgres, Folder: filepath.Join(p.folder, clustersFolder), Kept: p.stays, Logger: o.Logger,
		StatementTimeout: o.StatementTimeout, Public: o.Public, Sandbox: p.sandbox,
	}
	if p.stays {
		if p.sockets, err = workdir.Make(o.StateFolder, "hostingfake-"); err != nil {
			return err
		}
		clusters.Sockets = p.sockets.Path()
	}
	if p.postgres, err = postgres.NewServer(clusters); err != nil {
		return err
	}
	apps := appruntime.Options{
		Repositories: o.Repositories, Environment: o.Environment, Patience: o.Patience,
		Go: o.Go, Public: o.Public, Sandbox: p.sandbox,
		Parent: cmp.Or(o.AppsFolder, p.folder), Logger: o.Logger, StatusChanged: p.appChanged,
	}
	if p.stays {
		apps.Kept = filepath.Join(p.folder, appsFolder)
	}
	if p.apps, err = appruntime.Open(apps); err != nil || !p.stays {
		return err
	}
	return p.sweep()
}

// Unsandboxed returns the reason that apps and builds run without a sandbox, or nil if
// they have one.
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

// Folders of the Plane. Programs run in the first four.
const (
	clustersFolder = "pg"
	redisFolder    = "redis"
	couchdbFolder  = "couchdb"
	appsFolder     = "apps"
	natsFolder     = "nats"
	backupsFolder  = "backups"
	recordsFolder  = "machines"
)

func openFolder(o Options) (*workdir.Folder, error) {
	if o.Keep != "" {
		return workdir.Keep(o.Keep, clustersFolder, redisFolder, couchdbFolder, appsFolder)
	}
	return workdir.Make(o.StateFolder, "hostingfake-")
}

// warmUp prepares Postgres, so that the first instance need not wait for it.
func (p *Plane) warmUp() {
	defer rescue.Log(p.log, "prepare PostgreSQL")
	if err := p.postgres.Prepare(p.life); err != nil && p.life.Err() == nil {
		// A later call tries again and returns the error.
		p.log.Warn("PostgreSQL could not be prepared", "error", err)
	}
}

// Attach sets the control plane.
func (p *Plane) Attach(c core.ControlPlane) { p.controlPlane = c }

// Close stops everything, and removes the folder unless it is kept.
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

// during returns a context that ends when ctx or the Plane's life does. A copy of much data
// would otherwise keep the Plane from closing.
func (p *Plane) during(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(p.life, cancel)
	return ctx, func() { stop(); cancel() }
}

// closeServers waits for the turn at each machine and stops its engines, except Postgres,
// which postgres.Server stops.
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
	case p.workdir == nil:
		return err
	case p.stays:
		return errors.Join(err, p.workdir.Release())
	}
	return errors.Join(err, p.workdir.Remove())
}

// Endpoints returns the addresses of a machine.
func (p *Plane) Endpoints(instanceID string) core.Endpoints {
	p.mu.Lock()
	m := p.machines[instanceID]
	if m == nil {
		p.mu.Unlock()
		return core.Endpoints{}
	}
	at := m.endpoints
	if m.postgres() != nil {
		at.PostgresDirectPort, at.PostgresPooledPort = m.postgresPorts.Direct, m.postgresPorts.Pooled
	}
	at.RedisPort, at.NATSPort, at.CouchDBPort = m.port(core.EngineRedis), m.port(core.EngineNATS), m.port(core.EngineCouchDB)
	p.mu.Unlock()
	at.AppURLs = p.appURLs(instanceID)
	return at
}

var errClosed = errors.New("the data plane is closed")
