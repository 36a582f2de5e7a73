package dataplane_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/dataplane"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/postgres"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A saved machine can be loaded under a new id, in the same plane and in a different one.
// It has the rows, files, accounts, backups and the running app. It can also be loaded
// under its own id.
func TestSaveAndLoad(t *testing.T) {
	t.Parallel()
	folder := keptFolder(t)
	r := newRecords(t)
	p := r.open(folder)
	all := []string{core.EnginePostgres, core.EngineAuth, core.EngineApps}
	r.machine("i-1", all...)
	must.Do(t, p.Apply(t.Context(), "i-1"))
	r.deploy(p, "i-1", "web", "b-1")
	at := p.Endpoints("i-1")
	r.exec(p, "i-1", "CREATE TABLE saved (n INT)")
	keep(t, at.AppURLs["web"], "a note")
	user := signUp(t, at.AuthURL, "anon")
	must.Get(p.Backup(t.Context(), "i-1", "bak-1"))(t)
	saved := filepath.Join(t.TempDir(), "saved")
	must.Do(t, os.Mkdir(saved+".next", 0o700)) // left by a killed program
	for range 2 {
		must.Do(t, p.Save(t.Context(), "i-1", saved))
	}
	r.exec(p, "i-1", "DROP TABLE saved")
	keep(t, at.AppURLs["web"], "another")
	must.Do(t, p.DropBackup(t.Context(), "i-1", "bak-1"))

	apps, _ := r.DesiredMachine("i-1")
	fork := func(id string, engines ...string) {
		r.machine(id, engines...)
		r.rotate(id)
		r.change(id, func(m *core.DesiredMachine) { m.Apps = apps.Apps })
	}
	check := func(p *dataplane.Plane, id string) {
		t.Helper()
		r.exec(p, id, "SELECT * FROM saved")
		r.awaitRun(id, "web")
		is := p.Endpoints(id)
		if text := kept(t, is.AppURLs["web"]); text != "a note" {
			t.Errorf("the note of the app of %s: got %q, want a note", id, text)
		}
		if !strings.Contains(variable(t, is.AppURLs["web"], "DATABASE_URL"), is.Host) {
			t.Errorf("DATABASE_URL of the app of %s: got another host, want %s", id, is.Host)
		}
		signIn(t, is.AuthURL, "anon", user)
		must.Do(t, p.Restore(t.Context(), id, "bak-1"))
		r.exec(p, id, "SELECT * FROM saved")
	}
	fork("i-2", all...)
	must.Do(t, p.Load(t.Context(), "i-2", saved))
	check(p, "i-2")
	if one, other := p.Endpoints("i-1"), p.Endpoints("i-2"); one.Host == other.Host || one.AppURLs["web"] == other.AppURLs["web"] {
		t.Errorf("the endpoints of the fork: got %+v, want others than %+v", other, one)
	}
	r.forgetNews()
	for range 2 {
		must.Do(t, p.Load(t.Context(), "i-1", saved))
	}
	check(p, "i-1")
	if is := p.Endpoints("i-1"); is.Host != at.Host || is.PostgresDirectPort != at.PostgresDirectPort {
		t.Errorf("the endpoints: got %+v, want the host and port of %+v", is, at)
	}
	if err := p.Load(t.Context(), "i-1", filepath.Join(saved, "nothing")); err == nil || !strings.Contains(err.Error(), "copy_missing") {
		t.Errorf("Load of a missing folder: got error %v, want copy_missing", err)
	}
	r.exec(p, "i-1", "SELECT * FROM saved")

	// A different plane without Keep, and an instance without an auth engine.
	binaries := must.Get(postgres.Locate(t.Context(), ""))(t)
	other := must.Get(dataplane.New(dataplane.Options{Postgres: binaries, StateFolder: stateFolder(t), AppsFolder: os.TempDir(),
		Environment: os.Environ(), Go: fakeservicetest.GoCaches(t)}))(t)
	t.Cleanup(func() { must.Do(t, other.Close()) })
	other.Attach(r)
	fork("i-3", core.EnginePostgres, core.EngineApps)
	must.Do(t, other.Load(t.Context(), "i-3", saved))
	r.exec(other, "i-3", "SELECT * FROM saved")
	r.awaitRun("i-3", "web")
	m, _ := r.DesiredMachine("i-3")
	if _, err := other.Query(t.Context(), core.Query{Instance: m.Instance, Database: postgres.DefaultDatabase, Mode: "rw", SQL: "SELECT * FROM auth.users"}); err == nil {
		t.Error("the accounts of an engine that is off: got no error, want one")
	}
	// A loaded machine is resumed like any other.
	must.Do(t, p.Close())
	p = r.open(folder)
	must.Do(t, p.Resume(t.Context(), []string{"i-1", "i-2"}))
	check(p, "i-2")
}

// A copy with data of an engine that this machine cannot run is refused, because that data
// would be left out.
func TestCopyOfAnEngineThatCannotRun(t *testing.T) {
	t.Parallel()
	binaries := must.Get(postgres.Locate(t.Context(), ""))(t)
	p := must.Get(dataplane.New(dataplane.Options{Postgres: binaries, StateFolder: diskFolder(t), Environment: os.Environ()}))(t)
	t.Cleanup(func() { must.Do(t, p.Close()) })
	for _, engine := range []string{core.EngineRedis, core.EngineCouchDB} {
		folder := t.TempDir()
		write(t, filepath.Join(folder, engine, "file"), "")
		write(t, filepath.Join(folder, "machine.json"), `{"engines": ["`+engine+`"]}`)
		if err := p.CheckSaved(folder); err == nil || !strings.Contains(err.Error(), "data of "+engine) {
			t.Errorf("%s: got %v, want an error about its data", engine, err)
		}
	}
}
