package postgres

import (
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/loopback"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// The owner's settings for all sessions of a database do not reach the service's own sessions.
func TestOwnersSettings(t *testing.T) {
	t.Parallel()
	c := newCluster(t, newServer(t), loopback.Address(t.Context(), DirectPort, PooledPort))
	var statements []string
	for _, setting := range []string{
		"statement_timeout = '1ms'", "lock_timeout = '1ms'", "default_transaction_read_only = on", "role = " + OwnerRole, "search_path = public",
		"standard_conforming_strings = off", "check_function_bodies = off", "DateStyle = 'German'", "default_transaction_isolation = 'serializable'",
	} {
		statements = append(statements, "ALTER DATABASE "+DefaultDatabase+" SET "+setting)
	}
	if err := c.asSuperuser(t.Context(), DefaultDatabase, statements...); err != nil { // as the owner may, in one session
		t.Fatal(err)
	}
	if _, err := c.SetExtension(t.Context(), DefaultDatabase, "pg_trgm"); err != nil {
		t.Errorf("SetExtension: got error %v, want none", err)
	}
	conn := must.Get(c.connect(t.Context(), superuser, DefaultDatabase))(t)
	for name, want := range pinned {
		if got, err := value(t.Context(), conn, "SHOW "+name); err != nil || got != want {
			t.Errorf("%s: got %q and error %v, want %q", name, got, err, want)
		}
	}
	must.Report(t, conn.Close(t.Context()))
}
