package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/engineaccount"
)

// The roles and databases of a new cluster.
const (
	OwnerRole       = "owner"
	ReadOnlyRole    = "readonly"
	DefaultDatabase = "main"
	// superuser is this package's role. It has no password, so it can connect only through
	// the socket.
	superuser = "hosting"
	// maintenance is a database that always exists.
	maintenance = "postgres"
)

// template is a data folder that new clusters are copied from. Creating one takes about a
// second; copying it takes a small part of that.
type template struct {
	mu     sync.Mutex
	folder string
	ready  bool
}

// make creates the template on the first call.
func (t *template) make(ctx context.Context, programs Binaries, who engineaccount.Account) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ready {
		return nil
	}
	// The remains of a killed owner may be incomplete or from a different version.
	err := os.RemoveAll(t.folder)
	if err == nil {
		err = initdb(ctx, programs, who, t.folder)
	}
	if err != nil {
		// A half-made template would be in the way of the next attempt.
		return errors.Join(err, os.RemoveAll(t.folder))
	}
	t.ready = true
	return nil
}

func initdb(ctx context.Context, programs Binaries, who engineaccount.Account, folder string) error {
	if err := who.MakeFolder(folder); err != nil {
		return err
	}
	err := run(ctx, who, folder, "", programs.Initdb,
		"--pgdata", folder, "--username", superuser, "--auth", "reject", "--encoding", "UTF8", "--locale", "C",
		// A crash of the machine need not be survived, and small segments make small
		// backups.
		"--no-sync", "--wal-segsize", "1")
	if err != nil {
		return fmt.Errorf("make a cluster: %w", err)
	}
	// The roles come first, because the rules name them, and the default database last,
	// because it is copied from template1.
	for _, step := range []struct {
		database   string
		statements []string
	}{
		{maintenance, makeRoles()},
		{maintenance, rulesOf(maintenance)},
		{"template1", rulesOf("template1")},
		{maintenance, []string{createDatabase(DefaultDatabase), revokeTemporary(DefaultDatabase)}},
	} {
		// In this mode a line is a statement.
		err := run(ctx, who, folder, strings.Join(step.statements, "\n")+"\n", programs.Postgres,
			"--single", "-F", "-D", folder, "-c", "exit_on_error=on", step.database)
		if err != nil {
			return fmt.Errorf("prepare the database %s: %w", step.database, err)
		}
	}
	return nil
}

const readOnlyByDefault = "ALTER ROLE " + ReadOnlyRole + " SET default_transaction_read_only = on"

// makeRoles creates the two roles. They get their passwords in each cluster.
func makeRoles() []string {
	return []string{
		"CREATE ROLE " + OwnerRole + " LOGIN CREATEDB;",
		"CREATE ROLE " + ReadOnlyRole + " LOGIN;",
		"GRANT pg_read_all_data TO " + ReadOnlyRole + ";",
		readOnlyByDefault + ";",
	}
}

// rulesOf revokes the privileges with which the read-only role could leave something behind
// after a session has switched its read-only default off. The owner keeps them. Grants
// inside a database are copied with it.
func rulesOf(database string) []string {
	rules := []string{
		revokeTemporary(database),
		"REVOKE CREATE ON SCHEMA public FROM PUBLIC;",
		"GRANT ALL ON SCHEMA public TO " + OwnerRole + ";",
	}
	for _, function := range []string{"lo_creat(int)", "lo_create(oid)", "lo_from_bytea(oid, bytea)"} {
		rules = append(rules,
			"REVOKE EXECUTE ON FUNCTION pg_catalog."+function+" FROM PUBLIC;",
			"GRANT EXECUTE ON FUNCTION pg_catalog."+function+" TO "+OwnerRole+";")
	}
	return rules
}
