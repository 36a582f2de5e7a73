package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// Query runs SQL in the current mode of the SQL console. It runs immediately, without a
// job, and Query returns when the SQL has run, however long that takes. The result is
// dropped. database "" means the instance's own database. The SQL is never sent twice: if
// it is unknown whether it ran, the error is an *OutcomeError. If the console is off, the
// error is ErrConsoleOff. If Postgres refuses the SQL, it is ErrSQL.
func (t *Turn) Query(ctx context.Context, database, sql string) error {
	if err := t.held(); err != nil {
		return err
	}
	body := map[string]string{"sql": sql}
	if database != "" {
		body["database"] = database
	}
	r := transport.Request{
		Method:    http.MethodPost,
		Path:      t.path("engines", "postgres", "query"),
		Body:      body,
		Key:       t.c.random.Key(),
		Statement: true,
	}
	t.c.reads.changed(t.id) // the SQL may change anything
	defer t.c.reads.changed(t.id)
	call, err := t.c.sender.Send(lifetime.WithGracePeriod(ctx), r)
	if err == nil && !isResult(call.ResponseBody()) {
		err = &transport.OutcomeError{Err: t.c.sender.Foreign(r, "the answer has no result")}
	}
	return err
}

// IsReadOnly reports whether an error is Postgres's refusal of a write in a read-only
// transaction, SQLSTATE 25006. The detail contains the SQLSTATE (SERVICE.md#errors). It is
// false for 42501, a missing privilege, which the owner may also lack.
func IsReadOnly(err error) bool {
	var refusal *transport.APIError
	return errors.Is(err, ErrSQL) && errors.As(err, &refusal) && strings.Contains(refusal.Detail, "SQLSTATE 25006")
}

// isResult reports whether a text begins like the result of a statement: an object with
// one of the known members (SERVICE.md#sql-console). The rest may be missing.
func isResult(text []byte) bool {
	d := json.NewDecoder(bytes.NewReader(text))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return false
	}
	for {
		switch member, err := d.Token(); {
		case err != nil:
			return false
		case slices.Contains([]any{"columns", "rows", "row_count", "command"}, any(member)):
			return true
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return false
		}
	}
}

// OwnDatabase returns the name of the instance's own database from its connection record.
// It returns "" if the record has none, for example because postgres is off. If the
// instance has no connection record yet, OwnDatabase waits as it does for a busy
// instance.
func (t *Turn) OwnDatabase(ctx context.Context) (string, error) {
	for b := (busy{}); ; {
		connection, err := t.c.Connection(ctx, t.id)
		switch {
		case err == nil && connection.Engines.Postgres == nil:
			return "", nil
		case err == nil:
			return connection.Engines.Postgres.Database, nil
		case !isConflict(err):
			return "", err
		}
		if _, err := t.awaitFree(ctx, err, &b); err != nil {
			return "", err
		}
	}
}

// A Database is a Postgres database of an instance.
type Database struct {
	Name      string `json:"name"`
	CreatedAt Time   `json:"created_at"`
}

// Identifier returns the database's name, which is unique on its instance.
func (d Database) Identifier() string { return d.Name }

// Databases reads the databases of an instance.
func (c *Client) Databases(ctx context.Context, instanceID string) ([]Database, error) {
	databases, err := list[Database](ctx, c, "databases", "instances", instanceID, "postgres", "databases")
	return databases, c.missing(ctx, instanceID, "postgres", err)
}

// CreateDatabase creates a Postgres database.
func (t *Turn) CreateDatabase(ctx context.Context, name string) (Pending, error) {
	databases, err := t.c.sharedDatabases(ctx, t.id, t.c.reads.ofInstance(t.id))
	if err != nil {
		return Pending{}, err
	}
	noteNames(t, databases)
	_, taken := find(databases, name)
	return t.create(ctx, mutation{
		Request:   transport.Request{Path: []string{"postgres", "databases"}, Body: map[string]string{"name": name}},
		operation: OpDatabaseCreate,
		target:    databaseTarget(name),
		isMade: func(ctx context.Context) (bool, error) {
			databases, err := t.c.Databases(ctx, t.id)
			_, there := find(databases, name)
			return there, err
		},
	}, taken)
}

// DropDatabase drops a Postgres database with all its data.
func (t *Turn) DropDatabase(ctx context.Context, name string, guard DeleteGuard) (Pending, error) {
	return t.set(ctx, mutation{
		Request:   transport.Request{Method: http.MethodDelete, Path: []string{"postgres", "databases", name}},
		operation: OpDatabaseDrop,
		target:    databaseTarget(name),
		prepare:   guard.prepare,
		isMade: func(ctx context.Context) (bool, error) {
			return absent(t.c.RefreshDatabase(ctx, t.id, name))
		},
	})
}

