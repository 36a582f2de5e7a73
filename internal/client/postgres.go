package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// A QueryResult is what a statement answered.
type QueryResult struct {
	Columns  []string `json:"columns"`
	Rows     [][]any  `json:"rows"`
	RowCount int64    `json:"row_count"`
	Command  string   `json:"command"`
}

// Query runs SQL in the console's present mode, at once and without a job.
// database is "" for the instance's own. It is never sent twice: when nobody
// can say whether it ran, the error is an *OutcomeError. A console that is off
// answers ErrConsoleOff; Postgres's own refusal is ErrSQL.
func (t *Turn) Query(ctx context.Context, database, sql string) (QueryResult, error) {
	body := map[string]string{"sql": sql}
	if database != "" {
		body["database"] = database
	}
	return do[QueryResult](ctx, t.c, request{
		method: http.MethodPost,
		path:   t.path("engines", "postgres", "query"),
		body:   body,
		key:    newKey(),
	})
}

// A Database is a Postgres database of an instance.
type Database struct {
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"created_at"`
}

// Databases reads the databases of an instance.
func (c *Client) Databases(ctx context.Context, instanceID string) ([]Database, error) {
	return list[Database](ctx, c, "databases", "instances", instanceID, "postgres", "databases")
}

// CreateDatabase creates a Postgres database.
func (t *Turn) CreateDatabase(ctx context.Context, name string) (Pending, error) {
	find := func(ctx context.Context, since time.Time) (Pending, bool, error) {
		if pending, ok, err := t.findJob(OpDatabaseCreate, "postgres/databases/"+name)(ctx, since); ok || err != nil {
			return pending, ok, err
		}
		databases, err := t.c.Databases(ctx, t.id)
		for _, database := range databases {
			if database.Name == name && !database.CreatedAt.Before(since) {
				return Pending{}, true, nil
			}
		}
		return Pending{}, false, err
	}
	return t.post(ctx, map[string]string{"name": name}, find, "postgres", "databases")
}

// DropDatabase drops a Postgres database with all that is in it.
func (t *Turn) DropDatabase(ctx context.Context, name string) (Pending, error) {
	return t.delete(ctx, request{path: t.path("postgres", "databases", name)})
}

// An Extension is a Postgres extension set in one database.
type Extension struct {
	Name     string `json:"name"`
	Database string `json:"database"`
	Version  string `json:"version"`
}

// Extensions reads the extensions of an instance, in all of its databases.
func (c *Client) Extensions(ctx context.Context, instanceID string) ([]Extension, error) {
	return list[Extension](ctx, c, "extensions", "instances", instanceID, "postgres", "extensions")
}

// SetExtension sets an extension in a database; "" is the instance's own.
func (t *Turn) SetExtension(ctx context.Context, database, name string) (Pending, error) {
	body := map[string]string{}
	if database != "" {
		body["database"] = database
	}
	return t.put(ctx, body, "postgres", "extensions", name)
}

// DropExtension drops an extension from a database; "" is the instance's own.
func (t *Turn) DropExtension(ctx context.Context, database, name string) (Pending, error) {
	r := request{path: t.path("postgres", "extensions", name)}
	if database != "" {
		r.query = url.Values{"database": {database}}
	}
	return t.delete(ctx, r)
}
