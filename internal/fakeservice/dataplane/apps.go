package dataplane

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/appruntime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/rescue"
)

// buildKey identifies a build that has ended and is not deployed.
type buildKey struct{ instance, app, build string }

// Build builds the branch of an app.
func (p *Plane) Build(ctx context.Context, instanceID string, a core.App, buildID string) (_ string, err error) {
	defer rescue.Error(p.log, "build an app", &err)
	built, err := p.apps.Build(ctx, a.Repo, a.Branch, a.Env, p.buildLogs.begin(buildID))
	if failed := (*appruntime.BuildError)(nil); errors.As(err, &failed) {
		return failed.Commit, &core.BuildFailure{Log: failed.Log}
	}
	if err != nil {
		return "", err
	}
	built.ID = buildID
	key := buildKey{instanceID, a.Name, buildID}
	p.mu.Lock()
	m, before := p.machines[instanceID], p.builds[key]
	gone := p.closed || m == nil
	if !gone {
		p.builds[key] = built
	}
	p.mu.Unlock()
	if gone {
		return built.Commit, errors.Join(errGone(instanceID), built.Discard())
	}
	err = p.note(m)
	if before != nil {
		err = errors.Join(err, before.Discard())
	}
	return built.Commit, err
}

// Deploy replaces the running version of an app by a build. If the build runs already,
// Deploy only reports the app's status again.
func (p *Plane) Deploy(ctx context.Context, instanceID, name, buildID string) (err error) {
	defer rescue.Error(p.log, "deploy an app", &err)
	m, wanted, leave, err := p.enterWanted(ctx, instanceID)
	if err != nil {
		return err
	}
	defer leave()
	key := buildKey{m.id, name, buildID}
	p.mu.Lock()
	built := p.builds[key]
	p.mu.Unlock()
	running, a := p.apps.Find(appruntime.Name{Instance: m.id, App: name}), wanted.App(name)
	switch {
	case built == nil && a != nil && runs(running, buildID):
		running.Tell()
		return nil
	case built == nil:
		return &core.Failure{Code: "build_missing", Detail: "the build is not there any more"}
	}
	var old *appruntime.Build
	if a == nil {
		err = errors.Join(&core.Failure{Code: "app_gone", Detail: "the app is not there any more"}, built.Discard())
	} else {
		old, err = p.run(m, built, specOf(m, wanted, *a), name)
	}
	p.mu.Lock()
	if p.builds[key] == built {
		delete(p.builds, key)
	}
	p.mu.Unlock()
	// Everything in the record must exist until it is replaced in the record.
	err = errors.Join(err, p.note(m))
	if old != nil {
		err = errors.Join(err, old.Discard())
	}
	return err
}

// runs reports whether a build is the app's version.
func runs(a *appruntime.App, buildID string) bool {
	return a != nil && a.Build() != nil && a.Build().ID == buildID
}

// run deploys a build and returns the build that ran before. The caller must hold the
// turn.
func (p *Plane) run(m *machine, built *appruntime.Build, spec appruntime.Spec, name string) (*appruntime.Build, error) {
	a, err := p.apps.App(appruntime.Name{Instance: m.id, App: name})
	if err != nil {
		return nil, errors.Join(err, built.Discard())
	}
	return a.Deploy(built, spec)
}

// specOf returns the desired state of an app.
func specOf(m *machine, wanted core.DesiredMachine, a core.App) appruntime.Spec {
	spec := appruntime.Spec{Port: a.Port, HealthPath: a.HealthPath, Public: a.Public, Env: a.Env, Disk: int64(wanted.Limits.DiskGB) << 30}
	if m.postgres() != nil {
		spec.Database, spec.CA = databaseURL(m, wanted).String(), wanted.CA.Certificate
	}
	return spec
}

// RestartApp restarts an app and waits until it answers or has failed.
func (p *Plane) RestartApp(ctx context.Context, instanceID, name string) (err error) {
	defer rescue.Error(p.log, "restart an app", &err)
	m, wanted, leave, err := p.enterWanted(ctx, instanceID)
	if err != nil {
		return err
	}
	defer leave()
	running, a := p.apps.Find(appruntime.Name{Instance: m.id, App: name}), wanted.App(name)
	if running == nil || a == nil {
		return nil
	}
	return errors.Join(restart(ctx, running, specOf(m, wanted, *a)), p.note(m))
}

func restart(ctx context.Context, running *appruntime.App, spec appruntime.Spec) error {
	if !running.Deployed() {
		return nil
	}
	if err := running.Restart(spec); err != nil {
		return err
	}
	_, err := running.Settled(ctx)
	return err
}

// RemoveApp removes an app with its data and its builds.
func (p *Plane) RemoveApp(ctx context.Context, instanceID, name string) (err error) {
	defer rescue.Error(p.log, "remove an app", &err)
	m, leave, err := p.enterByID(ctx, instanceID)
	if err != nil {
		return err
	}
	defer leave()
	return p.removeApp(m, name)
}

func (p *Plane) removeApp(m *machine, name string) error {
	var builds []*appruntime.Build
	p.mu.Lock()
	for key, built := range p.builds {
		if key.instance == m.id && key.app == name {
			builds = append(builds, built)
			delete(p.builds, key)
		}
	}
	p.mu.Unlock()
	// The app is removed from the record before it is deleted.
	err := p.apps.Remove(appruntime.Name{Instance: m.id, App: name}, func() error { return p.note(m) })
	if len(builds) > 0 {
		err = errors.Join(err, p.note(m))
	}
	for _, built := range builds {
		err = errors.Join(err, built.Discard())
	}
	return err
}

