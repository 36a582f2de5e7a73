package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

var _ list.ListResourceWithConfigure = &appListResource{}

func newAppListResource() list.ListResource { return &appListResource{} }

type appListResource struct{ appResource }

func (r *appListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the apps of one instance, or of all. Use it to import apps. " +
			"**Variables are not listed**, because any of them may be secret: the query names them in a warning, and generated configuration has no `env`. " +
			"An imported app keeps its variables until you set `env`. The next apply then removes all variables that are not in the configuration, and the plan names them.",
		Attributes: map[string]schema.Attribute{
			"instance_id": schema.StringAttribute{Optional: true, MarkdownDescription: "Only the apps of this instance. Default: all."},
		},
	}
}

func (r *appListResource) List(ctx context.Context, req list.ListRequest, resp *list.ListResultsStream) {
	var filter instanceIDFilter
	diags := req.Config.Get(ctx, &filter)
	var apps []child[client.App]
	if requireClient(r.client, &diags) && !diags.HasError() {
		apps = childrenOf(ctx, r.client, filter, "apps", "apps", req.Limit, r.client.Apps, &diags)
	}
	if req.IncludeResource {
		warnOfListedVariables(apps, &diags)
	}
	resp.Results = listResults(apps, req.Limit, diags, func(app child[client.App]) list.ListResult {
		instanceID, name := app.instanceID, app.record.Name
		return newChildResult(ctx, req, app, name, func(m *appModel, diags *diag.Diagnostics) {
			m.Name = types.StringValue(name)
			m.setRecord(app.record, secretKeys{})
			builds, err := r.client.RecentBuilds(ctx, instanceID, name, showDeployed(""))
			if err != nil {
				warnOfUnreadBuilds(diags, name, err)
			}
			m.setBuild(builds)
		})
	})
}
