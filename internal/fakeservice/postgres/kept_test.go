package postgres

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/processes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/loopback"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// keptServer opens a server on a folder that stays.
func keptServer(t *testing.T, folder string) *Server {
	t.Helper()
	programs := must.Get(Locate(t.Context(), ""))(t)
	sandbox, _ := process.FindSandbox(t.Context(), os.Getenv("PATH")) // without one, the servers run outside
	s := must.Get(NewServer(Options{Binaries: programs, Folder: folder, Kept: true, Sandbox: sandbox}))(t)
	t.Cleanup(func() {
		must.Report(t, s.Close())
	})
	return s
}

// keptFolder returns a folder that every user can pass through.
func keptFolder(t *testing.T) string {
	t.Helper()
	return filepath.Join(machine.PassableFolder(t, ""), "pg")
}

func mustClose(t *testing.T, s *Server) {
	t.Helper()
	must.Do(t, s.Close())
}

// A cluster with a kept folder continues with its rows, its ports and the passwords of the
// new settings. Files that a killed owner left half done are not part of its data.
func TestKeptCluster(t *testing.T) {
	t.Parallel()
	folder, host := keptFolder(t), loopback.Address(t.Context(), DirectPort, PooledPort)
	first := keptServer(t, folder)
	c := newCluster(t, first, host)
	ask(t, c, "CREATE TABLE kept (n INT)")
	wanted := settings(t, host)
	wanted.Ports = Ports{c.DirectPort(), c.PooledPort(), c.InsidePort()}
	wanted.OwnerPassword = "another"
	mustClose(t, first)
	if left := processes.With(t, folder); len(left) != 0 {
		t.Errorf("processes of the closed server: got %v, want none", left)
	}

	// The server and its owner were killed in the middle of a restore.
	data := c.data()
	for name, text := range map[string]string{
		filepath.Join(data, "postmaster.pid"):           "1\n" + data + "\n",
		filepath.Join(c.next(), "half"):                 "",
		filepath.Join(c.path(".discarded-1"), "half"):   "",
		filepath.Join(folder, ".discarded-2", "half"):   "",
		filepath.Join(first.template.folder, "half"):    "",
		filepath.Join(c.sockets(), ".s.PGSQL.1.lock"):   "1\n",
		filepath.Join(folder, "half-made", "data.next"): "",
	} {
		must.Do(t, os.MkdirAll(filepath.Dir(name), 0o700))
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
	}
	second := keptServer(t, folder)
	name := filepath.Base(c.folder)
	again := must.Get(second.NewCluster(t.Context(), name, wanted))(t)
	ask(t, again, "SELECT * FROM kept")
	if is := (Ports{again.DirectPort(), again.PooledPort(), again.InsidePort()}); is != wanted.Ports {
		t.Errorf("the ports: got %v, want %v", is, wanted.Ports)
	}
	if _, err := second.NewCluster(t.Context(), "half-made", settings(t, loopback.Address(t.Context(), DirectPort, PooledPort))); err != nil {
		t.Errorf("a cluster that was not made in full: %s", err)
	}
	found, err := filepath.Glob(filepath.Join(folder, "*", "*half*"))
	if err != nil || len(found) != 0 {
		t.Errorf("files of the cluster that was half made: got %v and error %v, want none", found, err)
	}
	must.Report(t, again.Remove())
	if _, err := os.Lstat(again.folder); err == nil {
		t.Error("the data outlived its cluster")
	}
}

// The owner was killed while it replaced the data. Until the new data is known to work, the
// old data counts.
func TestReplacementThatWasKilled(t *testing.T) {
	t.Parallel()
	for _, during := range []string{"between the two", "once the new is there"} {
		t.Run(during, func(t *testing.T) {
			t.Parallel()
			folder, host := keptFolder(t), loopback.Address(t.Context(), DirectPort, PooledPort)
			first := keptServer(t, folder)
			c := newCluster(t, first, host)
			ask(t, c, "CREATE TABLE kept (n INT)")
			mustClose(t, first)
			must.Do(t, os.Rename(c.data(), c.path("data.before")))
			if during != "between the two" {
				must.Do(t, os.Mkdir(c.data(), 0o700))
				must.Do(t, os.WriteFile(filepath.Join(c.data(), "PG_VERSION"), []byte("17\n"), 0o600))
			}
			again := must.Get(keptServer(t, folder).NewCluster(t.Context(), filepath.Base(c.folder), settings(t, host)))(t)
			ask(t, again, "SELECT * FROM kept")
			must.Do(t, again.Reset(t.Context()))
			ask(t, again, "CREATE TABLE kept (n INT)")
		})
	}
}

// Data that cannot be used stays, and the error says why.
func TestKeptDataOfAnotherVersion(t *testing.T) {
	t.Parallel()
	folder := keptFolder(t)
	s := keptServer(t, folder)
	data := filepath.Join(folder, "old", "data")
	must.Do(t, os.MkdirAll(data, 0o700))
	must.Do(t, os.WriteFile(filepath.Join(data, "PG_VERSION"), []byte("9\n"), 0o600))
	if _, err := s.NewCluster(t.Context(), "old", settings(t, loopback.Address(t.Context(), DirectPort, PooledPort))); err == nil || !strings.Contains(err.Error(), `the version "9"`) {
		t.Errorf("NewCluster: got error %v, want one with the version \"9\"", err)
	}
	if _, err := os.Stat(filepath.Join(data, "PG_VERSION")); err != nil {
		t.Error(err)
	}
}

// A repeated call finds the work of an interrupted call done, and succeeds.
func TestRepeatedStatements(t *testing.T) {
	tier.Night.Only(t)
	t.Parallel()
	c := newCluster(t, newServer(t), loopback.Address(t.Context(), DirectPort, PooledPort))
	for range 2 {
		must.Report(t, c.CreateDatabase(t.Context(), "shop"))
		if _, err := c.SetExtension(t.Context(), "shop", "pg_trgm"); err != nil {
			t.Error(err)
		}
	}
	for range 2 {
		must.Report(t, c.DropExtension(t.Context(), "shop", "pg_trgm"))
	}
	for range 2 {
		must.Report(t, c.DropDatabase(t.Context(), "shop"))
	}
}

// Data that PostgreSQL cannot read stays, even if it lacks its version.
func TestDataWithoutItsVersion(t *testing.T) {
	t.Parallel()
	folder, host := keptFolder(t), loopback.Address(t.Context(), DirectPort, PooledPort)
	first := keptServer(t, folder)
	c := newCluster(t, first, host)
	ask(t, c, "CREATE TABLE kept (n INT)")
	name, version := filepath.Base(c.folder), filepath.Join(c.data(), "PG_VERSION")
	mustClose(t, first)
	text := must.Get(os.ReadFile(version))(t)
	must.Do(t, os.Remove(version))
	second := keptServer(t, folder)
	if _, err := second.NewCluster(t.Context(), name, settings(t, host)); err == nil {
		t.Error("without PG_VERSION: got no error, want one")
	}
	must.Do(t, second.account.WriteFile(version, string(text)))
	again := must.Get(second.NewCluster(t.Context(), name, settings(t, host)))(t)
	ask(t, again, "SELECT * FROM kept")
}
