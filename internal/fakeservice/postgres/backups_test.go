package postgres

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestNotInBackups(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"PG_VERSION": false, "base": false, "base/1/1259": false, "global/pg_control": false, "pg_xact/0000": false,
		"pg_wal": false, "pg_wal/000000010000000000000001": true, "pg_notify": false, "pg_notify/0000": true,
		"postmaster.pid": true, "postmaster.opts": true, "base/pgsql_tmp": true, "base/pgsql_tmp/pgsql_tmp1.0": true,
		"pg_dynshmem/mmap.1": true, "pg_stat_tmp/x": true, "pg_walx": false,
	} {
		if got := notInBackups(path); got != want {
			t.Errorf("notInBackups(%q) is %t", path, got)
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
			t.Errorf("notInLog(%q) is %t", path, got)
		}
	}
}

func TestCopyTree(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	for _, folder := range []string{"a/b", "skipped/x", "empty"} {
		if err := os.MkdirAll(filepath.Join(from, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"a/b/c": "deep", "d": "flat", "skipped/x/y": "no"} {
		if err := os.WriteFile(filepath.Join(from, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := (account{}).copyTree(t.Context(), from, to, func(path string) bool { return path == "skipped" }); err != nil {
		t.Fatal(err)
	}
	if size, err := sizeOf(to); err != nil || size != int64(len("deep")+len("flat")) {
		t.Errorf("the copy has %d bytes, %v", size, err)
	}
	if info, err := os.Stat(filepath.Join(to, "empty")); err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 {
		t.Errorf("the empty folder is %v, %v", info, err)
	}
	if _, err := os.Stat(filepath.Join(to, "skipped")); err == nil {
		t.Error("what was to be skipped was copied")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (account{}).copyTree(ended, from, filepath.Join(t.TempDir(), "x"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended it met %v", err)
	}
}
