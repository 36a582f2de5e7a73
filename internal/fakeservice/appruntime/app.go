package appruntime

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/rescue"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/workdir"
)

// Spec describes how an app runs.
type Spec struct {
	// Port is the port of the app's public address, if it is free. The app itself always
	// gets a free port, in PORT, because apps share this machine's ports.
	Port int
	// HealthPath is the path that a working app answers with 200.
	HealthPath string
	// Public reports whether the app has a public address.
	Public bool
	// Env contains the app's own variables.
	Env map[string]string
	// Database is the URL of the machine's database. CA is the certificate, in PEM, that
	// authenticates the database's server. Both are empty if the machine has no database.
	Database, CA string
	// Disk is the maximum size of the app's data in bytes; 0 means no limit. A change does
	// not restart the app.
	Disk int64
}

// App is an app on an instance. Its data folder is created and removed with it; everything
// else can change.
type App struct {
	runtime *Runtime
	name    Name
	folder  string // contains data and the CA's folder
	user    process.User
	log     *process.Tail
	front   *front

	// changing is locked during a deployment, a restart or the end of the app.
	changing sync.Mutex
	disk     atomic.Int64 // the latest Spec.Disk
	build    *Build
	spec     Spec
	halt     context.CancelFunc // ends the current run
	halted   chan struct{}      // closed once the run has ended

	mu      sync.Mutex
	status  Status
	changed chan struct{}    // closed and replaced with each change of status
	process *process.Process // nil while no process runs
	starts  int
	// lastAnswer is the time of the latest 200 from the health path.
	lastAnswer time.Time
	// since records the problems seen since the app was started or last answered.
	since seen
}

func newApp(r *Runtime, name Name) (*App, error) {
	folder, err := os.MkdirTemp(r.folder, "app-")
	if err != nil {
		return nil, err
	}
	a, err := openApp(r, name, folder)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	return a, nil
}

// openApp returns an App that uses an existing folder and its data.
func openApp(r *Runtime, name Name, folder string) (*App, error) {
	user, err := r.users.take()
	if err != nil {
		return nil, err
	}
	a := &App{
		runtime: r, name: name, folder: folder, user: user,
		log: process.NewTail(logKept), status: Starting, changed: make(chan struct{}),
	}
	a.front = &front{log: r.log, public: r.options.Public}
	// The user that the app runs as passes through this folder.
	if err := errors.Join(
		os.MkdirAll(a.data(), 0o700), os.MkdirAll(a.trust(), 0o700),
		os.Chmod(folder, workdir.Passable()), os.Chmod(a.trust(), 0o755), give(a.data(), a.user),
	); err != nil {
		r.users.release(user)
		return nil, err
	}
	return a, nil
}

func (a *App) data() string { return filepath.Join(a.folder, "data") }

// trust returns the folder of the CA's file. The app can read the folder and cannot write
// to it: this program writes the file, and would follow a link that the app had put in its
// place.
func (a *App) trust() string { return filepath.Join(a.folder, "trust") }

// Deploy replaces the running build with another build and takes ownership of it. It
// returns the previous build, or nil, for the caller to discard. It does not wait for the
// app to answer.
//
// The old version ends before the new one starts, because they share /data.
func (a *App) Deploy(build *Build, spec Spec) (old *Build, err error) {
	a.changing.Lock()
	defer a.changing.Unlock()
	if a.runtime.life.Err() != nil {
		return nil, errors.Join(errClosed, build.Discard())
	}
	if err := give(build.folder, a.user); err != nil {
		return nil, errors.Join(err, build.Discard())
	}
	a.stop()
	a.disk.Store(spec.Disk)
	old = a.build
	a.build, a.spec = build, spec
	return old, a.begin()
}

// Restart stops the app and starts it with the new spec. It does not start an app that was
// never deployed.
func (a *App) Restart(spec Spec) error {
	a.changing.Lock()
	defer a.changing.Unlock()
	if a.runtime.life.Err() != nil {
		return errClosed
	}
	a.disk.Store(spec.Disk)
	a.spec = spec
	if a.build == nil {
		return nil
	}
	a.stop()
	return a.begin()
}

// Configure applies the spec. It restarts the app only if something that affects the
// process changes.
func (a *App) Configure(spec Spec) error {
	a.disk.Store(spec.Disk)
	a.changing.Lock()
	same := a.spec.equal(spec)
	a.changing.Unlock()
	if same {
		return nil
	}
	return a.Restart(spec)
}

