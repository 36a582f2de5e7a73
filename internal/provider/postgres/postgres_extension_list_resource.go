package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/lists"
)

var _ list.ListResourceWithConfigure = &postgresExtensionListResource{}

// NewExtensionListResource returns the list resource hosting_postgres_extension.
func NewExtensionListResource() list.ListResource { return &postgresExtensionListResource{} }

type postgresExtensionListResource struct{ postgresExtensionResource }

func (r *postgresExtensionListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the extensions in all databases of one instance, or of all instances. Use it to import extensions.",
		Attributes: map[string]schema.Attribute{
			"instance_id": schema.StringAttribute{Optional: true, MarkdownDescription: "Only the extensions of this instance. Default: all."},
		},
	}
}

func (r *postgresExtensionListResource) List(ctx context.Context, req list.ListRequest, resp *list.ListResultsStream) {
	var filter lists.InstanceFilter
	diags := req.Config.Get(ctx, &filter)
	var extensions []lists.Child[client.Extension]
	if base.RequireClient(r.Client, &diags) && !diags.HasError() {
		extensions = lists.ChildrenOf(ctx, r.Client, filter, "postgres", "extensions", req.Limit, r.extensions, &diags)
	}
	resp.Results = lists.Results(extensions, req.Limit, diags, func(extension lists.Child[client.Extension]) list.ListResult {
		identity := postgresExtensionIdentity{InstanceID: types.StringValue(extension.InstanceID),
			Database: types.StringValue(extension.Record.Database), Name: types.StringValue(extension.Record.Name)}
		name := fmt.Sprintf("%s in %s on %s", extension.Record.Name, extension.Record.Database, extension.Label)
		return lists.NewResult(ctx, req, name, identity, path.Root("instance_id"), extension.InstanceID,
			func(m *postgresExtensionModel, _ *diag.Diagnostics) {
				m.Database, m.Name = identity.Database, identity.Name
				m.setRecord(extension.Record)
			})
	})
}

// extensions returns the extensions of an instance, without those whose records lack the
// database: they have no identity.
func (r *postgresExtensionListResource) extensions(ctx context.Context, instanceID string) ([]client.Extension, error) {
	extensions, err := r.Client.Extensions(ctx, instanceID)
	return slices.DeleteFunc(extensions, func(e client.Extension) bool { return e.Database == "" }), err
}
