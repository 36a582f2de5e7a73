package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// An instance's own database comes and goes with its postgres engine. No resource manages it.

// ownDatabase returns the name of an instance's own database.
func ownDatabase(ctx context.Context, c *client.Client, turn *client.Turn) (string, error) {
	name, err := client.ReadBack(ctx, c, turn.OwnDatabase, func(name string) bool { return name != "" })
	if err == nil && name == "" {
		err = errors.New("its connection record names none: turn the postgres engine on, or set database to the name")
	}
	return name, err
}

// recordedOwnDatabase returns the name of an instance's own database from its connection
// record, or "" if the record does not have it.
func recordedOwnDatabase(ctx context.Context, c *client.Client, instanceID string) (string, error) {
	connection, err := c.Connection(ctx, instanceID)
	if err != nil || connection.Engines.Postgres == nil {
		return "", err
	}
	return connection.Engines.Postgres.Database, nil
}

// An ownDatabaseError reports that the database to create is the instance's own.
type ownDatabaseError struct {
	error
	name string
}

func (e *ownDatabaseError) Unwrap() error { return e.error }

// NextStep says how to use the database.
func (e *ownDatabaseError) NextStep() string {
	return fmt.Sprintf("It is the instance's own database, which comes and goes with the postgres engine, so no resource manages it. "+
		"Remove the resource, and use the name %q where the database is needed, or choose another name.", e.name)
}
