package dataplane_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// in makes a connection go to a different database.
func in(database string) func(*pgx.ConnConfig) {
	return func(c *pgx.ConnConfig) { c.Database = database }
}

func TestDatabases(t *testing.T) {
	t.Parallel()
	b := start(t).box()
	b.done("POST", b.path+"/postgres/databases", object{"name": "shop"})
	shop := b.owner(in("shop"))
	b.exec(shop, "CREATE TABLE orders (n INT)")
	readonly := must.Get(b.dial(b.connection().Engines.Postgres.ReadOnly, in("shop")))(t)
	if n := b.count(readonly, "SELECT count(*) FROM orders"); n != 0 {
		t.Errorf("rows of the table: got %d, want none", n)
	}
	b.exec(readonly, "SET default_transaction_read_only = off")
	if _, err := readonly.Exec(t.Context(), "CREATE TEMPORARY TABLE x (n INT)"); sqlState(err) != "42501" {
		t.Errorf("the read-only role: got error %v, want SQL state 42501", err)
	}
	b.done("PUT", b.path+"/sql-console", object{"mode": "ro"})
	if status, answer := b.call("POST", b.path+"/engines/postgres/query", object{"sql": "SELECT current_database()", "database": "shop"}); status != http.StatusOK || answer["rows"].([]any)[0].([]any)[0] != "shop" {
		t.Errorf("the console: got %d %v, want 200 with shop", status, answer)
	}
	b.done("DELETE", b.path+"/postgres/databases/shop", nil)
	if _, err := shop.Exec(t.Context(), "SELECT 1"); err == nil {
		t.Error("a session in a dropped database: got no error, want one")
	}
	if _, err := b.dial(b.connection().Engines.Postgres.Owner, in("shop")); sqlState(err) != "3D000" {
		t.Errorf("a connection to a dropped database: got error %v, want SQL state 3D000", err)
	}
}

// Databases and extensions that were made or dropped in SQL count in the next change
// through the API, even if they were not listed before.
func TestChangesOfWhatSQLMade(t *testing.T) {
	t.Parallel()
	b := start(t).box()
	conn := b.owner()
	b.exec(conn, "CREATE DATABASE taken", "CREATE DATABASE other")
	status, answer := b.call("POST", b.path+"/postgres/databases", object{"name": "taken"})
	if status != http.StatusConflict || answer["code"] != "already_exists" {
		t.Errorf("creation of an existing database: got %d %v, want 409 already_exists", status, answer)
	}
	b.exec(conn, "DROP DATABASE taken")
	if status, answer := b.call("DELETE", b.path+"/postgres/databases/taken", nil); status != http.StatusNotFound {
		t.Errorf("the drop of a dropped database: got %d %v, want 404", status, answer)
	}
	b.exec(conn, "CREATE DATABASE taken", "CREATE DATABASE third")
	b.done("PUT", b.path+"/postgres/extensions/pgcrypto", object{"database": "third"})
	b.exec(conn, "CREATE EXTENSION pg_trgm")
	b.done("DELETE", b.path+"/postgres/extensions/pg_trgm", nil)
	b.done("DELETE", b.path+"/postgres/databases/taken", nil)
	if n := b.count(conn, "SELECT count(*) FROM pg_database WHERE datname = 'taken'"); n != 0 {
		t.Errorf("databases taken after the drop: got %d, want none", n)
	}
	// A repeated request gets the first answer, whatever has changed since.
	for range 2 {
		if status := b.keyed("POST", b.path+"/postgres/databases", object{"name": "kept"}, "once"); status != http.StatusAccepted {
			t.Errorf("the creation: got %d, want 202", status)
		}
		b.Advance(time.Hour)
	}
}

// keyed is call with an Idempotency-Key. It returns only the status.
func (f *fake) keyed(method, path string, body any, key string) int {
	f.t.Helper()
	request := f.request(method, path, body)
	request.Header.Set("Idempotency-Key", key)
	response, err := http.DefaultClient.Do(request)
	must.Do(f.t, err)
	must.Do(f.t, response.Body.Close())
	return response.StatusCode
}

