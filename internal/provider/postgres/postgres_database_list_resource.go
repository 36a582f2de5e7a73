package postgres

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/lists"
)

var _ list.ListResourceWithConfigure = &postgresDatabaseListResource{}

// NewDatabaseListResource returns the list resource hosting_postgres_database.
func NewDatabaseListResource() list.ListResource { return &postgresDatabaseListResource{} }

type postgresDatabaseListResource struct{ postgresDatabaseResource }

func (r *postgresDatabaseListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the databases of one instance, or of all. Use it to import databases. An instance's own database is left out, because it belongs to the engine.",
		Attributes: map[string]schema.Attribute{
			"instance_id": schema.StringAttribute{Optional: true, MarkdownDescription: "Only the databases of this instance. Default: all."},
		},
	}
}

func (r *postgresDatabaseListResource) List(ctx context.Context, req list.ListRequest, resp *list.ListResultsStream) {
	var filter lists.InstanceFilter
	diags := req.Config.Get(ctx, &filter)
	var databases []lists.Child[client.Database]
	if base.RequireClient(r.Client, &diags) && !diags.HasError() {
		databases = lists.ChildrenOf(ctx, r.Client, filter, "postgres", "databases", req.Limit, r.databases, &diags)
	}
	resp.Results = lists.Results(databases, req.Limit, diags, func(database lists.Child[client.Database]) list.ListResult {
		name := database.Record.Name
		return lists.NewChildResult(ctx, req, database, name, func(m *postgresDatabaseModel, _ *diag.Diagnostics) {
			m.Name = types.StringValue(name)
			m.setRecord(database.Record)
		})
	})
}

// databases returns the databases of an instance, without the instance's own database.
func (r *postgresDatabaseListResource) databases(ctx context.Context, instanceID string) ([]client.Database, error) {
	databases, partial := r.Client.Databases(ctx, instanceID)
	if partial != nil && len(databases) == 0 {
		return nil, partial
	}
	connection, err := r.Client.Connection(ctx, instanceID)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(databases, func(d client.Database) bool {
		return connection.Engines.Postgres != nil && d.Name == connection.Engines.Postgres.Database
	}), partial
}
