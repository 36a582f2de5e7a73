package dataplane_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/dataplane"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/processes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/workdir"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A plane that is closed and opened again resumes everything at the same addresses.
func TestResume(t *testing.T) {
	t.Parallel()
	folder := keptFolder(t)
	r := newRecords(t)
	p := r.open(folder)
	if _, err := newPlane(t, folder); !errors.Is(err, workdir.ErrInUse) {
		t.Errorf("a second plane in the folder: got error %v, want %v", err, workdir.ErrInUse)
	}
	r.machine("i-1", core.EnginePostgres, core.EngineAuth, core.EngineApps)
	r.machine("i-2", core.EnginePostgres)
	r.machine("i-3")
	for id := range r.machines {
		must.Do(t, p.Apply(t.Context(), id))
	}
	r.deploy(p, "i-1", "web", "b-1")
	r.build(p, "i-1", "web", "b-2") // the build has ended, and is not deployed yet
	before := map[string]core.Endpoints{}
	for id := range r.machines {
		before[id] = p.Endpoints(id)
	}
	r.exec(p, "i-1", "CREATE TABLE kept (n INT)")
	r.exec(p, "i-2", "CREATE TABLE kept (n INT)")
	url := before["i-1"].AppURLs["web"]
	keep(t, url, "a note")
	user := signUp(t, before["i-1"].AuthURL, r.credentials("i-1").AuthAnonKey)
	must.Get(p.Backup(t.Context(), "i-1", "bak-1"))(t)
	must.Do(t, p.Close())
	if left := processes.With(t, folder); len(left) != 0 {
		t.Errorf("processes after Close: got %v, want none", left)
	}

	// While nothing ran, i-2 was deleted, the passwords of i-1 were changed, and i-4 was
	// added.
	r.remove("i-2")
	r.rotate("i-1")
	r.machine("i-4", core.EnginePostgres)
	p = r.open(folder)
	must.Do(t, p.Resume(t.Context(), []string{"i-1", "i-3", "i-4"}))
	for _, id := range []string{"i-1", "i-3"} {
		if is, was := p.Endpoints(id), before[id]; !equalEndpoints(is, was) {
			t.Errorf("the endpoints of %s: got %+v, want %+v", id, is, was)
		}
	}
	for _, id := range []string{"i-2", "i-4"} {
		if at := p.Endpoints(id); at.Host != "" {
			t.Errorf("the endpoints of %s: got %+v, want none", id, at)
		}
	}
	r.exec(p, "i-1", "SELECT * FROM kept")
	signIn(t, before["i-1"].AuthURL, r.credentials("i-1").AuthAnonKey, user)
	r.awaitRun("i-1", "web")
	if text := kept(t, url); text != "a note" {
		t.Errorf("the note of the app: got %q, want a note", text)
	}
	if !strings.Contains(variable(t, url, "DATABASE_URL"), r.credentials("i-1").PostgresOwner) {
		t.Error("the app has an old password")
	}
	if found, err := filepath.Glob(filepath.Join(folder, "*", "*i-2*")); err != nil || len(found) != 0 {
		t.Errorf("files of a deleted instance: got %v and error %v, want none", found, err)
	}
	must.Do(t, p.Restore(t.Context(), "i-1", "bak-1"))
	r.exec(p, "i-1", "SELECT * FROM kept")
	must.Do(t, p.Deploy(t.Context(), "i-1", "web", "b-2"))
	r.awaitRun("i-1", "web")
	must.Do(t, p.Apply(t.Context(), "i-4"))
	for _, id := range []string{"i-1", "i-3", "i-4"} {
		must.Do(t, p.Remove(t.Context(), id))
	}
	if found := left(t, filepath.Join(folder, "apps")); len(found) != 0 {
		t.Errorf("files of apps: got %v, want none", found)
	}
	for _, part := range []string{"machines", "backups"} {
		if found := left(t, filepath.Join(folder, part)); len(found) != 0 {
			t.Errorf("files in %s: got %v, want none", part, found)
		}
	}
}

// A machine that cannot run does not keep the others from running. It runs again as soon
// as it can.
func TestResumeOfABrokenMachine(t *testing.T) {
	tier.Night.Only(t)
	t.Parallel()
	folder := keptFolder(t)
	r := newRecords(t)
	p := r.open(folder)
	r.machine("i-1", core.EnginePostgres, core.EngineApps)
	r.machine("i-2", core.EnginePostgres)
	must.Do(t, p.Apply(t.Context(), "i-1"))
	must.Do(t, p.Apply(t.Context(), "i-2"))
	r.deploy(p, "i-1", "web", "b-1")
	r.exec(p, "i-1", "CREATE TABLE kept (n INT)")
	must.Do(t, p.Close())
	control := filepath.Join(folder, "pg", "i-1", "data", "global", "pg_control")
	must.Do(t, os.Rename(control, control+".away"))

	p = r.open(folder)
	if err := p.Resume(t.Context(), []string{"i-1", "i-2"}); err == nil || !strings.Contains(err.Error(), "i-1") || strings.Contains(err.Error(), "i-2") {
		t.Errorf("Resume: got error %v, want one of i-1 and not of i-2", err)
	}
	r.exec(p, "i-2", "SELECT 1")
	if found, err := p.Verify(t.Context(), "i-1"); err != nil || !slices.ContainsFunc(found, func(f core.Finding) bool { return f.Engine == core.EnginePostgres }) {
		t.Errorf("Verify: got %v and error %v, want a finding of postgres", found, err)
	}
	if !r.failed("i-1", "web") {
		t.Error("the app that does not run was not reported as failed")
	}
	must.Do(t, os.Rename(control+".away", control))
	must.Do(t, p.Apply(t.Context(), "i-1"))
	r.exec(p, "i-1", "SELECT * FROM kept")
	r.awaitRun("i-1", "web")
}

