package dataplane_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/dataplane"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/processes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// left lists the names in a folder.
func left(t *testing.T, folder string) []string {
	t.Helper()
	entries := must.Get(os.ReadDir(folder))(t)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// stateFolder returns a folder for a plane on the fastest file system. diskFolder returns
// one on the disk, for large files and for programs.
func stateFolder(t *testing.T) string {
	t.Helper()
	return machine.PassableFolder(t, fakeservicetest.FastFolder())
}

func diskFolder(t *testing.T) string {
	t.Helper()
	return machine.PassableFolder(t, "")
}

func inFolder(folder string) func(*dataplane.Options) {
	return func(o *dataplane.Options) { o.StateFolder = folder }
}

func TestDeletedInstanceLeavesNothing(t *testing.T) {
	t.Parallel()
	folder := stateFolder(t)
	f := start(t, inFolder(folder))
	b := f.box()
	b.owner()
	b.done("DELETE", b.path+"?confirm="+b.id, nil)
	if n := len(processes.With(t, folder)); n != 0 {
		t.Errorf("programs after the deletion: got %d, want none", n)
	}
	found, err := filepath.Glob(filepath.Join(folder, "*", "*", b.id))
	if err != nil || len(found) != 0 {
		t.Errorf("files after the deletion: got %v and error %v, want none", found, err)
	}
}

// postmaster returns the process id of the only server in a folder, or 0 if none runs.
func postmaster(t *testing.T, folder string) int {
	t.Helper()
	id := 0
	for _, p := range processes.With(t, folder) {
		program, _, _ := strings.Cut(p.Arguments, " ")
		// A new child of the server has its arguments for a moment, and a higher id.
		if filepath.Base(program) == "postgres" && (id == 0 || p.ID < id) {
			id = p.ID
		}
	}
	return id
}

func TestKilledPostgresComesBack(t *testing.T) {
	t.Parallel()
	folder := stateFolder(t)
	b := start(t, inFolder(folder)).box()
	link := b.connection().Engines.Postgres.Owner
	b.exec(b.owner(), "CREATE TABLE t (n INT)", "INSERT INTO t VALUES (1)")
	for kill := range 2 {
		id := postmaster(t, folder)
		server, err := os.FindProcess(id)
		if err != nil || id == 0 {
			t.Fatalf("the server's process: got %d and error %v, want one", id, err)
		}
		must.Do(t, server.Kill())
		machine.Until(t, "another server", func() bool { now := postmaster(t, folder); return now != 0 && now != id })
		var conn *pgx.Conn
		machine.Until(t, "a connection", func() bool { conn, err = b.dial(link); return err == nil })
		b.exec(conn, "INSERT INTO t VALUES (2)")
		if n := b.count(conn, "SELECT count(*) FROM t"); n != kill+2 {
			t.Errorf("rows after kill %d: got %d, want %d", kill, n, kill+2)
		}
	}
	b.done("PUT", b.path+"/sql-console", object{"mode": "rw"})
	b.query("SELECT * FROM t", http.StatusOK)
}

func TestKilledPgBouncerComesBack(t *testing.T) {
	t.Parallel()
	folder := stateFolder(t)
	b := start(t, inFolder(folder)).box()
	record := b.connection().Engines.Postgres
	if record.Pooled == 0 {
		without(t, "PgBouncer") // see TestWithoutPgBouncer
		return
	}
	pooled := withPort(t, record.Owner, record.Pooled)
	must.Do(t, pgBouncer(t, folder).Kill())
	machine.Until(t, "a pooled connection", func() bool { _, err := b.dial(pooled); return err == nil })
}

// pgBouncer returns the process of the only PgBouncer in a folder.
func pgBouncer(t *testing.T, folder string) *os.Process {
	t.Helper()
	running := slices.DeleteFunc(processes.With(t, folder), func(p processes.Process) bool {
		return !strings.HasSuffix(p.Arguments, "pgbouncer.ini") || strings.Contains(p.Arguments, "bwrap")
	})
	if len(running) != 1 {
		t.Fatalf("PgBouncers: got %v, want one", running)
	}
	return must.Get(os.FindProcess(running[0].ID))(t)
}

func TestEngineOffAndOn(t *testing.T) {
	t.Parallel()
	folder := stateFolder(t)
	b := start(t, inFolder(folder)).box()
	before := b.connection()
	b.exec(b.owner(), "CREATE TABLE t (n INT)")
	b.done("PUT", b.path+"/engines", object{"engines": object{}})
	if n := len(processes.With(t, folder)); n != 0 {
		t.Errorf("programs without the engine: got %d, want none", n)
	}
	b.done("PUT", b.path+"/engines", object{"engines": object{"postgres": object{}}})
	after := b.connection()
	if after.Host != before.Host {
		t.Errorf("the host: got %s, want %s", after.Host, before.Host)
	}
	if _, err := b.dial(before.Engines.Postgres.Owner); err == nil {
		t.Error("the URL of a removed engine: got no error, want one")
	}
	if n := b.count(b.owner(), "SELECT count(*) FROM pg_class WHERE relname = 't'"); n != 0 {
		t.Errorf("tables of the engine that was turned off: got %d, want none", n)
	}
}

func TestInstancesDoNotSeeEachOther(t *testing.T) {
	t.Parallel()
	f := start(t)
	one, other := f.box(), f.box()
	one.exec(one.owner(), "CREATE TABLE mine (n INT)")
	if n := other.count(other.owner(), "SELECT count(*) FROM pg_class WHERE relname = 'mine'"); n != 0 {
		t.Errorf("tables of one instance in the other: got %d, want none", n)
	}
	if one.connection().Host == other.connection().Host {
		t.Errorf("the hosts of both instances: got %s twice, want two", one.connection().Host)
	}
	// The password of one instance does not work for the other.
	here := must.Get(pgx.ParseConfig(one.connection().Engines.Postgres.Owner))(t)
	if _, err := other.dial(other.connection().Engines.Postgres.Owner, func(c *pgx.ConnConfig) { c.Password = here.Password }); sqlState(err) != "28P01" {
		t.Errorf("the password of one instance at the other: got error %v, want SQL state 28P01", err)
	}
	// A change of one instance does not affect sessions of the other.
	held := other.owner()
	one.done("POST", one.path+"/engines/postgres/actions/restart", object{})
	other.exec(held, "SELECT 1")
}

// An instance that a test adds or removes without a job has a real machine too.
func TestAddedAndRemovedInstance(t *testing.T) {
	t.Parallel()
	folder := stateFolder(t)
	f := start(t, inFolder(folder))
	record := f.AddInstance(fakeservice.Instance{Engines: map[string]*fakeservice.Engine{"postgres": {}}})
	if record.Status != fakeservice.StatusRunning {
		t.Fatalf("the instance: got %s, want %s", record.Status, fakeservice.StatusRunning)
	}
	b := &box{f, record.ID, "/instances/" + record.ID}
	b.exec(b.owner(), "SELECT 1")
	if !f.RemoveInstance(b.id) {
		t.Error("RemoveInstance: got false, want true")
	}
	if n := len(processes.With(t, folder)); n != 0 {
		t.Errorf("programs after the removal: got %d, want none", n)
	}
	again := f.AddInstance(fakeservice.Instance{Engines: map[string]*fakeservice.Engine{"postgres": {}}})
	f.Reset()
	if n := len(processes.With(t, folder)); n != 0 || again.Host == "" {
		t.Errorf("after the reset: got %d programs and the former host %q, want no programs and a host", n, again.Host)
	}
}

// New returns an error for a folder that the unprivileged user cannot enter.
func TestFolderThatNobodyElseCanEnter(t *testing.T) {
	t.Parallel()
	machine.NeedsRoot(t) // the programs run as the test's own user otherwise
	folder := stateFolder(t)
	must.Do(t, os.Chmod(folder, 0o700))
	_, err := dataplane.New(dataplane.Options{StateFolder: folder})
	if err == nil || !strings.Contains(err.Error(), folder) {
		t.Errorf("New: got error %v, want one with %s", err, folder)
	}
	if names := left(t, folder); len(names) != 0 {
		t.Errorf("files after New: got %v, want none", names)
	}
}
