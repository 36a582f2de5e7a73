package dataplane_test

import (
	"testing"
)

func TestOwnerWritesAndCreatesDatabases(t *testing.T) {
	t.Parallel()
	b := start(t).box()
	conn := b.owner()
	b.exec(conn, "CREATE TABLE notes (text TEXT)", "INSERT INTO notes VALUES ('one'), ('two')", "CREATE DATABASE own")
	if n := b.count(conn, "SELECT count(*) FROM notes"); n != 2 {
		t.Errorf("the table has %d rows", n)
	}
}
