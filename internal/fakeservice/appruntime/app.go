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
)

// Spec is how an app is to run.
type Spec struct {
	// Port is the one that the app's public address has if it is free. The app
	// itself gets whichever is free, in PORT: apps share this machine's ports.
	Port int
	// HealthPath is answered with 200 by an app that works.
	HealthPath string
	// Public says whether the app has an address.
	Public bool
	// Env holds the app's own variables.
	Env map[string]string
	// Database is the URL of the machine's database, and CA the certificate
	// that proves who answers there, in PEM. Both are empty where there is none.
	Database, CA string
	// Disk is how many bytes the app's data may have; 0 is any number. A change restarts
	// nothing.
	Disk int64
}

// App is an app on an instance. Its data folder is made with it and goes with
// it; all else changes.
type App struct {
	runtime *Runtime
	name    Name
	folder  string // with data, the CA's folder
	user    process.User
	log     *process.Tail
	front   *front

	// changing is held by whoever deploys, restarts or ends the app.
	changing sync.Mutex
	disk     atomic.Int64 // Spec.Disk, as it was told last
	build    *Build
	spec     Spec
	halt     context.CancelFunc // ends the present run
	halted   chan struct{}      // closed once it has ended

	mu      sync.Mutex
	status  Status
	changed chan struct{}    // closed and made anew with each change of status
	process *process.Process // nil while none runs
	starts  int
	// lastAnswer is when the health path was last answered with 200.
	lastAnswer time.Time
	// since is what was seen of the app since it was begun, or last answered.
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

// openApp makes an app of a folder, with the data that is in it.
func openApp(r *Runtime, name Name, folder string) (*App, error) {
	user, err := r.users.take()
	if err != nil {
		return nil, err
	}
	a := &App{
		runtime: r, name: name, folder: folder, user: user,
		log: process.NewTail(logKept), status: Starting, changed: make(chan struct{}),
	}
	a.front = &front{log: r.log, outside: r.options.Outside}
	// The user that the app runs as passes through here.
	if err := errors.Join(
		os.MkdirAll(a.data(), 0o700), os.MkdirAll(a.trust(), 0o700),
		os.Chmod(folder, 0o711), os.Chmod(a.trust(), 0o755), give(a.data(), a.user),
	); err != nil {
		r.users.release(user)
		return nil, err
	}
	return a, nil
}

func (a *App) data() string { return filepath.Join(a.folder, "data") }

// trust is the folder of the CA's file. The app reads it and cannot write there:
// this program does, and would follow a link that the app had put in its way.
func (a *App) trust() string { return filepath.Join(a.folder, "trust") }

// Deploy runs a build in place of the one that runs, and takes it over. It gives
// back the one that ran, nil for none, which the caller discards. Deploy does not
// wait for the app to answer.
//
// The old version ends before the new one begins, because they share /data.
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

// Restart ends the app and begins it again, with what has changed of how it is
// to run. An app that was never deployed stays so.
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

// Configure makes the app run so. It restarts one only if something changes.
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

// begin runs the build. a.changing is held.
func (a *App) begin() error {
	if a.spec.CA != "" {
		// Everybody may read it: it is no secret.
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

// stop ends the present run, if there is one. a.changing is held.
func (a *App) stop() {
	if a.halt == nil {
		return
	}
	a.halt()
	<-a.halted
	a.halt = nil
}

// end stops the app and its address.
func (a *App) end() {
	a.changing.Lock()
	defer a.changing.Unlock()
	a.stop()
	a.front.close()
}

// remove ends the app and takes its folders away.
func (a *App) remove() error {
	a.end()
	a.changing.Lock()
	defer a.changing.Unlock()
	err := os.RemoveAll(a.folder)
	a.runtime.users.release(a.user)
	if a.build != nil {
		err = errors.Join(err, a.build.Discard())
		a.build = nil
	}
	return err
}

// Deployed tells whether there is a version to run.
func (a *App) Deployed() bool { return a.Build() != nil }

// Begun tells whether the app is to run at the moment.
func (a *App) Begun() bool {
	a.changing.Lock()
	defer a.changing.Unlock()
	return a.halt != nil
}

// Build is the version that is deployed, or nil.
func (a *App) Build() *Build {
	a.changing.Lock()
	defer a.changing.Unlock()
	return a.build
}

// URL is the app's address, or "" for one that is not deployed or not public.
func (a *App) URL() string { return a.front.url() }

// Log is the end of what the app has written, and of what became of it.
func (a *App) Log() string { return a.log.String() }

// PID is the number of the app's process, or 0 while none runs. It leads a
// process group of that number.
func (a *App) PID() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.process == nil {
		return 0
	}
	return a.process.PID()
}

// Starts is how often a process of the app was begun.
func (a *App) Starts() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.starts
}

// Status is how the app does.
func (a *App) Status() Status {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.status
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

// setStatus keeps a status and tells of it when it is another one.
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

// Tell tells again how the app does.
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
