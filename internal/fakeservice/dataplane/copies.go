package dataplane

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/appruntime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/rescue"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/workdir"
)

// A copy of a machine is a folder like a backup. In addition to the data it has the
// backups, the builds of the apps, and a file with metadata.
const (
	copyFile    = "machine.json"
	copyBackups = "backups"
	copyBuilds  = "builds"
)

// copied is the content of the file with metadata.
type copied struct {
	// Auth reports whether Postgres contains the accounts of an auth engine.
	Auth bool `json:"auth"`
	// Engines has the engines with data in the copy, sorted.
	Engines []string `json:"engines,omitempty"`
	// Builds has the deployed builds, by the app's name.
	Builds map[string]appruntime.KeptBuild `json:"builds"`
}

// Save copies the machine to a folder.
func (p *Plane) Save(ctx context.Context, instanceID, folder string) (err error) {
	defer rescue.Error(p.log, "save a machine", &err)
	ctx, cancel := p.during(ctx)
	defer cancel()
	m, leave, err := p.enterByID(ctx, instanceID)
	if err != nil {
		return err
	}
	defer leave()
	next := folder + halfMade
	if err := errors.Join(workdir.Discard(next), os.MkdirAll(next, 0o700)); err != nil {
		return err
	}
	err = p.save(ctx, m, next)
	if err == nil {
		err = errors.Join(workdir.Discard(folder), os.Rename(next, folder))
	}
	if err != nil {
		return errors.Join(failure(err), workdir.Discard(next))
	}
	return nil
}

func (p *Plane) save(ctx context.Context, m *machine, folder string) error {
	if _, err := p.copyOut(ctx, m, folder); err != nil {
		return err
	}
	if err := copyFolder(ctx, p.backupsOf(m.id), filepath.Join(folder, copyBackups)); err != nil {
		return err
	}
	is := copied{Auth: m.authPort != 0, Engines: slices.Sorted(maps.Keys(m.data)), Builds: map[string]appruntime.KeptBuild{}}
	for _, name := range p.apps.Apps(m.id) {
		running := p.apps.Find(name)
		if running == nil || !running.Deployed() {
			continue
		}
		to := filepath.Join(folder, copyBuilds, name.App)
		if err := os.MkdirAll(to, 0o700); err != nil {
			return err
		}
		build, err := running.Build().Save(ctx, to)
		if err != nil {
			return err
		}
		is.Builds[name.App] = build
	}
	text, err := json.Marshal(is)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, copyFile), text, 0o600)
}

// Load makes a machine from a copy.
func (p *Plane) Load(ctx context.Context, instanceID, folder string) (err error) {
	defer rescue.Error(p.log, "load a machine", &err)
	ctx, cancel := p.during(ctx)
	defer cancel()
	is, err := p.readCopy(folder)
	if err != nil {
		return err
	}
	if err := p.addMachine(ctx, instanceID); err != nil {
		return err
	}
	m, wanted, leave, err := p.enterWanted(ctx, instanceID)
	if err != nil {
		return err
	}
	defer leave()
	if err := p.removeAll(m); err != nil {
		return err
	}
	if err := copyFolder(ctx, filepath.Join(folder, copyBackups), p.backupsOf(m.id)); err != nil {
		return err
	}
	if err := p.loadPostgres(ctx, m, is, filepath.Join(folder, core.EnginePostgres)); err != nil {
		return err
	}
	if err := p.apply(ctx, m, wanted); err != nil {
		return err
	}
	for _, e := range m.engines() {
		if e.name == core.EnginePostgres {
			continue // it started with the loaded data
		}
		if _, err := e.restoreFrom(ctx, folder); err != nil {
			return err
		}
	}
	for name, build := range is.Builds {
		if a := wanted.App(name); a != nil && wanted.HasEngine(core.EngineApps) {
			err = errors.Join(err, p.loadApp(ctx, m, build, specOf(m, wanted, *a), name, folder))
		}
	}
	return errors.Join(err, p.note(m))
}

// CheckSaved checks the file with metadata of a copy, that the data and the builds in it are
// there, and that PostgreSQL can read its data.
func (p *Plane) CheckSaved(folder string) error {
	_, err := p.readCopy(folder)
	return err
}

func (p *Plane) readCopy(folder string) (copied, error) {
	var is copied
	text, err := os.ReadFile(filepath.Join(folder, copyFile))
	if errors.Is(err, fs.ErrNotExist) {
		return is, &core.Failure{Code: "copy_missing", Detail: "there is no copy of a machine"}
	}
	if err == nil {
		err = core.Decode(text, &is)
	}
	if err == nil {
		err = is.check(folder)
	}
	if err == nil {
		err = p.canRun(is.Engines)
	}
	if data := filepath.Join(folder, core.EnginePostgres); err == nil && isThere(data) {
		err = p.postgres.CheckData(data)
	}
	if err != nil {
		return is, fmt.Errorf("read the copy of a machine: %w", err)
	}
	return is, nil
}

// canRun returns an error if this machine lacks the program of an engine, whose data would
// be left out.
func (p *Plane) canRun(engines []string) error {
	for _, engine := range engines {
		if engine == core.EngineRedis && p.redis.Path == "" || engine == core.EngineCouchDB && p.couchdb.Node == "" {
			return fmt.Errorf("engines: the copy has data of %s, which this fake service cannot run; the lines that it prints at its start say what to install", engine)
		}
	}
	return nil
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func (c copied) check(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := entry.Name()
		if _, data := dataFolders[name]; !data && !slices.Contains([]string{copyFile, copyBackups, copyBuilds, core.EngineApps}, name) {
			return fmt.Errorf("%q is not part of the copy of a machine", name)
		}
	}
	for _, engine := range c.Engines {
		if _, is := dataFolders[engine]; !is || !isThere(filepath.Join(folder, engine)) {
			return fmt.Errorf("engines: there is no data of %q", engine)
		}
	}
	for name, build := range c.Builds {
		err := errors.Join(core.CheckIdentifier(name), build.Check())
		if err == nil {
			_, err = os.ReadDir(filepath.Join(folder, copyBuilds, name))
		}
		if err != nil {
			return fmt.Errorf("builds.%s: %w", name, err)
		}
	}
	return nil
}

// loadPostgres puts the copy's data into the folder with which the machine's Postgres
// starts.
func (p *Plane) loadPostgres(ctx context.Context, m *machine, is copied, folder string) error {
	if !isThere(folder) {
		return nil
	}
	if is.Auth {
		// If the auth engine is not wanted, its accounts must be deleted.
		p.mu.Lock()
		m.authPort = authPort
		p.mu.Unlock()
	}
	return p.postgres.Load(ctx, m.id, folder)
}

// loadApp runs an app with the data and the build of a copy.
func (p *Plane) loadApp(ctx context.Context, m *machine, build appruntime.KeptBuild, spec appruntime.Spec, name, folder string) error {
	built, err := p.apps.LoadBuild(ctx, build, filepath.Join(folder, copyBuilds, name))
	if err != nil {
		return err
	}
	a, err := p.apps.App(appruntime.Name{Instance: m.id, App: name})
	if err == nil {
		err = a.RestoreData(ctx, filepath.Join(folder, core.EngineApps, name))
	}
	if err != nil {
		return errors.Join(err, built.Discard())
	}
	_, err = a.Deploy(built, spec) // nothing ran before
	return err
}

// copyFolder copies a folder, if it exists.
func copyFolder(ctx context.Context, from, to string) error {
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	_, err := appruntime.CopyData(ctx, from, to)
	return err
}
