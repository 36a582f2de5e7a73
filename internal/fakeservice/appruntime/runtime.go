package appruntime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/publicaddr"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/workdir"
)

// Options configures a Runtime.
type Options struct {
	// Repositories maps owner/repo to a folder on this machine or to a URL. A folder that
	// is a git repository is built at the requested branch; any other folder serves as
	// every branch. For a URL, git fetches the branch for each build.
	Repositories map[string]string
	// Environment is the environment of the caller's process, as KEY=value. Apps and builds
	// get PATH and a few other variables; git, which reads repositories, gets all of them.
	Environment []string
	// Go names the Go caches that builds may read.
	Go GoCaches
	// Sandbox, if non-nil, is the sandbox in which apps and builds run.
	Sandbox *process.Sandbox
	// Parent is the folder in which the Runtime creates its own. The default is the
	// system's folder for temporary files.
	Parent string
	// Kept, if set, is used in place of a temporary folder. Open creates it if it is
	// missing, and Close leaves it in place. No other process may use it at the same time.
	// Reopen and OpenBuild reuse its content, and Sweep removes the rest.
	Kept string
	// Patience is the time within which an app must answer its health path. The default is
	// a minute.
	Patience time.Duration
	// Farewell is the time that an app has to end after it is asked to. The default is ten
	// seconds.
	Farewell time.Duration
	// MeasureEvery is the time between two measurements of a running app's files. The
	// default is half a minute.
	MeasureEvery time.Duration
	// BuildTimeout is the time limit of a build. The default is a quarter of an hour.
	BuildTimeout time.Duration
	// LargestSource is the maximum size of a repository's files in bytes, and of what git
	// fetches for them. The default is 2 GiB.
	LargestSource int64
	// Public determines the addresses of public apps.
	Public publicaddr.Addresses
	// Logger gets one line for each start and end; nil discards them.
	Logger *slog.Logger
	// StatusChanged, if non-nil, is called when an app's status changes. The failure is nil
	// unless the app has failed. The function must not call the Runtime before it returns.
	StatusChanged func(Name, Status, *Failure)
}

// Name identifies an app on an instance.
type Name struct{ Instance, App string }

// Status is the condition of an app.
type Status string

// A deployed app is starting until its health path has answered 200 for the first time. It
// has failed when that takes too long.
const (
	Starting Status = "starting"
	Running  Status = "running"
	Failed   Status = "failed"
)

// Runtime builds and runs apps. It is safe for concurrent use.
type Runtime struct {
	options Options
	log     *slog.Logger
	folder  string
	workdir *workdir.Folder // nil if the folder is kept
	users   *users
	// life ends with Close, and everything that runs ends with it.
	life   context.Context
	cancel context.CancelFunc

	mu     sync.Mutex
	apps   map[Name]*App
	closed bool
}

// errClosed is the error of a Runtime after Close.
var errClosed = errors.New("the app runtime is closed")

// Open creates a Runtime and its folder.
func Open(o Options) (*Runtime, error) {
	o.Patience = cmp.Or(o.Patience, time.Minute)
	o.Farewell = cmp.Or(o.Farewell, 10*time.Second)
	o.MeasureEvery = cmp.Or(o.MeasureEvery, 30*time.Second)
	o.BuildTimeout = cmp.Or(o.BuildTimeout, 15*time.Minute)
	o.LargestSource = cmp.Or(o.LargestSource, 2<<30)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Repositories = maps.Clone(o.Repositories)
	for name, path := range o.Repositories {
		if IsURL(path) {
			continue
		}
		absolute, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		info, err := os.Stat(absolute)
		if err != nil {
			return nil, fmt.Errorf("repository %s: %w", name, err)
		}
		if !info.IsDir() {
			return nil, fmt.Errorf("repository %s: %s is not a folder", name, absolute)
		}
		o.Repositories[name] = absolute
	}
	r := &Runtime{options: o, log: o.Logger, folder: o.Kept, users: newUsers(), apps: map[Name]*App{}}
	if err := r.open(); err != nil {
		return nil, errors.Join(err, r.letGo())
	}
	r.life, r.cancel = context.WithCancel(context.Background())
	return r, nil
}

// open creates the Runtime's folder, unless it exists.
func (r *Runtime) open() (err error) {
	if r.folder == "" {
		if r.workdir, err = workdir.Make(r.options.Parent, "hostingapps-"); err != nil {
			return err
		}
		r.folder = r.workdir.Path()
	}
	if err := errors.Join(os.MkdirAll(r.folder, workdir.Passable()), os.Chmod(r.folder, workdir.Passable())); err != nil {
		return err
	}
	if os.Geteuid() == 0 && r.options.Sandbox == nil && !reachable(r.folder) {
		return fmt.Errorf("apps and builds run as other users than root, who cannot enter the folder %s", cmp.Or(r.options.Kept, r.options.Parent))
	}
	return nil
}

// letGo removes the folder unless it is kept.
func (r *Runtime) letGo() error {
	if r.workdir == nil {
		return nil
	}
	return r.workdir.Remove()
}

// App returns an app. It creates one that does not exist yet, without deploying it.
func (r *Runtime) App(name Name) (*App, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, errClosed
	}
	if a, known := r.apps[name]; known {
		return a, nil
	}
	a, err := newApp(r, name)
	if err != nil {
		return nil, err
	}
	r.apps[name] = a
	return a, nil
}

// Find returns an existing app, or nil.
func (r *Runtime) Find(name Name) *App {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.apps[name]
}

// Apps returns the names of an instance's apps; the instance "" means all.
func (r *Runtime) Apps(instance string) []Name {
	r.mu.Lock()
	defer r.mu.Unlock()
	var names []Name
	for name := range r.apps {
		if instance == "" || name.Instance == instance {
			names = append(names, name)
		}
	}
	return names
}

// Remove ends an app and deletes its data. It does nothing if the app does not exist. The
// function forgotten, if non-nil, is called after the Runtime has forgotten the app and
// before its data is deleted.
func (r *Runtime) Remove(name Name, forgotten func() error) error {
	r.mu.Lock()
	a := r.apps[name]
	delete(r.apps, name)
	r.mu.Unlock()
	if a == nil {
		return nil
	}
	a.end()
	if forgotten != nil {
		if err := forgotten(); err != nil {
			r.mu.Lock()
			r.apps[name] = a
			r.mu.Unlock()
			return err
		}
	}
	return a.remove()
}

// Close ends every app and removes all folders, unless they are kept.
func (r *Runtime) Close() error {
	r.mu.Lock()
	apps := r.apps
	r.apps = map[Name]*App{}
	r.closed = true
	r.mu.Unlock()
	r.cancel()
	// The apps end concurrently, because each may take a while.
	var ending sync.WaitGroup
	for _, a := range apps {
		ending.Go(a.end)
	}
	ending.Wait()
	return r.letGo()
}
