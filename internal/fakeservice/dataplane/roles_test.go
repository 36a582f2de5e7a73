package dataplane_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A session of the read-only role can turn off its read-only mode, but gains nothing by
// that.
func TestReadOnlyRoleCannotWrite(t *testing.T) {
	t.Parallel()
	b := start(t).box()
	b.exec(b.owner(), "CREATE TABLE notes (text TEXT)", "INSERT INTO notes VALUES ('kept')", "CREATE SEQUENCE s")
	conn := must.Get(b.dial(b.connection().Engines.Postgres.ReadOnly))(t)
	if n := b.count(conn, "SELECT count(*) FROM notes"); n != 1 {
		t.Errorf("rows that the read-only role reads: got %d, want 1", n)
	}
	writes := []string{
		"INSERT INTO notes VALUES ('new')", "UPDATE notes SET text = ''", "DELETE FROM notes", "TRUNCATE notes", "DROP TABLE notes",
		"CREATE TABLE mine (n INT)", "CREATE TEMPORARY TABLE mine (n INT)", "SELECT nextval('s')", "SELECT lo_create(0)",
		"SELECT lo_creat(-1)", "SELECT lo_from_bytea(0, 'x')", "CREATE SCHEMA mine", "CREATE DATABASE mine", "CREATE ROLE mine",
	}
	for _, state := range []string{"25006", "42501"} { // read-only transaction, then insufficient privilege
		for _, sql := range writes {
			// Missing privileges are checked before the mode of the transaction.
			if _, err := conn.Exec(t.Context(), sql); sqlState(err) != state && sqlState(err) != "42501" {
				t.Errorf("%s: got error %v, want SQL state %s or 42501", sql, err, state)
			}
		}
		b.exec(conn, "SET default_transaction_read_only = off")
	}
	if _, err := conn.Exec(t.Context(), "SET ROLE owner"); sqlState(err) != "42501" {
		t.Errorf("SET ROLE owner: got error %v, want SQL state 42501", err)
	}
}

func TestOwner(t *testing.T) {
	t.Parallel()
	b := start(t).box()
	conn := b.owner()
	b.exec(conn, "CREATE TABLE notes (text TEXT)", "CREATE TEMPORARY TABLE own (n INT)", "SELECT lo_create(0)",
		"CREATE SCHEMA mine", "CREATE DATABASE own", "DROP DATABASE own")
	for _, sql := range []string{
		"CREATE ROLE other", "ALTER SYSTEM SET work_mem = '1GB'", "COPY notes FROM PROGRAM 'id'", "COPY notes TO '/tmp/x'",
		"SELECT pg_read_file('/etc/passwd')", "ALTER ROLE hosting PASSWORD 'x'",
	} {
		if _, err := conn.Exec(t.Context(), sql); sqlState(err) != "42501" {
			t.Errorf("%s: got error %v, want SQL state 42501", sql, err)
		}
	}
	// The fake's own role cannot connect from outside.
	if _, err := b.dial(b.connection().Engines.Postgres.Owner, func(c *pgx.ConnConfig) { c.User = "hosting" }); sqlState(err) != "28000" {
		t.Errorf("a connection as the superuser: got error %v, want SQL state 28000", err)
	}
}

func TestConsole(t *testing.T) {
	t.Parallel()
	b := start(t).box()
	const make = "CREATE TABLE notes (id BIGSERIAL PRIMARY KEY, text TEXT)"
	b.query("SELECT 1", http.StatusForbidden)
	b.done("PUT", b.path+"/sql-console", object{"mode": "ro"})
	if refused := b.query(make, 422); !strings.Contains(refused["detail"].(string), "25006") {
		t.Errorf("a statement that writes in mode ro: got %v, want SQL state 25006", refused)
	}
	b.query("SET default_transaction_read_only = off; "+make, 422)
	b.done("PUT", b.path+"/sql-console", object{"mode": "rw"})
	b.query(make, http.StatusOK)

	// Several statements are one transaction. The answer is the result of the last one.
	answer := b.query("INSERT INTO notes (text) VALUES ('a'), ('b'); SELECT id, text FROM notes ORDER BY id", http.StatusOK)
	want := object{
		"columns": []any{"id", "text"}, "rows": []any{[]any{1.0, "a"}, []any{2.0, "b"}}, "row_count": 2.0, "command": "SELECT",
	}
	if diff := cmp.Diff(want, answer); diff != "" {
		t.Errorf("the answer differs (-want +got):\n%s", diff)
	}
	refused := b.query("INSERT INTO notes (text) VALUES ('c'); SELECT 1/0", 422)
	if refused["code"] != "sql_error" || refused["detail"] != "division by zero (SQLSTATE 22012)" {
		t.Errorf("a division by zero: got %v, want sql_error with SQLSTATE 22012", refused)
	}
	answer = b.query("UPDATE notes SET text = 'x'", http.StatusOK)
	if answer["row_count"] != 2.0 || answer["command"] != "UPDATE" {
		t.Errorf("the update: got %v, want UPDATE of 2 rows", answer)
	}
	if answer := b.query("CREATE INDEX ON notes (text)", http.StatusOK); answer["command"] != "CREATE INDEX" {
		t.Errorf("the index: got %v, want CREATE INDEX", answer)
	}
	b.query("SELECT repeat('x', 1000000) FROM generate_series(1, 20)", 422)
	b.done("PUT", b.path+"/sql-console", object{"mode": "off"})
	b.query("SELECT 1", http.StatusForbidden)
}

func TestConsoleValues(t *testing.T) {
	t.Parallel()
	b := start(t).box()
	b.done("PUT", b.path+"/sql-console", object{"mode": "ro"})
	for sql, want := range map[string]any{
		"NULL": nil, "true": true, "1::smallint": 1.0, "2": 2.0, "0.5::float8": 0.5, "'NaN'::float8": "NaN",
		"1.10::numeric": "1.10", "'{\"a\": [1]}'::jsonb": object{"a": []any{1.0}}, "'t'::text": "t", "''": "",
		"ARRAY[1,2]": "{1,2}", "'2024-02-29 12:00+02'::timestamptz": "2024-02-29 10:00:00+00",
		"'6ba7b810-9dad-11d1-80b4-00c04fd430c8'::uuid": "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
	} {
		answer := b.query("SELECT "+sql, http.StatusOK)
		if diff := cmp.Diff(any([]any{[]any{want}}), answer["rows"]); diff != "" {
			t.Errorf("the rows of %s differ (-want +got):\n%s", sql, diff)
		}
	}
}
