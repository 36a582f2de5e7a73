package app

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/lists"
)

var _ list.ListResourceWithConfigure = &appListResource{}

// NewListResource returns the list resource hosting_app.
func NewListResource() list.ListResource { return &appListResource{} }

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
	var filter lists.InstanceFilter
	diags := req.Config.Get(ctx, &filter)
	var apps []lists.Child[client.App]
	if base.RequireClient(r.Client, &diags) && !diags.HasError() {
		apps = lists.ChildrenOf(ctx, r.Client, filter, "apps", "apps", req.Limit, r.Client.Apps, &diags)
	}
	if req.IncludeResource {
		warnOfListedVariables(apps, &diags)
	}
	resp.Results = lists.Results(apps, req.Limit, diags, func(app lists.Child[client.App]) list.ListResult {
		instanceID, name := app.InstanceID, app.Record.Name
		return lists.NewChildResult(ctx, req, app, name, func(m *appModel, diags *diag.Diagnostics) {
			m.Name = types.StringValue(name)
			m.setRecord(app.Record, secretKeys{})
			builds, err := r.Client.RecentBuilds(ctx, instanceID, name, showDeployed(""))
			if err != nil {
				warnOfUnreadBuilds(diags, name, err)
			}
			m.setBuild(builds)
		})
	})
}
