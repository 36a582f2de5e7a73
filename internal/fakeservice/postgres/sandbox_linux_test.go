package postgres

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/loopback"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// sandboxedCluster returns a cluster that runs in a sandbox.
func sandboxedCluster(t *testing.T) *Cluster {
	t.Helper()
	s := newServer(t)
	if s.sandbox == nil {
		machine.Lacks(t, "there is no sandbox")
	}
	c := newCluster(t, s, loopback.Address(t.Context(), DirectPort, PooledPort))
	return c
}

// TestDataRunsNothingOutside starts a server with data that somebody else has prepared.
// Neither the settings in it nor its superuser can run a program that changes another
// folder.
func TestDataRunsNothingOutside(t *testing.T) {
	t.Parallel()
	c := sandboxedCluster(t)
	ask(t, c, "CREATE TABLE kept (n INT)")
	backup := filepath.Join(machine.PassableFolder(t, ""), "backup")
	must.Get(c.Backup(t.Context(), backup))(t)
	victim := machine.PassableFolder(t, "")
	must.Do(t, os.Chmod(victim, 0o777))
	for name, text := range map[string]string{
		"postgresql.auto.conf": "restore_command = 'touch " + victim + "/restored; false'\narchive_mode = on\narchive_command = 'touch " + victim + "/archived'\n",
		"recovery.signal":      "",
	} {
		must.Do(t, c.server.account.WriteFile(filepath.Join(backup, name), text))
	}
	if err := c.Restore(t.Context(), backup); err != nil {
		t.Errorf("Restore: got %v, want no error", err)
	}
	ask(t, c, "SELECT * FROM kept")
	statements := []string{"CREATE TABLE public.lines (line TEXT)", "COPY public.lines FROM PROGRAM 'touch " + victim + "/copied; ls " + victim + "; true'"}
	if err := c.asSuperuser(t.Context(), DefaultDatabase, statements...); err != nil {
		t.Errorf("COPY FROM PROGRAM: got %v, want no error", err)
	}
	entries := must.Get(os.ReadDir(victim))(t)
	for _, entry := range entries {
		t.Errorf("%s was made outside", entry.Name())
	}
}

// The superuser of prepared data can change the data and nothing else in the cluster's
// folder: neither the configuration, which decides what PgBouncer loads, nor the place of the
// next restore, which this program fills.
func TestServerWritesOnlyItsData(t *testing.T) {
	t.Parallel()
	c := sandboxedCluster(t)
	names := func() (names []string) {
		entries := must.Get(os.ReadDir(c.folder))(t)
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
		return names
	}
	before := names()
	script := "cd " + c.folder + "; ln -s /etc data.next; for f in *; do echo broken >>$f; rm -f $f; done 2>/dev/null; true"
	must.Do(t, c.asSuperuser(t.Context(), DefaultDatabase, "CREATE TABLE public.lines (line TEXT)",
		"COPY public.lines FROM PROGRAM "+quote(script)))
	if after := names(); !slices.Equal(after, before) {
		t.Errorf("the cluster's folder: got %q, want %q", after, before)
	}
	for _, name := range []string{"postgresql.conf", "pgbouncer.ini", "users.txt", usersFile} {
		if text, err := os.ReadFile(c.path(name)); err != nil || strings.Contains(string(text), "broken") {
			t.Errorf("%s: got changed text or error %v, want neither", name, err)
		}
	}
}

// PgBouncer sees its own files and the sockets, and not the data.
func TestPoolerSeesItsOwnFiles(t *testing.T) {
	t.Parallel()
	c := sandboxedCluster(t)
	if c.pooler == nil {
		machine.Lacks(t, "there is no PgBouncer")
	}
	root := fmt.Sprintf("/proc/%d/root", c.pooler.process.PID())
	if _, err := os.Stat(root + c.path("pgbouncer.ini")); err != nil {
		t.Errorf("the configuration as PgBouncer sees it: got error %v, want none", err)
	}
	for _, path := range []string{c.data(), "/root", "/home"} {
		if _, err := os.Stat(root + path); err == nil {
			t.Errorf("PgBouncer sees %s", path)
		}
	}
}

// A program in the server's sandbox puts a link in place of the server's socket. Neither this
// package nor a client is led to another socket.
func TestLinkInPlaceOfTheSocket(t *testing.T) {
	t.Parallel()
	c := newCluster(t, newServer(t), loopback.Address(t.Context(), DirectPort, PooledPort))
	other := filepath.Join(t.TempDir(), "other")
	listener := must.Get(net.Listen("unix", other))(t)
	met := make(chan bool, 1)
	go func() {
		if connection, err := listener.Accept(); err == nil {
			met <- true
			connection.Close()
		}
		close(met)
	}()
	socket := filepath.Join(c.sockets(), fmt.Sprintf(".s.PGSQL.%d", c.InsidePort()))
	must.Do(t, os.Remove(socket))
	must.Do(t, os.Symlink(other, socket))
	if err := c.asSuperuser(t.Context(), maintenance, "SELECT 1"); err == nil {
		t.Error("a session through a link: got no error, want one")
	}
	listener.Close()
	if <-met {
		t.Error("the other socket met a connection")
	}
}

// The account of the servers does not own the folders in which this program writes their
// configuration: it could put a link there.
func TestConfigurationIsOutOfReach(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	if err := s.account.MakeFolder(filepath.Join(s.folder, "cluster")); err != nil { // as an earlier edition did
		t.Fatal(err)
	}
	c := must.Get(s.NewCluster(t.Context(), "cluster", settings(t, loopback.Address(t.Context(), DirectPort, PooledPort))))(t)
	for _, folder := range []string{s.folder, c.folder} {
		info := must.Get(os.Lstat(folder))(t)
		if owner := info.Sys().(*syscall.Stat_t).Uid; int(owner) != os.Geteuid() {
			t.Errorf("the owner of %s: got user %d, want %d", filepath.Base(folder), owner, os.Geteuid())
		}
	}
}
