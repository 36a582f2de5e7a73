package dataplane_test

import (
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func (b *box) backups() []fakeservice.Backup {
	b.t.Helper()
	record, ok := b.Instance(b.id)
	if !ok {
		b.t.Fatal("the instance is gone")
	}
	return record.Backups
}

func TestRestoreBringsBackRows(t *testing.T) {
	t.Parallel()
	b := start(t).box()
	conn := b.owner()
	b.exec(conn, "CREATE TABLE notes (text TEXT)", "INSERT INTO notes VALUES ('kept')")
	b.done("POST", b.path+"/postgres/databases", object{"name": "shop"})
	b.Advance(24 * time.Hour)
	daily := b.backups()[0]
	if len(b.backups()) != 2 || daily.Kind != "daily" || daily.SizeBytes < 1<<20 {
		t.Fatalf("the backups: got %+v, want 2, the newest a daily one of at least 1 MiB", b.backups())
	}
	b.exec(conn, "DELETE FROM notes", "INSERT INTO notes VALUES ('late')", "CREATE TABLE later (n INT)")
	b.done("DELETE", b.path+"/postgres/databases/shop", nil)
	b.done("POST", b.path+"/actions/rotate", object{})

	b.done("POST", b.path+"/actions/restore", object{"confirm": b.id, "backup_id": daily.ID})
	conn = b.owner() // with the current password, not that of the backup
	if n := b.count(conn, "SELECT count(*) FROM notes WHERE text = 'kept'"); n != 1 {
		t.Errorf("restored rows: got %d, want 1", n)
	}
	if n := b.count(conn, "SELECT count(*) FROM pg_class WHERE relname = 'later'"); n != 0 {
		t.Errorf("tables that were created after the backup: got %d, want none", n)
	}
	b.exec(b.owner(in("shop")), "SELECT 1")

	// The undo snapshot contains the data from before the restore.
	undo := b.backups()[0]
	if undo.Kind != "undo" {
		t.Fatalf("the newest backup: got %+v, want an undo snapshot", undo)
	}
	b.done("POST", b.path+"/actions/restore", object{"confirm": b.id, "backup_id": undo.ID})
	if n := b.count(b.owner(), "SELECT count(*) FROM notes WHERE text = 'late'"); n != 1 {
		t.Errorf("rows of the undo snapshot: got %d, want 1", n)
	}
}

// A backup contains transactions that commit during the backup entirely or not at all. A
// mere copy of the files could contain them in part.
func TestBackupUnderWrites(t *testing.T) {
	t.Parallel()
	b := start(t).box()
	conn := b.owner()
	b.exec(conn, "CREATE TABLE a (n INT)", "CREATE TABLE b (n INT)")
	begun, stop, stopped := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		for n := 0; ; n++ {
			if n == 1 {
				close(begun)
			}
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
			if _, err := conn.Exec(t.Context(), "WITH x AS (INSERT INTO a SELECT generate_series(1, 50)) INSERT INTO b SELECT generate_series(1, 50)"); err != nil {
				stopped <- err
				return
			}
		}
	}()
	select {
	case <-begun:
	case err := <-stopped:
		t.Fatal(err)
	}
	b.Advance(24 * time.Hour)
	close(stop)
	must.Do(t, <-stopped)
	b.done("POST", b.path+"/actions/restore", object{"confirm": b.id, "backup_id": b.backups()[0].ID})
	fresh := b.owner()
	one, other := b.count(fresh, "SELECT count(*) FROM a"), b.count(fresh, "SELECT count(*) FROM b")
	if one != other || one%50 != 0 || one == 0 {
		t.Errorf("rows of the two tables: got %d and %d, want the same multiple of 50, and not 0", one, other)
	}
	b.exec(fresh, "CREATE EXTENSION pg_trgm", "INSERT INTO a VALUES (1)")
}

func TestResetEmpties(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"", "postgres"} {
		t.Run("engine "+engine, func(t *testing.T) {
			t.Parallel()
			b := start(t).box()
			b.exec(b.owner(), "CREATE TABLE notes (text TEXT)", "INSERT INTO notes VALUES ('lost')", "CREATE DATABASE own")
			body := object{"confirm": b.id}
			if engine != "" {
				body["engine"] = engine
			}
			b.done("POST", b.path+"/actions/reset", body)
			conn := b.owner()
			if n := b.count(conn, "SELECT count(*) FROM pg_class WHERE relname = 'notes'"); n != 0 {
				t.Errorf("tables notes after the reset: got %d, want none", n)
			}
			if n := b.count(conn, "SELECT count(*) FROM pg_database WHERE datname = 'own'"); n != 0 {
				t.Errorf("databases own after the reset: got %d, want none", n)
			}
			b.done("POST", b.path+"/actions/restore", object{"confirm": b.id, "backup_id": b.backups()[0].ID})
			if n := b.count(b.owner(), "SELECT count(*) FROM notes"); n != 1 {
				t.Errorf("rows of the undo snapshot: got %d, want 1", n)
			}
		})
	}
}

// A restore fails if the backup's data is missing, and the current data stays.
func TestRestoreOfNothing(t *testing.T) {
	t.Parallel()
	b := start(t).box()
	b.exec(b.owner(), "CREATE TABLE notes (text TEXT)")
	b.EditInstance(b.id, func(record *fakeservice.Instance) {
		record.Backups = append(record.Backups, fakeservice.Backup{ID: "bak-x", Kind: "daily", CreatedAt: b.Now()})
	})
	j := b.job("POST", b.path+"/actions/restore", object{"confirm": b.id, "backup_id": "bak-x"})
	if j.ErrorCode != "backup_missing" {
		t.Errorf("the job: got %s with %s: %s, want backup_missing", j.Status, j.ErrorCode, j.ErrorDetail)
	}
	b.exec(b.owner(), "SELECT * FROM notes")
}

// Deleted data does not make later backups larger: a backup contains only the part of the
// log that a restore needs.
func TestBackupsHoldNoOldLog(t *testing.T) {
	t.Parallel()
	b := start(t).box()
	b.Advance(25 * time.Hour)
	conn := b.owner()
	for range 8 {
		b.exec(conn, "CREATE TABLE much AS SELECT n, repeat('x', 200) FROM generate_series(1, 40000) n", "DROP TABLE much")
	}
	b.Advance(24 * time.Hour)
	sizes := []int64{}
	for _, backup := range b.backups() {
		sizes = append(sizes, backup.SizeBytes)
	}
	if len(sizes) < 2 || sizes[0] > sizes[len(sizes)-1]+8<<20 {
		t.Errorf("the sizes of the backups, the newest first: got %v, want 2 or more, the newest at most 8 MiB larger than the oldest", sizes)
	}
}
