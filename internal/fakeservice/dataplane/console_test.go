package dataplane_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/dataplane"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// No statement in the read-only console can leave the read-only mode, the role or the
// role's password.
func TestReadOnlyConsoleStaysSo(t *testing.T) {
	t.Parallel()
	b := start(t).box()
	b.exec(b.owner(), "CREATE TABLE notes (text TEXT)", "INSERT INTO notes VALUES ('kept')", "GRANT ALL ON notes TO PUBLIC")
	b.done("PUT", b.path+"/sql-console", object{"mode": "ro"})
	const lift = "ALTER ROLE readonly SET default_transaction_read_only = off"
	for _, sql := range []string{
		"BEGIN READ WRITE; " + lift,
		"BEGIN READ WRITE; ALTER ROLE readonly PASSWORD 'mine'; COMMIT",
		"COMMIT; BEGIN READ WRITE; INSERT INTO notes VALUES ('new'); COMMIT",
		"COMMIT AND CHAIN; SET TRANSACTION READ WRITE; INSERT INTO notes VALUES ('new')",
		"ROLLBACK AND CHAIN; SET TRANSACTION READ WRITE; " + lift,
		"SET TRANSACTION READ WRITE; " + lift,
		"SET transaction_read_only = off; " + lift,
		"SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE; COMMIT; INSERT INTO notes VALUES ('new')",
		"SELECT set_config('transaction_read_only', 'off', false); " + lift,
		"DO $$ BEGIN SET transaction_read_only = off; ALTER ROLE readonly PASSWORD 'mine'; END $$",
		"DO $$ BEGIN COMMIT; SET TRANSACTION READ WRITE; ALTER ROLE readonly PASSWORD 'mine'; END $$",
		"SELECT 'a;b', $x$;$x$, \";\".* FROM (SELECT 1) AS \";\" /* ; /* ; */ */; -- ;\n INSERT INTO notes VALUES ('new')",
	} {
		if refused := b.query(sql, 422); refused["code"] != "sql_error" {
			t.Errorf("%s: got %v, want sql_error", sql, refused)
		}
	}
	// Statements that only read may contain transactions.
	answer := b.query("BEGIN; SELECT count(*) FROM notes; SELECT ';'; COMMIT; SELECT text FROM notes", http.StatusOK)
	if rows, _ := answer["rows"].([]any); len(rows) != 1 || answer["command"] != "SELECT" {
		t.Errorf("the notes: got %v, want one row of SELECT", answer)
	}
	conn, err := b.dial(b.connection().Engines.Postgres.ReadOnly)
	if err != nil {
		t.Fatalf("the read-only URL no longer works: %s", err)
	}
	if _, err := conn.Exec(t.Context(), "INSERT INTO notes VALUES ('new')"); sqlState(err) != "25006" {
		t.Errorf("a session of the read-only role: got error %v, want SQL state 25006", err)
	}
}

// The read-only role reads all data except the accounts of the auth engine.
func TestReadOnlyRoleSeesNoPasswords(t *testing.T) {
	t.Parallel()
	b := start(t).fullBox()
	b.exec(b.owner(), "INSERT INTO auth.users (email, encrypted_password) VALUES ('ann@example.test', 'a hash')", "ANALYZE auth.users")
	conn := must.Get(b.dial(b.connection().Engines.Postgres.ReadOnly))(t)
	if n := b.count(conn, "SELECT count(*) FROM auth.users"); n != 0 {
		t.Errorf("accounts for the read-only role: got %d, want none", n)
	}
	if n := b.count(conn, "SELECT count(*) FROM pg_statistic WHERE starelid = 'auth.users'::regclass"); n != 0 {
		t.Errorf("samples of columns for the read-only role: got %d, want none", n)
	}
	if n := b.count(b.owner(), "SELECT count(*) FROM auth.users"); n != 1 {
		t.Errorf("accounts for the owner: got %d, want 1", n)
	}
}

// A statement that takes too long is refused with an SQL error, and cannot lift the
// limit. Connecting takes longer than the limit here, and does not count.
func TestStatementTimeout(t *testing.T) {
	t.Parallel()
	b := start(t, func(o *dataplane.Options) { o.StatementTimeout = time.Millisecond }).box()
	for _, mode := range []string{"ro", "rw"} {
		b.done("PUT", b.path+"/sql-console", object{"mode": mode})
		for _, sql := range []string{"SELECT pg_sleep(3600)", "SET statement_timeout = 0; SELECT pg_sleep(3600)"} {
			refused := b.query(sql, 422)
			if detail, _ := refused["detail"].(string); !strings.Contains(detail, "57014") {
				t.Errorf("%s in mode %s: got %v, want SQL state 57014", sql, mode, refused)
			}
		}
	}
}

func TestStatementInADatabaseThatIsNotThere(t *testing.T) {
	t.Parallel()
	b := start(t).box()
	// The database was dropped by SQL, so the records still have it.
	b.done("POST", b.path+"/postgres/databases", object{"name": "lost"})
	b.exec(b.owner(), "DROP DATABASE lost")
	b.done("PUT", b.path+"/sql-console", object{"mode": "rw"})
	status, answer := b.call("POST", b.path+"/engines/postgres/query", object{"sql": "SELECT 1", "database": "lost"})
	if status < 400 || status >= 500 {
		t.Errorf("a statement in a dropped database: got %d %v, want a status of 400 to 499", status, answer)
	}
}