// Calls can be repeated after the end of a program interrupted them.
func TestRepeatedCalls(t *testing.T) {
	tier.Night.Only(t)
	t.Parallel()
	folder := keptFolder(t)
	r := newRecords(t)
	p := r.open(folder)
	r.machine("i-1", core.EnginePostgres, core.EngineAuth, core.EngineApps)
	must.Do(t, p.Apply(t.Context(), "i-1"))
	r.build(p, "i-1", "web", "b-1")
	r.build(p, "i-1", "web", "b-1")
	for range 2 {
		must.Do(t, p.Deploy(t.Context(), "i-1", "web", "b-1"))
		r.awaitRun("i-1", "web")
		r.forgetNews()
	}
	keep(t, p.Endpoints("i-1").AppURLs["web"], "a note")
	r.exec(p, "i-1", "CREATE TABLE kept (n INT)")
	// A completed backup is not changed by a repeated call.
	half := filepath.Join(folder, "backups", "i-1", "bak-1.next", "postgres")
	must.Do(t, os.MkdirAll(half, 0o700))
	first := must.Get(p.Backup(t.Context(), "i-1", "bak-1"))(t)
	r.exec(p, "i-1", "DROP TABLE kept")
	second := must.Get(p.Backup(t.Context(), "i-1", "bak-1"))(t)
	if first != second || first == 0 {
		t.Errorf("the sizes of the backup: got %d and then %d, want the same twice", first, second)
	}
	for range 2 {
		must.Do(t, p.Restore(t.Context(), "i-1", "bak-1"))
		r.exec(p, "i-1", "SELECT * FROM kept")
	}
	calls := map[string]func(p *dataplane.Plane) error{
		"restart":        func(p *dataplane.Plane) error { return p.Restart(t.Context(), "i-1", core.EnginePostgres) },
		"reset":          func(p *dataplane.Plane) error { return p.Reset(t.Context(), "i-1", "") },
		"restart an app": func(p *dataplane.Plane) error { return p.RestartApp(t.Context(), "i-1", "web") },
		"drop a backup":  func(p *dataplane.Plane) error { return p.DropBackup(t.Context(), "i-1", "bak-1") },
	}
	for name, call := range calls {
		for range 2 {
			if err := call(p); err != nil {
				t.Errorf("%s: %s", name, err)
			}
		}
	}
	// An auth engine that is turned off while nothing runs leaves no accounts.
	user := signUp(t, p.Endpoints("i-1").AuthURL, r.credentials("i-1").AuthAnonKey)
	must.Do(t, p.Close())
	r.machine("i-1", core.EnginePostgres, core.EngineApps)
	p = r.open(folder)
	must.Do(t, p.Resume(t.Context(), []string{"i-1"}))
	r.machine("i-1", core.EnginePostgres, core.EngineAuth, core.EngineApps)
	must.Do(t, p.Apply(t.Context(), "i-1"))
	if signsIn(t, p.Endpoints("i-1").AuthURL, r.credentials("i-1").AuthAnonKey, user) {
		t.Error("an account has outlived its engine")
	}
	for range 2 {
		must.Do(t, p.RemoveApp(t.Context(), "i-1", "web"))
	}
	r.dropApps("i-1")
	for range 2 {
		must.Do(t, p.Remove(t.Context(), "i-1"))
	}
}

// A folder that cannot be used stays unchanged, and can be used once it is repaired.
func TestKeptFolderThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	folder := keptFolder(t)
	r := newRecords(t)
	p := r.open(folder)
	r.machine("i-1", core.EnginePostgres)
	must.Do(t, p.Apply(t.Context(), "i-1"))
	r.exec(p, "i-1", "CREATE TABLE kept (n INT)")
	must.Do(t, p.Close())
	record := filepath.Join(folder, "machines", "i-1.json")
	text := must.Get(os.ReadFile(record))(t)
	must.Do(t, os.WriteFile(record, []byte("{"), 0o600))
	if _, err := newPlane(t, folder); err == nil || !strings.Contains(err.Error(), record) {
		t.Errorf("New: got error %v, want one with %s", err, record)
	}
	must.Do(t, os.WriteFile(record, text, 0o600))
	p = r.open(folder)
	must.Do(t, p.Resume(t.Context(), []string{"i-1"}))
	r.exec(p, "i-1", "SELECT * FROM kept")
}
