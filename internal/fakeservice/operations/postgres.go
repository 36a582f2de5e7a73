package operations

import (
	"context"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// onDatabase has the arguments that name a database of an instance.
type onDatabase struct {
	onInstance
	Name string `json:"name" jsonschema:"1 to 63 lower case letters, digits and underscores, the first of them a letter"`
}

// onExtension has the arguments that name an extension in a database.
type onExtension struct {
	onInstance
	Name     string `json:"name" jsonschema:"pgvector, pg_trgm or pgcrypto"`
	Database string `json:"database,omitempty" jsonschema:"left out, the instance's own database"`
}

func runStatement(ctx context.Context, s Service, in struct {
	onInstance
	SQL      string `json:"sql" jsonschema:"one statement"`
	Database string `json:"database,omitempty" jsonschema:"left out, the instance's own database"`
}) (core.StatementResult, error) {
	return s.RunStatement(ctx, in.InstanceID, in.Database, in.SQL)
}

func createDatabase(ctx context.Context, s Service, in onDatabase) (core.Accepted, error) {
	return s.CreateDatabase(ctx, in.InstanceID, in.Name)
}

func dropDatabase(ctx context.Context, s Service, in onDatabase) (core.Accepted, error) {
	return s.DropDatabase(ctx, in.InstanceID, in.Name)
}

func listExtensions(ctx context.Context, s Service, in struct {
	onInstance
	Database string `json:"database,omitempty" jsonschema:"left out, the extensions of every database"`
}) (core.ExtensionList, error) {
	return s.ListExtensions(ctx, in.InstanceID, in.Database)
}

func setExtension(ctx context.Context, s Service, in onExtension) (core.Accepted, error) {
	return s.SetExtension(ctx, in.InstanceID, in.Database, in.Name)
}

func dropExtension(ctx context.Context, s Service, in onExtension) (core.Accepted, error) {
	return s.DropExtension(ctx, in.InstanceID, in.Database, in.Name)
}
