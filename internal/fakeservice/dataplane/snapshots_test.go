package dataplane_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A snapshot has the rows at its time, for the fake itself and for a fork, which has a
// different machine. During a job, a snapshot is refused.
func TestSnapshotOfRealMachines(t *testing.T) {
	t.Parallel()
	b := start(t).box()
	b.exec(b.owner(), "CREATE TABLE t (n INT)", "INSERT INTO t VALUES (1)")
	release := b.HoldJobs(fakeservice.JobMatch{})
	if status, answer := b.call("PATCH", b.path, object{"name": "other"}); status != http.StatusAccepted {
		t.Fatalf("the change: got %d %v, want 202", status, answer)
	}
	folder := filepath.Join(t.TempDir(), "snapshot")
	if err := b.SaveSnapshot(t.Context(), folder); err == nil {
		t.Error("a snapshot during a job: got no error, want one")
	}
	release()
	must.Do(t, b.SaveSnapshot(t.Context(), folder))
	service := must.Get(b.Fork(t.Context()))(t)
	t.Cleanup(func() {
		must.Report(t, service.Close())
	})
	b.exec(b.owner(), "INSERT INTO t VALUES (2)")
	before := b.connection()

	must.Do(t, b.LoadSnapshot(t.Context(), folder))
	if is := b.connection(); is.Certificate != before.Certificate || is.Engines.Postgres.Owner == "" {
		t.Errorf("the connection after the restore: got %+v, want the same CA and a URL of Postgres", is)
	}
	if n := b.count(b.owner(), "SELECT count(*) FROM t"); n != 1 {
		t.Errorf("rows after the restore: got %d, want 1", n)
	}

	server := httptest.NewServer(service)
	t.Cleanup(server.Close)
	fork := &box{&fake{&fakeservicetest.Server{Service: service, BaseURL: server.URL + "/api/v1"}, t}, b.id, b.path}
	if is := fork.connection(); is.Host == b.connection().Host || is.Certificate != before.Certificate {
		t.Errorf("the connection of the fork: got host %s, want another host and the same CA", is.Host)
	}
	fork.exec(fork.owner(), "INSERT INTO t VALUES (3)", "INSERT INTO t VALUES (4)")
	if n := fork.count(fork.owner(), "SELECT count(*) FROM t"); n != 3 {
		t.Errorf("rows of the fork: got %d, want 3", n)
	}
	if n := b.count(b.owner(), "SELECT count(*) FROM t"); n != 1 {
		t.Errorf("rows after the fork's changes: got %d, want 1", n)
	}
}

// A snapshot whose data of a machine cannot be read is refused before anything is lost.
func TestSnapshotWithoutAMachine(t *testing.T) {
	t.Parallel()
	b := start(t).box()
	b.exec(b.owner(), "CREATE TABLE t (n INT)", "INSERT INTO t VALUES (1)")
	good := filepath.Join(t.TempDir(), "good")
	must.Do(t, b.SaveSnapshot(t.Context(), good))
	for name, damage := range map[string]func(machine string) error{
		"no machine": os.RemoveAll,
		"no data":    func(machine string) error { return os.RemoveAll(filepath.Join(machine, "postgres")) },
		"data of another PostgreSQL": func(machine string) error {
			return os.WriteFile(filepath.Join(machine, "postgres", "PG_VERSION"), []byte("9.6\n"), 0o600)
		},
		"no metadata":      func(machine string) error { return os.Remove(filepath.Join(machine, "machine.json")) },
		"damaged metadata": func(machine string) error { return os.Truncate(filepath.Join(machine, "machine.json"), 3) },
		"a build that is not there": func(machine string) error {
			return os.WriteFile(filepath.Join(machine, "machine.json"), []byte(`{"auth": false, "builds": {"web": {"id": "b", "folder": "build-1", "commit": "", "command": ["run"]}}}`), 0o600)
		},
		"a build elsewhere": func(machine string) error {
			return os.WriteFile(filepath.Join(machine, "machine.json"), []byte(`{"auth": false, "builds": {"web": {"id": "b", "folder": "../build-1", "commit": "", "command": ["run"]}}}`), 0o600)
		},
	} {
		bad := filepath.Join(t.TempDir(), "bad")
		must.Do(t, errors.Join(os.CopyFS(bad, os.DirFS(good)), damage(filepath.Join(bad, "machines", b.id))))
		if err := b.CheckSnapshot(bad); err == nil {
			t.Errorf("%s: CheckSnapshot: got no error, want one", name)
		}
		if err := b.LoadSnapshot(t.Context(), bad); err == nil || !strings.Contains(err.Error(), b.id) {
			t.Errorf("%s: LoadSnapshot: got %v, want an error with the instance %s", name, err, b.id)
		}
		if n := b.count(b.owner(), "SELECT count(*) FROM t"); n != 1 {
			t.Fatalf("%s: got %d rows afterwards, want 1", name, n)
		}
	}
}
