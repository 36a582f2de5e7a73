package core

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"slices"
	"time"
)

// DefaultDatabase is the first database of every instance with postgres. It cannot be
// dropped.
const DefaultDatabase = "main"

// The roles of Postgres in the two URLs of a connection record.
const (
	ownerRole    = "owner"
	readOnlyRole = "readonly"
)

// databaseName matches names that Postgres accepts unquoted, so that accepted names need
// no quoting anywhere.
var databaseName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)

func checkDatabase(name string) error {
	reserved := []string{"postgres", "template0", "template1"}
	if databaseName.MatchString(name) && !slices.Contains(reserved, name) {
		return nil
	}
	return invalid("name", "%q must be 1 to 63 lower case letters, digits and underscores, the first of them a letter, and none of %v", name, reserved)
}

// extensionVersion returns the version of a supported extension.
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
	return slices.ContainsFunc(in.Databases, func(d Database) bool { return d.Name == name })
}

// DatabaseList lists the databases of an instance, the default one first.
type DatabaseList struct {
	Databases []DatabaseRecord `json:"databases"`
}

// DatabaseRecord is a database as the API shows it.
type DatabaseRecord struct {
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"created_at"`
}

// ListDatabases returns the databases as the API shows them.
func (s *Service) ListDatabases(ctx context.Context, id string) (DatabaseList, error) {
	return observed(ctx, s, id, func(_ *state, in *instance) (DatabaseList, error) {
		list := DatabaseList{Databases: []DatabaseRecord{}}
		for _, d := range in.Databases {
			list.Databases = append(list.Databases, DatabaseRecord(d))
		}
		return list, nil
	})
}

// observed is lookAt for the databases and extensions of a real Postgres.
func observed[T any](ctx context.Context, s *Service, id string, operation func(*state, *instance) (T, error)) (T, error) {
	if err := s.observe(ctx, id); err != nil {
		var none T
		return none, err
	}
	return lookAt(ctx, s, id, func(st *state, in *instance) (T, error) {
		if err := checkPostgres(in); err != nil {
			var none T
			return none, err
		}
		return operation(st, in)
	})
}

// mutatePostgres is mutate for the databases and extensions of a real Postgres.
func (s *Service) mutatePostgres(ctx context.Context, id string, plan func(*state, *instance) (jobKind, error)) (Accepted, error) {
	if err := s.observe(ctx, id); err != nil {
		return Accepted{}, err
	}
	return s.mutate(id, func(st *state, in *instance) (jobKind, error) {
		if err := checkPostgres(in); err != nil {
			return nil, err
		}
		return plan(st, in)
	})
}

// CreateDatabase creates a database.
func (s *Service) CreateDatabase(ctx context.Context, id, name string) (Accepted, error) {
	return s.mutatePostgres(ctx, id, func(_ *state, in *instance) (jobKind, error) {
		if err := checkDatabase(name); err != nil {
			return nil, err
		}
		if in.hasDatabase(name) {
			return nil, alreadyExists("the instance has a database %q already", name)
		}
		return &databaseCreateJob{name}, nil
	})
}

// databaseCreateJob creates a database.
type databaseCreateJob struct{ Database string }

func (j *databaseCreateJob) spec(st *state, in *instance) jobSpec {
	return jobSpec{
		target: "postgres/databases/" + j.Database,
		work: func(ctx context.Context, t task) error {
			return t.plane.CreateDatabase(ctx, t.instanceID, j.Database)
		},
		apply: func() {
			if !in.hasDatabase(j.Database) {
				in.Databases = append(in.Databases, Database{Name: j.Database, CreatedAt: st.Now})
			}
		},
		data: func() map[string]any { return map[string]any{"database": j.Database} },
	}
}

// DropDatabase drops a database with its data.
func (s *Service) DropDatabase(ctx context.Context, id, name string) (Accepted, error) {
	return s.mutatePostgres(ctx, id, func(_ *state, in *instance) (jobKind, error) {
		if !in.hasDatabase(name) {
			return nil, notFound("the instance has no database %q", name)
		}
		if name == DefaultDatabase {
			return nil, invalid("name", "the default database cannot be dropped")
		}
		return &databaseDropJob{name}, nil
	})
}

// databaseDropJob drops a database.
type databaseDropJob struct{ Database string }

func (j *databaseDropJob) spec(_ *state, in *instance) jobSpec {
	return jobSpec{
		target: "postgres/databases/" + j.Database,
		work: func(ctx context.Context, t task) error {
			return t.plane.DropDatabase(ctx, t.instanceID, j.Database)
		},
		apply: func() { in.removeDatabase(j.Database) },
		data:  func() map[string]any { return map[string]any{"database": j.Database} },
	}
}

// removeDatabase removes a database with its extensions. It reports whether the database
// existed.
func (in *instance) removeDatabase(name string) bool {
	before := len(in.Databases)
	in.Databases = slices.DeleteFunc(in.Databases, func(d Database) bool { return d.Name == name })
	in.Extensions = slices.DeleteFunc(in.Extensions, func(e Extension) bool { return e.Database == name })
	return len(in.Databases) < before
}

// ExtensionList lists the extensions of an instance.
type ExtensionList struct {
	Extensions []ExtensionRecord `json:"extensions"`
}

// ExtensionRecord is an extension in one database as the API shows it.
type ExtensionRecord struct {
	Name     string `json:"name"`
	Database string `json:"database"`
	Version  string `json:"version"`
}

// ListExtensions returns the extensions of one database, or of all if database is "", as
// the API shows them.
func (s *Service) ListExtensions(ctx context.Context, id, database string) (ExtensionList, error) {
	return observed(ctx, s, id, func(_ *state, in *instance) (ExtensionList, error) {
		if database != "" && !in.hasDatabase(database) {
			return ExtensionList{}, invalid("database", "the instance has no database %q", database)
		}
		list := ExtensionList{Extensions: []ExtensionRecord{}}
		for _, e := range in.Extensions {
			if database == "" || e.Database == database {
				list.Extensions = append(list.Extensions, ExtensionRecord(e))
			}
		}
		return list, nil
	})
}

// SetExtension turns an extension on in a database, or in the default one if database is
// "". It succeeds if the extension is on already.
func (s *Service) SetExtension(ctx context.Context, id, database, name string) (Accepted, error) {
	return s.mutatePostgres(ctx, id, func(_ *state, in *instance) (jobKind, error) {
		version, ok := extensionVersion(name)
		if !ok {
			return nil, invalid("name", "there is no extension %q; there are pgvector, pg_trgm and pgcrypto", name)
		}
		extension := Extension{Name: name, Database: cmp.Or(database, DefaultDatabase), Version: version}
		if !in.hasDatabase(extension.Database) {
			return nil, invalid("database", "the instance has no database %q", extension.Database)
		}
		return &extensionSetJob{extension}, nil
	})
}

// extensionSetJob turns an extension on. The data plane replaces its version by the real
// one.
type extensionSetJob struct{ Extension Extension }

func (j *extensionSetJob) spec(_ *state, in *instance) jobSpec {
	name, database := j.Extension.Name, j.Extension.Database
	return jobSpec{
		target: "postgres/extensions/" + name,
		work: func(ctx context.Context, t task) error {
			version, err := t.plane.SetExtension(ctx, t.instanceID, database, name)
			if err == nil {
				t.note(func() { j.Extension.Version = version })
			}
			return err
		},
		apply: func() {
			if in.hasDatabase(database) && !in.hasExtension(name, database) {
				in.Extensions = append(in.Extensions, j.Extension)
			}
		},
		data: func() map[string]any { return map[string]any{"extension": name, "database": database} },
	}
}

// DropExtension turns an extension off in a database, or in the default one if database
// is "". It is refused with not_found if the extension is off.
func (s *Service) DropExtension(ctx context.Context, id, database, name string) (Accepted, error) {
	database = cmp.Or(database, DefaultDatabase)
	return s.mutatePostgres(ctx, id, func(_ *state, in *instance) (jobKind, error) {
		if !in.hasExtension(name, database) {
			return nil, notFound("the database %q has no extension %q", database, name)
		}
		return &extensionDropJob{name, database}, nil
	})
}

// extensionDropJob turns an extension off.
type extensionDropJob struct{ Name, Database string }

func (j *extensionDropJob) spec(_ *state, in *instance) jobSpec {
	return jobSpec{
		target: "postgres/extensions/" + j.Name,
		work: func(ctx context.Context, t task) error {
			return t.plane.DropExtension(ctx, t.instanceID, j.Database, j.Name)
		},
		apply: func() { in.removeExtension(j.Name, j.Database) },
		data:  func() map[string]any { return map[string]any{"extension": j.Name, "database": j.Database} },
	}
}

func (in *instance) hasExtension(name, database string) bool {
	return slices.ContainsFunc(in.Extensions, func(e Extension) bool { return e.Name == name && e.Database == database })
}

func (in *instance) removeExtension(name, database string) bool {
	before := len(in.Extensions)
	in.Extensions = slices.DeleteFunc(in.Extensions, func(e Extension) bool { return e.Name == name && e.Database == database })
	return len(in.Extensions) < before
}

// StatementResult is the result of a statement, as the API shows it.
type StatementResult struct {
	Columns  []string `json:"columns"`
	Rows     [][]any  `json:"rows"`
	RowCount int      `json:"row_count"`
	Command  string   `json:"command"`
}

// RunStatement runs SQL with the console's mode in a database, or in the default one if
// database is "". It is not a job: it can run during one, and it takes real time.
func (s *Service) RunStatement(ctx context.Context, id, database, sql string) (StatementResult, error) {
	asked, err := change(s, func(st *state) (Query, error) { return st.query(id, cmp.Or(database, DefaultDatabase), sql) })
	if err != nil {
		return StatementResult{}, err
	}
	result, err := s.querier.Query(ctx, asked)
	if refused := (*SQLError)(nil); errors.As(err, &refused) {
		return StatementResult{}, Refuse(StatementError, "%s", refused)
	}
	if err != nil {
		return StatementResult{}, err
	}
	rows := result.Rows
	if rows == nil {
		rows = [][]any{}
	}
	return StatementResult{listOf(result.Columns), rows, result.RowCount, result.Command}, nil
}

// query checks a statement and returns it with its instance and mode.
func (st *state) query(id, database, sql string) (Query, error) {
	in, err := st.lookup(id)
	if err != nil {
		return Query{}, err
	}
	if err := in.checkStatus(); err != nil {
		return Query{}, err
	}
	if err := checkPostgres(in); err != nil {
		return Query{}, err
	}
	if in.ConsoleMode == "off" {
		return Query{}, Refuse(ConsoleOff, "the SQL console is off; set its mode to ro or rw first")
	}
	if sql == "" {
		return Query{}, invalid("sql", "it must not be empty")
	}
	// A real Postgres checks the database itself.
	if st.plane == nil && !in.hasDatabase(database) {
		return Query{}, invalid("database", "the instance has no database %q", database)
	}
	return Query{Instance: copyOfInstance(in.Instance), Database: database, Mode: in.ConsoleMode, SQL: sql}, nil
}
