package fakeservice

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
)

// defaultDatabase is the one that every instance with postgres begins with and
// that cannot be dropped.
const defaultDatabase = "main"

// Roles of Postgres, by whose names the two URLs of a connection record go.
const (
	ownerRole    = "owner"
	readOnlyRole = "readonly"
)

// databaseName is what Postgres takes unquoted, so that nothing that the fake
// accepts needs care elsewhere.
var databaseName = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}$`)

// extensionVersion gives the version of an extension that the service supports.
func extensionVersion(name string) (version string, ok bool) {
	switch name {
	case "pgvector":
		return "0.8.0", true
	case "pg_trgm":
		return "1.6", true
	case "pgcrypto":
		return "1.3", true
	}
	return "", false
}

func noPostgres() error { return invalid("engines", "the instance has no postgres engine") }

func checkPostgres(in *instance) error {
	if _, on := in.Engines[EnginePostgres]; !on {
		return noPostgres()
	}
	return nil
}

func (in *instance) hasDatabase(name string) bool {
	return slices.ContainsFunc(in.databases, func(d Database) bool { return d.Name == name })
}

func (st *state) listDatabases(c *call) response {
	in, err := st.lookup(c)
	if err != nil {
		return fail(err)
	}
	if err := checkPostgres(in); err != nil {
		return fail(err)
	}
	return st.observed(c, in, func(in *instance) response {
		views := make([]map[string]any, 0, len(in.databases))
		for _, d := range in.databases {
			views = append(views, map[string]any{"name": d.Name, "created_at": d.CreatedAt})
		}
		return answer(http.StatusOK, map[string]any{"databases": views})
	})
}

func (st *state) createDatabase(c *call) response {
	in, err := st.changeable(c)
	if err != nil {
		return fail(err)
	}
	if err := checkPostgres(in); err != nil {
		return fail(err)
	}
	var wanted struct{ Name string }
	if err := c.decode(&wanted); err != nil {
		return fail(err)
	}
	name := wanted.Name
	reserved := []string{"postgres", "template0", "template1"}
	if !databaseName.MatchString(name) || slices.Contains(reserved, name) {
		return fail(invalid("name", "%q is no database name: it takes small letters, digits and underscores, and none of %v", name, reserved))
	}
	return st.observed(c, in, func(in *instance) response {
		if in.hasDatabase(name) {
			return fail(alreadyExists("the instance has a database %q already", name))
		}
		return st.begin(in, jobSpec{
			operation: "database_create",
			target:    "postgres/databases/" + name,
			work: func(ctx context.Context, plane DataPlane, m Machine) error {
				return plane.CreateDatabase(ctx, m.ID, name)
			},
			apply: func() {
				if !in.hasDatabase(name) {
					in.databases = append(in.databases, Database{Name: name, CreatedAt: st.now})
				}
			},
			event: "pg_database_created",
			data:  func() map[string]any { return map[string]any{"database": name} },
		})
	})
}

func (st *state) dropDatabase(c *call) response {
	in, err := st.changeable(c)
	if err != nil {
		return fail(err)
	}
	if err := checkPostgres(in); err != nil {
		return fail(err)
	}
	name := c.param("name")
	return st.observed(c, in, func(in *instance) response {
		if !in.hasDatabase(name) {
			return fail(notFound("the instance has no database %q", name))
		}
		if name == defaultDatabase {
			return fail(invalid("name", "the default database cannot be dropped"))
		}
		return st.begin(in, jobSpec{
			operation: "database_drop",
			target:    "postgres/databases/" + name,
			work: func(ctx context.Context, plane DataPlane, m Machine) error {
				return plane.DropDatabase(ctx, m.ID, name)
			},
			apply: func() { in.removeDatabase(name) },
			event: "pg_database_dropped",
			data:  func() map[string]any { return map[string]any{"database": name} },
		})
	})
}

// removeDatabase takes a database away with its extensions.
func (in *instance) removeDatabase(name string) bool {
	before := len(in.databases)
	in.databases = slices.DeleteFunc(in.databases, func(d Database) bool { return d.Name == name })
	in.extensions = slices.DeleteFunc(in.extensions, func(e Extension) bool { return e.Database == name })
	return len(in.databases) < before
}

func (st *state) listExtensions(c *call) response {
	in, err := st.lookup(c)
	if err != nil {
		return fail(err)
	}
	if err := checkPostgres(in); err != nil {
		return fail(err)
	}
	return st.observed(c, in, func(in *instance) response {
		only := c.query.Get("database")
		if only != "" && !in.hasDatabase(only) {
			return fail(invalid("database", "the instance has no database %q", only))
		}
		views := []map[string]any{}
		for _, e := range in.extensions {
			if only == "" || e.Database == only {
				views = append(views, map[string]any{"name": e.Name, "database": e.Database, "version": e.Version})
			}
		}
		return answer(http.StatusOK, map[string]any{"extensions": views})
	})
}

// setExtension turns an extension on. One that is on already stays on.
func (st *state) setExtension(c *call) response {
	in, err := st.changeable(c)
	if err != nil {
		return fail(err)
	}
	if err := checkPostgres(in); err != nil {
		return fail(err)
	}
	var wanted struct{ Database string }
	if err := c.decode(&wanted); err != nil {
		return fail(err)
	}
	name := c.param("name")
	version, ok := extensionVersion(name)
	if !ok {
		return fail(invalid("name", "there is no extension %q; there are pgvector, pg_trgm and pgcrypto", name))
	}
	if wanted.Database == "" {
		wanted.Database = defaultDatabase
	}
	extension := Extension{Name: name, Database: wanted.Database, Version: version}
	return st.observed(c, in, func(in *instance) response {
		if !in.hasDatabase(extension.Database) {
			return fail(invalid("database", "the instance has no database %q", extension.Database))
		}
		return st.begin(in, jobSpec{
			operation: "extension_set",
			target:    "postgres/extensions/" + name,
			work: func(ctx context.Context, plane DataPlane, m Machine) error {
				version, err := plane.SetExtension(ctx, m.ID, extension.Database, name)
				extension.Version = version
				return err
			},
			apply: func() {
				if in.hasDatabase(extension.Database) && !in.hasExtension(name, extension.Database) {
					in.extensions = append(in.extensions, extension)
				}
			},
			event: "engine_settings",
			data:  func() map[string]any { return map[string]any{"extension": name, "database": extension.Database} },
		})
	})
}

func (st *state) dropExtension(c *call) response {
	in, err := st.changeable(c)
	if err != nil {
		return fail(err)
	}
	if err := checkPostgres(in); err != nil {
		return fail(err)
	}
	name, database := c.param("name"), c.query.Get("database")
	if database == "" {
		database = defaultDatabase
	}
	return st.observed(c, in, func(in *instance) response {
		if !in.hasExtension(name, database) {
			return fail(notFound("the database %q has no extension %q", database, name))
		}
		return st.begin(in, jobSpec{
			operation: "extension_drop",
			target:    "postgres/extensions/" + name,
			work: func(ctx context.Context, plane DataPlane, m Machine) error {
				return plane.DropExtension(ctx, m.ID, database, name)
			},
			apply: func() { in.removeExtension(name, database) },
			event: "engine_settings",
			data:  func() map[string]any { return map[string]any{"extension": name, "database": database} },
		})
	})
}

func (in *instance) hasExtension(name, database string) bool {
	return slices.ContainsFunc(in.extensions, func(e Extension) bool { return e.Name == name && e.Database == database })
}

func (in *instance) removeExtension(name, database string) bool {
	before := len(in.extensions)
	in.extensions = slices.DeleteFunc(in.extensions, func(e Extension) bool { return e.Name == name && e.Database == database })
	return len(in.extensions) < before
}

// query runs a statement with the console's mode. It is no job, so it runs
// beside one, and it takes real time, so it runs with the store unlocked.
func (st *state) query(c *call) response {
	in, err := st.lookup(c)
	if err != nil {
		return fail(err)
	}
	if in.Status != StatusRunning {
		return fail(jobRunning("the instance %q is %s", in.ID, in.Status))
	}
	if err := checkPostgres(in); err != nil {
		return fail(err)
	}
	if in.ConsoleMode == "off" {
		return fail(&problem{http.StatusForbidden, "console_off", "the SQL console is off; set its mode to ro or rw first"})
	}
	var wanted struct{ SQL, Database string }
	if err := c.decode(&wanted); err != nil {
		return fail(err)
	}
	if wanted.SQL == "" {
		return fail(invalid("sql", "it must not be empty"))
	}
	if wanted.Database == "" {
		wanted.Database = defaultDatabase
	}
	// A real Postgres says itself which databases it has.
	if st.plane == nil && !in.hasDatabase(wanted.Database) {
		return fail(invalid("database", "the instance has no database %q", wanted.Database))
	}
	asked := Query{Instance: in.clone(), Database: wanted.Database, Mode: in.ConsoleMode, SQL: wanted.SQL}
	return response{later: func(ctx context.Context) response {
		result, err := c.service.querier.Query(ctx, asked)
		if refused := (*SQLError)(nil); errors.As(err, &refused) {
			return fail(&problem{http.StatusUnprocessableEntity, "sql_error", refused.Error()})
		}
		if err != nil {
			return fail(err)
		}
		return answer(http.StatusOK, map[string]any{
			"columns": listOf(result.Columns), "rows": rowsOf(result.Rows),
			"row_count": result.RowCount, "command": result.Command,
		})
	}}
}

func rowsOf(rows [][]any) [][]any {
	if rows == nil {
		return [][]any{}
	}
	return rows
}
