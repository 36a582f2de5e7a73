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

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/outside"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/scratch"
)

// Options says how a Runtime works.
type Options struct {
	// Repositories maps owner/repo to a folder of this machine or to a URL. A folder
	// that is a git repository is built at the branch that is asked for; any other
	// serves every branch. From a URL git fetches the branch for each build.
	Repositories map[string]string
	// Environment is that of whoever runs this, as KEY=value. Apps and builds get
	// PATH and little else of it; git, which reads repositories, gets all.
	Environment []string
	// Go is what builds may read of Go's caches.
	Go GoCaches
	// Sandbox is what apps and builds run in; nil is none.
	Sandbox *process.Sandbox
	// Parent is the folder in which the Runtime makes its own; "" is the
	// system's for temporary files.
	Parent string
	// Kept is a folder that is used in place of one that goes: it is made where it
	// is not there, and Close leaves it. Nobody else may use it meanwhile. What
	// is in it is used again by Reopen and OpenBuild, and removed by Sweep.
	Kept string
	// Patience is how long an app may take to answer its health path; 0 is a
	// minute.
	Patience time.Duration
	// Farewell is how long an app may take to end when it is asked to; 0 is ten
	// seconds.
	Farewell time.Duration
	// MeasureEvery is how often the files of an app that runs are measured; 0 is half a
	// minute.
	MeasureEvery time.Duration
	// BuildTimeout is how long a build may take; 0 is a quarter of an hour.
	BuildTimeout time.Duration
	// Outside is where public apps are reached.
	Outside outside.Addresses
	// Logger gets one line for each start and end; nil discards them.
	Logger *slog.Logger
	// StatusChanged is told when an app begins or ceases to answer, and why it
	// has failed; the failure is nil of any other status. It must not call the
	// Runtime back before it returns.
	StatusChanged func(Name, Status, *Failure)
}

// Name is an app on an instance.
type Name struct{ Instance, App string }

// Status is how an app does.
type Status string

// An app is starting until its health path has answered 200 for the first time
// since it was deployed, and failed when that takes longer than it may.
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
	scratch *scratch.Folder // nil where the folder is kept
	users   *users
	// life ends with Close; everything that runs hangs on it.
	life   context.Context
	cancel context.CancelFunc

	mu     sync.Mutex
	apps   map[Name]*App
	closed bool
}

// errClosed is the answer of a Runtime that has ended.
var errClosed = errors.New("the app runtime is closed")

// Open makes a Runtime with a folder of its own.
func Open(o Options) (*Runtime, error) {
	o.Patience = cmp.Or(o.Patience, time.Minute)
	o.Farewell = cmp.Or(o.Farewell, 10*time.Second)
	o.MeasureEvery = cmp.Or(o.MeasureEvery, 30*time.Second)
	o.BuildTimeout = cmp.Or(o.BuildTimeout, 15*time.Minute)
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
			return nil, fmt.Errorf("repository %s: %s is no folder", name, absolute)
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

// open makes the Runtime's folder, unless it is there.
func (r *Runtime) open() (err error) {
	if r.folder == "" {
		if r.scratch, err = scratch.Make(r.options.Parent, "hostingapps-"); err != nil {
			return err
		}
		r.folder = r.scratch.Path()
	}
	// Others pass through, and cannot list it.
	if err := errors.Join(os.MkdirAll(r.folder, 0o711), os.Chmod(r.folder, 0o711)); err != nil {
		return err
	}
	if os.Geteuid() == 0 && r.options.Sandbox == nil && !reachable(r.folder) {
		return fmt.Errorf("apps and builds run as other users than root, who cannot enter the folder %s", cmp.Or(r.options.Kept, r.options.Parent))
	}
	return nil
}

// letGo takes the folder away unless it is kept.
func (r *Runtime) letGo() error {
	if r.scratch == nil {
		return nil
	}
	return r.scratch.Remove()
}

// App returns an app, which need not have been deployed yet.
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

// Find returns an app that is there already, or nil.
func (r *Runtime) Find(name Name) *App {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.apps[name]
}

// Apps returns the names of an instance's apps; instance "" means all.
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

// Remove ends an app and takes its data away. One that is not there is removed
// already. forgotten is called once the Runtime has it no more, while its data is
// still there; nil is nothing.
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

// Close ends every app and takes all folders away, unless they are kept.
func (r *Runtime) Close() error {
	r.mu.Lock()
	apps := r.apps
	r.apps = map[Name]*App{}
	r.closed = true
	r.mu.Unlock()
	r.cancel()
	// They end together, as each may take its time to say good-bye.
	var ending sync.WaitGroup
	for _, a := range apps {
		ending.Go(a.end)
	}
	ending.Wait()
	return r.letGo()
}
