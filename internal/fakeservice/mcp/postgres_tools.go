package mcp

import (
	"context"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// statement are the arguments of a query.
type statement struct {
	onInstance
	SQL      string `json:"sql" jsonschema:"one statement"`
	Database string `json:"database,omitempty" jsonschema:"left out, the instance's own database"`
}

// onDatabase is a database of an instance.
type onDatabase struct {
	onInstance
	Name string `json:"name" jsonschema:"1 to 63 lower case letters, digits and underscores, the first of them a letter"`
}

// inDatabase are the arguments of a list of extensions.
type inDatabase struct {
	onInstance
	Database string `json:"database,omitempty" jsonschema:"left out, the extensions of every database"`
}

// onExtension is an extension in a database.
type onExtension struct {
	onInstance
	Name     string `json:"name" jsonschema:"pgvector, pg_trgm or pgcrypto"`
	Database string `json:"database,omitempty" jsonschema:"left out, the instance's own database"`
}

// addPostgres adds the tools for what is in Postgres.
func (t tools) addPostgres() {
	s := t.Service
	add(t, about{
		name: "postgres_query", title: "Run SQL", effect: destroying,
		text: "Runs one SQL statement at once, as far as the mode of the SQL console lets it; set_sql_console sets that. What it changes is no job and cannot be taken back.",
	}, func(ctx context.Context, in statement) (core.StatementResult, error) {
		return s.RunStatement(ctx, in.InstanceID, in.Database, in.SQL)
	})
	add(t, about{
		name: "list_databases", title: "Databases", effect: reading,
		text: "Lists the Postgres databases of an instance, its own first.",
	}, func(ctx context.Context, in onInstance) (core.DatabaseList, error) {
		return s.ListDatabases(ctx, in.InstanceID)
	})
	add(t, about{
		name: "create_database", title: "Create a database", effect: doing,
		text: "Creates a Postgres database.",
	}, func(ctx context.Context, in onDatabase) (core.Accepted, error) {
		return s.CreateDatabase(ctx, in.InstanceID, in.Name)
	})
	add(t, about{
		name: "drop_database", title: "Drop a database", effect: replacing,
		text: "Drops a Postgres database with all its data, for good.",
	}, func(ctx context.Context, in onDatabase) (core.Accepted, error) {
		return s.DropDatabase(ctx, in.InstanceID, in.Name)
	})
	add(t, about{
		name: "list_extensions", title: "Extensions", effect: reading,
		text: "Lists the Postgres extensions that are on.",
	}, func(ctx context.Context, in inDatabase) (core.ExtensionList, error) {
		return s.ListExtensions(ctx, in.InstanceID, in.Database)
	})
	add(t, about{
		name: "set_extension", title: "Turn an extension on", effect: adding,
		text: "Turns a Postgres extension on in a database: pgvector, pg_trgm or pgcrypto.",
	}, func(ctx context.Context, in onExtension) (core.Accepted, error) {
		return s.SetExtension(ctx, in.InstanceID, in.Database, in.Name)
	})
	add(t, about{
		name: "drop_extension", title: "Turn an extension off", effect: replacing,
		text: "Turns a Postgres extension off in a database.",
	}, func(ctx context.Context, in onExtension) (core.Accepted, error) {
		return s.DropExtension(ctx, in.InstanceID, in.Database, in.Name)
	})
}