// The API shows databases and extensions that were made or dropped in SQL.
func TestDatabasesMadeInSQL(t *testing.T) {
	t.Parallel()
	b := start(t).box()
	b.done("POST", b.path+"/postgres/databases", object{"name": "shop"})
	conn := b.owner()
	b.exec(conn, "CREATE DATABASE own", "DROP DATABASE shop WITH (FORCE)", "CREATE EXTENSION pgcrypto")
	_, answer := b.call("GET", b.path+"/postgres/databases", nil)
	var names []any
	for _, d := range answer["databases"].([]any) {
		names = append(names, d.(object)["name"])
	}
	if diff := cmp.Diff([]any{"main", "own"}, names); diff != "" {
		t.Errorf("the databases differ (-want +got):\n%s", diff)
	}
	_, answer = b.call("GET", b.path+"/postgres/extensions", nil)
	if diff := cmp.Diff([]any{object{"name": "pgcrypto", "database": "main", "version": "1.3"}}, answer["extensions"]); diff != "" {
		t.Errorf("the extensions differ (-want +got):\n%s", diff)
	}
	b.done("DELETE", b.path+"/postgres/databases/own", nil)
	b.done("DELETE", b.path+"/postgres/extensions/pgcrypto", nil)
	if n := b.count(conn, "SELECT count(*) FROM pg_extension WHERE extname = 'pgcrypto'"); n != 0 {
		t.Errorf("extensions pgcrypto after the drop: got %d, want none", n)
	}
}

func TestExtensions(t *testing.T) {
	t.Parallel()
	b := start(t).box()
	path := b.path + "/postgres/extensions/"
	b.done("PUT", path+"pg_trgm", object{})
	b.done("PUT", path+"pgcrypto", object{"database": "main"})
	b.done("PUT", path+"pgcrypto", object{})
	conn := b.owner()
	b.exec(conn, "SELECT similarity('word', 'world')", "SELECT crypt('x', gen_salt('bf', 4))")
	b.done("DELETE", path+"pg_trgm?database=main", nil)
	if _, err := conn.Exec(t.Context(), "SELECT similarity('word', 'world')"); sqlState(err) != "42883" {
		t.Errorf("a function of a dropped extension: got error %v, want SQL state 42883", err)
	}
	// Whether pgvector works depends on this machine.
	available := b.count(conn, "SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'") == 1
	j := b.job("PUT", path+"pgvector", object{})
	switch {
	case available && j.Status == fakeservice.StatusDone:
		b.exec(conn, "SELECT '[1,2]'::vector")
	case !available && j.ErrorCode == "extension_unavailable" && strings.Contains(j.ErrorDetail, "install pgvector"):
	default:
		t.Errorf("the job for pgvector, available %t: got %s with %s: %s, want done, or extension_unavailable if not available", available, j.Status, j.ErrorCode, j.ErrorDetail)
	}
	for _, e := range b.Extensions(b.id) {
		if e.Version == "" {
			t.Errorf("%s has no version", e.Name)
		}
	}
}

// An extension that something depends on cannot be dropped.
func TestExtensionInUse(t *testing.T) {
	t.Parallel()
	b := start(t).box()
	b.done("PUT", b.path+"/postgres/extensions/pg_trgm", object{})
	b.exec(b.owner(), "CREATE TABLE t (x TEXT)", "CREATE INDEX ON t USING gin (x gin_trgm_ops)")
	if j := b.job("DELETE", b.path+"/postgres/extensions/pg_trgm", nil); j.Status != fakeservice.StatusFailed || j.ErrorCode != "sql_error" {
		t.Errorf("the job: got %s with %s, want %s with sql_error", j.Status, j.ErrorCode, fakeservice.StatusFailed)
	}
	if n := len(b.Extensions(b.id)); n != 1 {
		t.Errorf("extensions of the record: got %d, want 1", n)
	}
}