// removeApps removes every app of the machine. The caller must hold the turn.
func (p *Plane) removeApps(m *machine) error {
	p.mu.Lock()
	names := map[string]bool{}
	for key := range p.builds {
		if key.instance == m.id {
			names[key.app] = true
		}
	}
	p.mu.Unlock()
	for _, name := range p.apps.Apps(m.id) {
		names[name.App] = true
	}
	var errs []error
	for name := range names {
		errs = append(errs, p.removeApp(m, name))
	}
	return errors.Join(errs...)
}

// applyApps removes apps that are no longer wanted, and restarts those whose settings
// have changed, such as a password. The caller must hold the turn.
func (p *Plane) applyApps(_ context.Context, m *machine, wanted core.DesiredMachine) error {
	if !wanted.HasEngine(core.EngineApps) {
		return p.removeApps(m)
	}
	return p.eachApp(m, wanted, func(running *appruntime.App, a core.App) error {
		return running.Configure(specOf(m, wanted, a))
	})
}

func (p *Plane) restartApps(ctx context.Context, m *machine, wanted core.DesiredMachine) error {
	return p.eachApp(m, wanted, func(running *appruntime.App, a core.App) error {
		return restart(ctx, running, specOf(m, wanted, a))
	})
}

// eachApp calls do for each deployed app that is wanted.
func (p *Plane) eachApp(m *machine, wanted core.DesiredMachine, do func(*appruntime.App, core.App) error) error {
	var errs []error
	for _, name := range p.apps.Apps(m.id) {
		at := slices.IndexFunc(wanted.Apps, func(a core.App) bool { return a.Name == name.App })
		running := p.apps.Find(name)
		if at < 0 || running == nil || !running.Deployed() {
			continue
		}
		errs = append(errs, do(running, wanted.Apps[at]))
	}
	return errors.Join(errs...)
}

// resetApps empties the data folder of each app.
func (p *Plane) resetApps(_ context.Context, m *machine, wanted core.DesiredMachine) error {
	return p.eachApp(m, wanted, func(running *appruntime.App, _ core.App) error { return running.EraseData() })
}

// saveApps copies the data of each app to a folder.
func (p *Plane) saveApps(ctx context.Context, m *machine, folder string) (int64, error) {
	var size int64
	for _, name := range p.apps.Apps(m.id) {
		running := p.apps.Find(name)
		if running == nil {
			continue
		}
		to := filepath.Join(folder, name.App)
		if err := os.MkdirAll(to, 0o700); err != nil {
			return size, err
		}
		copied, err := running.SaveData(ctx, to)
		if size += copied; err != nil {
			return size, err
		}
	}
	return size, nil
}

// restoreApps restores the data of each existing app that the backup contains.
func (p *Plane) restoreApps(ctx context.Context, m *machine, folder string) error {
	var errs []error
	for _, name := range p.apps.Apps(m.id) {
		running := p.apps.Find(name)
		saved := filepath.Join(folder, name.App)
		if _, err := os.Stat(saved); errors.Is(err, fs.ErrNotExist) || running == nil {
			continue
		}
		errs = append(errs, running.RestoreData(ctx, saved))
	}
	return errors.Join(errs...)
}

// appURLs returns the addresses of a machine's public apps.
func (p *Plane) appURLs(instanceID string) map[string]string {
	urls := map[string]string{}
	for _, name := range p.apps.Apps(instanceID) {
		if running := p.apps.Find(name); running != nil && running.URL() != "" {
			urls[name.App] = running.URL()
		}
	}
	return urls
}

// appChanged passes the new status of an app to the control plane.
func (p *Plane) appChanged(name appruntime.Name, status appruntime.Status, why *appruntime.Failure) {
	defer rescue.Log(p.log, "tell how an app does")
	switch status {
	case appruntime.Running:
		p.controlPlane.AppRuns(name.Instance, name.App)
	case appruntime.Failed:
		p.controlPlane.AppFailed(name.Instance, name.App, core.AppFailure(*why))
	}
}

// AppLog returns the end of an app's output.
func (p *Plane) AppLog(instanceID, name string) string {
	if running := p.apps.Find(appruntime.Name{Instance: instanceID, App: name}); running != nil {
		return running.Log()
	}
	return ""
}

// Processes returns the processes of a machine.
func (p *Plane) Processes(instanceID string) []core.Process {
	p.mu.Lock()
	m := p.machines[instanceID]
	p.mu.Unlock()
	if m == nil {
		return nil
	}
	var all []core.Process
	p.mu.Lock()
	engines := m.engines()
	p.mu.Unlock()
	for _, e := range engines {
		// NATS has no process.
		server, ok := e.engine.(interface{ PID() int })
		if !ok {
			continue
		}
		if pid := server.PID(); pid != 0 {
			all = append(all, core.Process{InstanceID: instanceID, Engine: e.name, PID: pid})
		}
	}
	for _, name := range p.apps.Apps(instanceID) {
		if running := p.apps.Find(name); running != nil && running.PID() != 0 {
			all = append(all, core.Process{InstanceID: instanceID, Engine: core.EngineApps, App: name.App, PID: running.PID()})
		}
	}
	return all
}
