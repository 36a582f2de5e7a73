package postgres

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/loopback"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A backup does not follow a link that the server has put in place of its log. Without the
// log, there is no backup.
func TestBackupOfALinkedLog(t *testing.T) {
	t.Parallel()
	c := newCluster(t, newServer(t), loopback.Address(t.Context(), DirectPort, PooledPort))
	log := filepath.Join(c.data(), logFolder)
	must.Do(t, errors.Join(os.Rename(log, log+".elsewhere"), os.Symlink(logFolder+".elsewhere", log)))
	backup := filepath.Join(t.TempDir(), "backup")
	if _, err := c.Backup(t.Context(), backup); err == nil {
		t.Error("Backup: got no error, want one")
	}
	if _, err := os.Stat(backup); err == nil {
		t.Error("Backup: got a copy, want none")
	}
}

func TestNotInBackups(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"PG_VERSION": false, "base": false, "base/1/1259": false, "global/pg_control": false, "pg_xact/0000": false,
		"pg_wal": false, "pg_wal/000000010000000000000001": true, "pg_notify": false, "pg_notify/0000": true,
		"postmaster.pid": true, "postmaster.opts": true, "base/pgsql_tmp": true, "base/pgsql_tmp/pgsql_tmp1.0": true,
		"pg_dynshmem/mmap.1": true, "pg_stat_tmp/x": true, "pg_walx": false,
	} {
		if got := notInBackups(path); got != want {
			t.Errorf("notInBackups(%q): got %t, want %t", path, got, want)
		}
	}
}

func TestNotInLog(t *testing.T) {
	t.Parallel()
	const first, last = "0000000100000000000000FE", "000000010000000100000001"
	for path, want := range map[string]bool{
		"0000000100000000000000FD": true, first: false, "0000000100000000000000FF": false, "000000010000000100000000": false,
		last: false, "000000010000000100000002": true, "archive_status": false, "00000002.history": false,
	} {
		if got := notInLog(path, first, last); got != want {
			t.Errorf("notInLog(%q): got %t, want %t", path, got, want)
		}
	}
}