// begin runs the build. The caller has locked a.changing.
func (a *App) begin() error {
	if a.spec.CA != "" {
		// Every user may read the certificate: it is not secret.
		file := filepath.Join(a.trust(), caFile)
		if err := errors.Join(os.WriteFile(file, []byte(a.spec.CA), 0o644), os.Chmod(file, 0o644)); err != nil {
			return err
		}
	}
	if err := a.front.open(a.spec.Public, a.spec.Port); err != nil {
		return err
	}
	a.see(func(s *seen) { *s = seen{} })
	a.setStatus(Starting)
	ctx, cancel := context.WithCancel(a.runtime.life)
	a.halt, a.halted = cancel, make(chan struct{})
	run := run{app: a, build: a.build, spec: a.spec}
	go func(halted chan struct{}) {
		defer close(halted)
		defer rescue.Log(a.runtime.log, "keep an app up")
		run.keepUp(ctx)
	}(a.halted)
	return nil
}

// stop ends the current run, if any. The caller has locked a.changing.
func (a *App) stop() {
	if a.halt == nil {
		return
	}
	a.halt()
	<-a.halted
	a.halt = nil
}

// end stops the app and closes its address.
func (a *App) end() {
	a.changing.Lock()
	defer a.changing.Unlock()
	a.stop()
	a.front.close()
}

// remove ends the app and deletes its folders.
func (a *App) remove() error {
	a.end()
	a.changing.Lock()
	defer a.changing.Unlock()
	err := workdir.RemoveAll(a.folder)
	a.runtime.users.release(a.user)
	if a.build != nil {
		err = errors.Join(err, a.build.Discard())
		a.build = nil
	}
	return err
}

// Deployed reports whether the app has a version to run.
func (a *App) Deployed() bool { return a.Build() != nil }

// Begun reports whether the app should currently be running.
func (a *App) Begun() bool {
	a.changing.Lock()
	defer a.changing.Unlock()
	return a.halt != nil
}

// Build returns the deployed version, or nil.
func (a *App) Build() *Build {
	a.changing.Lock()
	defer a.changing.Unlock()
	return a.build
}

// URL returns the app's address, or "" for an app that is not deployed or not public.
func (a *App) URL() string { return a.front.url() }

// Log returns the end of the app's output, with notes about its starts and ends.
func (a *App) Log() string { return a.log.String() }

// PID returns the id of the app's process, or 0 if no process runs. The process leads the
// process group with the same id.
func (a *App) PID() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.process == nil {
		return 0
	}
	return a.process.PID()
}

// Starts returns how often a process of the app was started.
func (a *App) Starts() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.starts
}

// Status returns the app's status.
func (a *App) Status() Status {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.status
}

// Probe requests the health path of the process that visitors reach. It returns the status,
// or 0 if there is no process or no answer.
func (a *App) Probe(ctx context.Context) int {
	a.changing.Lock()
	path := a.spec.HealthPath
	a.changing.Unlock()
	port := a.front.pointed()
	if port == 0 {
		return 0
	}
	return probe(ctx, port, path)
}

// Settled waits until the app is running or has failed.
func (a *App) Settled(ctx context.Context) (Status, error) {
	for {
		a.mu.Lock()
		status, changed := a.status, a.changed
		a.mu.Unlock()
		if status != Starting {
			return status, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return status, ctx.Err()
		case <-a.runtime.life.Done():
			return status, errClosed
		}
	}
}

// setStatus stores a status and reports it if it differs from the previous one.
func (a *App) setStatus(status Status) {
	a.mu.Lock()
	same := a.status == status
	a.status = status
	if !same {
		close(a.changed)
		a.changed = make(chan struct{})
	}
	a.mu.Unlock()
	if a.runtime.options.StatusChanged != nil && !same {
		a.tell(status)
	}
}

// Tell reports the app's status again.
func (a *App) Tell() {
	if a.runtime.options.StatusChanged != nil {
		a.tell(a.Status())
	}
}

func (a *App) tell(status Status) {
	var why *Failure
	if status == Failed {
		why = a.failure()
	}
	a.runtime.options.StatusChanged(a.name, status, why)
}

func (a *App) setProcess(p *process.Process) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.process = p; p != nil {
		a.starts++
	}
}

// note writes a line about the app into its log.
func (a *App) note(format string, arguments ...any) {
	line := fmt.Sprintf(format, arguments...)
	fmt.Fprintf(a.log, "[hosting] %s\n", line)
	a.runtime.log.Info("app", "instance", a.name.Instance, "app", a.name.App, "is", line)
}
