package postgres

import (
	"context"
	"errors"
	"fmt"
)

// CreateDatabase creates a database that belongs to the owner. An existing database is not
// an error: the caller has checked for it, so an interrupted earlier call has created it.
func (c *Cluster) CreateDatabase(ctx context.Context, name string) error {
	ctx, release, err := c.lock.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	name = quoteName(name)
	err = c.asSuperuser(ctx, maintenance, createDatabase(name))
	_, state, _ := IsSQLError(err)
	there := state == duplicateDatabase
	if err != nil && !there {
		return err
	}
	if err = c.asSuperuser(ctx, maintenance, revokeTemporary(name)); err != nil && !there {
		return errors.Join(err, c.asSuperuser(ctx, maintenance, dropDatabase(name)))
	}
	return err
}

// DropDatabase drops a database and ends its sessions. A missing database is not an error.
func (c *Cluster) DropDatabase(ctx context.Context, name string) error {
	ctx, release, err := c.lock.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	return c.asSuperuser(ctx, maintenance, dropDatabase(quoteName(name)))
}

// duplicateDatabase is the SQLSTATE for a database name that is taken.
const duplicateDatabase = "42P04"

// createDatabase, dropDatabase and revokeTemporary take quoted names.
func createDatabase(name string) string {
	return "CREATE DATABASE " + name + " OWNER " + OwnerRole + ";"
}

func dropDatabase(name string) string {
	return "DROP DATABASE IF EXISTS " + name + " WITH (FORCE);"
}

func revokeTemporary(database string) string {
	return "REVOKE TEMPORARY ON DATABASE " + database + " FROM PUBLIC;"
}

// MissingExtensionError is the error for an extension that the server does not have.
type MissingExtensionError struct {
	Name string
	// Version is the server's major version.
	Version int
}

// Error says how to install the extension, if that is known.
func (e *MissingExtensionError) Error() string {
	text := fmt.Sprintf("PostgreSQL %d on this machine has no extension %s", e.Version, e.Name)
	if e.Name == "vector" {
		text += fmt.Sprintf("; install pgvector for it, for example the package postgresql-%d-pgvector", e.Version)
	}
	return text
}

// SetExtension installs an extension, by PostgreSQL's name for it, in the database, and
// returns its version.
func (c *Cluster) SetExtension(ctx context.Context, database, name string) (version string, err error) {
	ctx, release, err := c.lock.Acquire(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	conn, err := c.connect(ctx, superuser, database)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	there, err := value(ctx, conn, "SELECT name FROM pg_available_extensions WHERE name = "+quote(name))
	if err != nil {
		return "", err
	}
	if there == "" {
		return "", &MissingExtensionError{Name: name, Version: c.server.programs.Version}
	}
	// The schema is named because the owner may have put a different one first.
	if _, err := value(ctx, conn, "CREATE EXTENSION IF NOT EXISTS "+quoteName(name)+" SCHEMA public"); err != nil {
		return "", err
	}
	return value(ctx, conn, "SELECT extversion FROM pg_extension WHERE extname = "+quote(name))
}

// DropExtension removes an extension. It fails while something depends on it.
func (c *Cluster) DropExtension(ctx context.Context, database, name string) error {
	ctx, release, err := c.lock.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	return c.asSuperuser(ctx, database, "DROP EXTENSION IF EXISTS "+quoteName(name))
}
