package dataplane_test

import (
	"crypto/tls"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/dataplane"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// sqlState returns the SQLSTATE of an error of Postgres, or "".
func sqlState(err error) string {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return refused.Code
	}
	return ""
}

// The service's document lists five reasons for a failed connection, in the order in
// which to check them. Each can occur here.

func TestReasonOneAllowlist(t *testing.T) {
	t.Parallel()
	b := start(t).box()
	link := b.connection().Engines.Postgres.Owner
	if _, err := b.dial(link, from("127.0.0.9")); err != nil {
		t.Errorf("an open instance refused a connection: %s", err)
	}
	inside := b.owner(from("127.0.0.8"))
	b.done("PUT", b.path+"/allowlist", object{"allowlist": []string{"127.0.0.8/31", "2001:db8::/32"}})
	if _, err := b.dial(link, from("127.0.0.9")); err != nil {
		t.Errorf("an address in the allowlist: got error %v, want none", err)
	}
	if _, err := b.dial(link, from("127.0.0.10")); err == nil || sqlState(err) != "" {
		t.Errorf("an address outside the allowlist: got error %v, want one without an SQL state", err)
	}
	b.exec(inside, "SELECT 1")
	b.done("PUT", b.path+"/allowlist", object{"allowlist": []string{"127.0.0.9"}})
	if _, err := inside.Exec(t.Context(), "SELECT 1"); err == nil {
		t.Error("a connection from an address that was removed from the list: got no error, want one")
	}
	if pooled := b.connection().Engines.Postgres.Pooled; pooled != 0 {
		if _, err := b.dial(withPort(t, link, pooled), from("127.0.0.10")); err == nil {
			t.Error("the pooled port for an address outside the allowlist: got no error, want one")
		}
	}
	// The allowlist does not affect the console and programs on the instance itself.
	b.done("PUT", b.path+"/sql-console", object{"mode": "ro"})
	b.query("SELECT 1", http.StatusOK)
	b.done("PUT", b.path+"/allowlist", object{"allowlist": []string{}})
	if _, err := b.dial(link, from("127.0.0.10")); err != nil {
		t.Errorf("an empty list does not open the instance: %s", err)
	}
}

func TestReasonTwoCertificate(t *testing.T) {
	t.Parallel()
	f := start(t)
	b, other := f.box(), f.box()
	link := b.connection().Engines.Postgres.Owner
	for name, change := range map[string]func(*pgx.ConnConfig){
		"no CA":                 func(c *pgx.ConnConfig) { c.TLSConfig.RootCAs = nil },
		"another instance's CA": func(c *pgx.ConnConfig) { c.TLSConfig.RootCAs = other.roots() },
		"another host":          func(c *pgx.ConnConfig) { c.TLSConfig.ServerName = "db.example.com" },
	} {
		_, err := b.dial(link, change)
		if wrong := (*tls.CertificateVerificationError)(nil); !errors.As(err, &wrong) {
			t.Errorf("a connection with %s: got error %v, want one of the certificate", name, err)
		}
	}
	_, err := b.dial(link, func(c *pgx.ConnConfig) { c.TLSConfig = nil })
	if sqlState(err) != "28000" {
		t.Errorf("a connection without TLS: got error %v, want SQL state 28000", err)
	}
}

// without logs that a program is not installed and that the test does less. With
// HOSTING_TEST_STRICT=1, which means that all programs are installed, it fails the test.
func without(t *testing.T, program string) {
	t.Helper()
	if machine.LacksNothing() {
		t.Fatalf("%s is not installed", program)
	}
	t.Logf("%s is not installed, so this tests less", program)
}

// psql connects, and looks for the CA at the path in PGSSLROOTCERT.
func TestPsqlWithVerifyFull(t *testing.T) {
	t.Parallel()
	psql, err := exec.LookPath("psql")
	if err != nil {
		without(t, "psql")
		return
	}
	b := start(t).box()
	record := b.connection()
	folder := t.TempDir()
	run := func(link, ca string) (string, error) {
		command := exec.CommandContext(t.Context(), psql, link, "-Atc", "SELECT 'in'")
		command.Env = []string{"PGSSLROOTCERT=" + ca, "HOME=" + folder}
		said, err := command.CombinedOutput()
		return strings.TrimSpace(string(said)), err
	}
	ca := filepath.Join(folder, "ca.pem")
	must.Do(t, os.WriteFile(ca, []byte(record.Certificate), 0o600))
	for _, link := range []string{record.Engines.Postgres.Owner, record.Engines.Postgres.ReadOnly} {
		if said, err := run(link, ca); err != nil || said != "in" {
			t.Errorf("psql: got %q and error %v, want in", said, err)
		}
	}
	// Without a path, libpq looks for its default file, which does not exist.
	if said, err := run(record.Engines.Postgres.Owner, ""); err == nil || !strings.Contains(said, "root") {
		t.Errorf("psql without the CA: got %q and error %v, want an error about the root certificate", said, err)
	}
	plain := strings.Replace(record.Engines.Postgres.Owner, "verify-full", "disable", 1)
	if said, err := run(plain, ca); err == nil || !strings.Contains(said, "no encryption") {
		t.Errorf("psql without TLS: got %q and error %v, want no encryption", said, err)
	}
}

