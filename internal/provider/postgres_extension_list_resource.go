package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

var _ list.ListResourceWithConfigure = &postgresExtensionListResource{}

func newPostgresExtensionListResource() list.ListResource { return &postgresExtensionListResource{} }

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
	var filter instanceIDFilter
	diags := req.Config.Get(ctx, &filter)
	var extensions []child[client.Extension]
	if requireClient(r.client, &diags) && !diags.HasError() {
		extensions = childrenOf(ctx, r.client, filter, "postgres", "extensions", req.Limit, r.client.Extensions, &diags)
	}
	resp.Results = listResults(extensions, req.Limit, diags, func(extension child[client.Extension]) list.ListResult {
		identity := postgresExtensionIdentity{InstanceID: types.StringValue(extension.instanceID),
			Database: types.StringValue(extension.record.Database), Name: types.StringValue(extension.record.Name)}
		name := fmt.Sprintf("%s in %s on %s", extension.record.Name, extension.record.Database, extension.label)
		return newListResult(ctx, req, name, identity, path.Root("instance_id"), extension.instanceID,
			func(m *postgresExtensionModel, _ *diag.Diagnostics) {
				m.Database, m.Name = identity.Database, identity.Name
				m.setRecord(extension.record)
			})
	})
}