// databaseTarget returns the target of a database's jobs.
func databaseTarget(name string) string { return "postgres/databases/" + name }

// An Extension is a Postgres extension installed in one database.
type Extension struct {
	Name     string `json:"name"`
	Database string `json:"database"`
	Version  string `json:"version"`
}

// Identifier returns the database's and the extension's names, which together are unique
// on their instance.
func (e Extension) Identifier() string { return e.Database + "/" + e.Name }

// Extensions reads the extensions in all databases of an instance.
func (c *Client) Extensions(ctx context.Context, instanceID string) ([]Extension, error) {
	extensions, err := list[Extension](ctx, c, "extensions", "instances", instanceID, "postgres", "extensions")
	return extensions, c.missing(ctx, instanceID, "postgres", err)
}

// SetExtension installs an extension in a database; "" means the instance's own database.
func (t *Turn) SetExtension(ctx context.Context, database, name string) (Pending, error) {
	body := map[string]string{}
	if database != "" {
		body["database"] = database
	}
	return t.set(ctx, mutation{
		Request:   transport.Request{Method: http.MethodPut, Path: []string{"postgres", "extensions", name}, Body: body},
		operation: OpExtensionSet,
		target:    extensionTarget(name),
		isMade: func(ctx context.Context) (bool, error) {
			extensions, err := t.c.Extensions(ctx, t.id)
			_, there := FindExtension(extensions, database, name)
			return there, err
		},
	})
}

// DropExtension drops an extension from a database; "" means the instance's own database.
func (t *Turn) DropExtension(ctx context.Context, database, name string) (Pending, error) {
	r := transport.Request{Method: http.MethodDelete, Path: []string{"postgres", "extensions", name}}
	if database != "" {
		r.Query = url.Values{"database": {database}}
	}
	return t.set(ctx, mutation{
		Request:   r,
		operation: OpExtensionDrop,
		target:    extensionTarget(name),
		isMade: func(ctx context.Context) (bool, error) {
			return absent(t.c.RefreshExtension(ctx, t.id, database, name))
		},
	})
}

// extensionTarget returns the target of an extension's jobs.
func extensionTarget(name string) string { return "postgres/extensions/" + name }

// FindExtension finds an extension in a database, or in any database if that is "". A record
// that does not have its database may be of any.
func FindExtension(extensions []Extension, database, name string) (Extension, bool) {
	for _, e := range extensions {
		if e.Name == name && (database == "" || e.Database == "" || e.Database == database) {
			return e, true
		}
	}
	return Extension{}, false
}

// RefreshDatabase reads a database for a refresh. The databases of an instance are listed
// once. It returns ErrNotFound only for a confirmed absence.
func (c *Client) RefreshDatabase(ctx context.Context, instanceID, name string) (Database, error) {
	read := func(ctx context.Context, isFresh freshness) (Database, error) {
		databases, err := c.sharedDatabases(ctx, instanceID, isFresh)
		database, found := find(databases, name)
		switch {
		case found:
			err = nil // even if another element cannot be read
		case err == nil:
			err = notListed(databases, "database", name)
		}
		return database, err
	}
	database, err := read(ctx, c.reads.ofInstance(instanceID))
	return confirmAbsence(ctx, c, childSubject(instanceID, "databases", name), database, err, fresh(c, read), nil)
}

func (c *Client) sharedDatabases(ctx context.Context, instanceID string, isFresh freshness) ([]Database, error) {
	return c.reads.databases.get(ctx, instanceID, isFresh, func(ctx context.Context) ([]Database, error) { return c.Databases(ctx, instanceID) })
}

// RefreshExtension reads an extension for a refresh. The extensions of an instance are
// listed once. It returns ErrNotFound only for a confirmed absence.
func (c *Client) RefreshExtension(ctx context.Context, instanceID, database, name string) (Extension, error) {
	id := Extension{Name: name, Database: database}.Identifier()
	read := func(ctx context.Context, isFresh freshness) (Extension, error) {
		extensions, err := c.reads.extensions.get(ctx, instanceID, isFresh, func(ctx context.Context) ([]Extension, error) {
			return c.Extensions(ctx, instanceID)
		})
		extension, found := FindExtension(extensions, database, name)
		switch {
		case found:
			err = nil // even if another element cannot be read
		case err == nil:
			err = notListed(extensions, "extension", id)
		}
		return extension, err
	}
	extension, err := read(ctx, c.reads.ofInstance(instanceID))
	return confirmAbsence(ctx, c, childSubject(instanceID, "extensions", id), extension, err, fresh(c, read), nil)
}