// A session keeps its settings on port 5432. On port 6432, each transaction may have a
// different session.
func TestReasonThreePort(t *testing.T) {
	t.Parallel()
	b := start(t).box()
	record := b.connection().Engines.Postgres
	direct := b.owner()
	b.exec(direct, "LISTEN news", "SET work_mem = '5MB'", "SELECT pg_advisory_lock(1)", "NOTIFY news, 'hello'")
	if note, err := direct.WaitForNotification(t.Context()); err != nil || note.Payload != "hello" {
		t.Errorf("LISTEN on the direct port: got %v and error %v, want hello", note, err)
	}
	if record.Pooled == 0 {
		without(t, "PgBouncer") // the record has no pooled port then
		return
	}
	pooled := b.owner(func(c *pgx.ConnConfig) {
		c.Port = uint16(record.Pooled)
		c.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	})
	b.exec(pooled, "BEGIN", "CREATE TABLE t (n INT)", "INSERT INTO t VALUES (1)", "COMMIT")
	if n := b.count(pooled, "SELECT n FROM t"); n != 1 {
		t.Errorf("the row of a transaction on the pooled port: got %d, want 1", n)
	}
	if _, err := b.dial(withPort(t, record.Owner, record.Pooled), func(c *pgx.ConnConfig) { c.TLSConfig = nil }); err == nil {
		t.Error("the pooled port without TLS: got no error, want one")
	}
}

// Without PgBouncer the record has no pooled port.
func TestWithoutPgBouncer(t *testing.T) {
	t.Parallel()
	b := start(t, func(o *dataplane.Options) { o.Postgres.PgBouncer = "" }).box()
	_, answer := b.call("GET", b.path+"/connection", nil)
	if port, there := answer["engines"].(object)["postgres"].(object)["pooled_port"]; there {
		t.Errorf("the pooled port of the record: got %v, want none", port)
	}
	b.exec(b.owner(), "SELECT 1")
}

func TestReasonFourRotation(t *testing.T) {
	t.Parallel()
	b := start(t).box()
	before := b.connection().Engines.Postgres
	b.exec(b.owner(), "CREATE TABLE t (n INT)")
	b.done("POST", b.path+"/actions/rotate", object{})
	after := b.connection().Engines.Postgres
	old := []string{before.Owner, before.ReadOnly}
	if before.Pooled != 0 {
		old = append(old, withPort(t, before.Owner, before.Pooled))
	}
	for _, link := range old {
		// PgBouncer reports it with a different code than Postgres.
		if _, err := b.dial(link); sqlState(err) != "28P01" && sqlState(err) != "08P01" {
			t.Errorf("an old URL: got error %v, want SQL state 28P01 or 08P01", err)
		}
	}
	fresh := []string{after.Owner, after.ReadOnly}
	if after.Pooled != 0 {
		fresh = append(fresh, withPort(t, after.Owner, after.Pooled))
	}
	for _, link := range fresh {
		conn, err := b.dial(link, func(c *pgx.ConnConfig) { c.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol })
		if err != nil {
			t.Errorf("a new URL: got error %v, want none", err)
			continue
		}
		if n := b.count(conn, "SELECT count(*) FROM t"); n != 0 {
			t.Errorf("rows of the table: got %d, want none", n)
		}
	}
}

func TestReasonFivePlansConnections(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.EditCatalog(func(c *fakeservice.Catalog) {
		c.Plans[0].PostgresConnections = 3
		c.Plans[1].PostgresConnections = 4
	})
	b := f.box()
	link := b.connection().Engines.Postgres.Owner
	held := []*pgx.Conn{b.owner(), b.owner()}
	readonly := must.Get(b.dial(b.connection().Engines.Postgres.ReadOnly))(t)
	held = append(held, readonly)
	if _, err := b.dial(link); sqlState(err) != "53300" {
		t.Errorf("the connection over the limit: got error %v, want SQL state 53300", err)
	}
	b.done("PUT", b.path+"/sql-console", object{"mode": "ro"})
	b.query("SELECT 1", http.StatusServiceUnavailable)
	must.Do(t, held[0].Close(t.Context()))
	machine.Until(t, "a connection after another ended", func() bool {
		conn, err := b.dial(link)
		if err == nil {
			_ = conn.Close(t.Context())
		}
		return err == nil
	})
	b.done("POST", b.path+"/actions/resize", object{"plan": "small"})
	for range 4 {
		b.owner()
	}
	if _, err := b.dial(link); sqlState(err) != "53300" {
		t.Errorf("the connection over the limit after the resize: got error %v, want SQL state 53300", err)
	}
}
