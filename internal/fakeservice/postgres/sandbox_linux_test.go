package postgres

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/loopback"
)

// TestDataRunsNothingOutside starts a server with data that somebody else has prepared.
// Neither the settings in it nor its superuser can run a program that changes another
// folder.
func TestDataRunsNothingOutside(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	if s.sandbox == nil {
		machine.Lacks(t, "there is no sandbox")
	}
	c := newCluster(t, s, loopback.Address(t.Context(), DirectPort, PooledPort))
	ask(t, c, "CREATE TABLE kept (n INT)")
	backup := filepath.Join(machine.PassableFolder(t, ""), "backup")
	if _, err := c.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	victim := machine.PassableFolder(t, "")
	if err := os.Chmod(victim, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"postgresql.auto.conf": "restore_command = 'touch " + victim + "/restored; false'\narchive_mode = on\narchive_command = 'touch " + victim + "/archived'\n",
		"recovery.signal":      "",
	} {
		if err := s.account.WriteFile(filepath.Join(backup, name), text); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Restore(t.Context(), backup); err != nil {
		t.Errorf("Restore: got %v, want no error", err)
	}
	ask(t, c, "SELECT * FROM kept")
	statements := []string{"CREATE TABLE public.lines (line TEXT)", "COPY public.lines FROM PROGRAM 'touch " + victim + "/copied; ls " + victim + "; true'"}
	if err := c.asSuperuser(t.Context(), DefaultDatabase, statements...); err != nil {
		t.Errorf("COPY FROM PROGRAM: got %v, want no error", err)
	}
	entries, err := os.ReadDir(victim)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		t.Errorf("%s was made outside", entry.Name())
	}
}
