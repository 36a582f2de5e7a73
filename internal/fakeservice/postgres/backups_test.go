package postgres

import "testing"

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
