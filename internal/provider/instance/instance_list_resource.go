package instance

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/lists"
)

var _ list.ListResourceWithConfigure = &instanceListResource{}

// NewListResource returns the list resource hosting_instance.
func NewListResource() list.ListResource { return &instanceListResource{} }

type instanceListResource struct{ instanceResource }

func (r *instanceListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists instances, all or some. Use it to import instances. " +
			"Those that are being created or have failed are included; an apply that imports one waits until it runs. " +
			"Those that are being deleted are listed only if `status` says so.",
		Attributes: map[string]schema.Attribute{
			"name":   schema.StringAttribute{Optional: true, MarkdownDescription: instanceFilterDescriptions["name"]},
			"plan":   schema.StringAttribute{Optional: true, MarkdownDescription: instanceFilterDescriptions["plan"]},
			"region": schema.StringAttribute{Optional: true, MarkdownDescription: instanceFilterDescriptions["region"]},
			"status": schema.StringAttribute{Optional: true, MarkdownDescription: "Only instances with this status: `creating`, `running`, `deleting` or `failed`. Default: all but `deleting`."},
			"tag":    schema.StringAttribute{Optional: true, MarkdownDescription: instanceFilterDescriptions["tag"]},
		},
	}
}

func (r *instanceListResource) List(ctx context.Context, req list.ListRequest, resp *list.ListResultsStream) {
	var filter instanceFilter
	diags := req.Config.Get(ctx, &filter)
	var instances []client.Instance
	if base.RequireClient(r.Client, &diags) && !diags.HasError() {
		var err error
		instances, err = r.Client.Instances(ctx)
		if err = diagnostics.LeftOut(err, &diags); err != nil {
			diagnostics.AddClientError(&diags, "Unable to list the instances", err)
		} else {
			filter.check(ctx, r.Client, instances, &diags)
		}
	}
	if diags.HasError() {
		resp.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	instances = slices.DeleteFunc(slices.Clone(instances), func(i client.Instance) bool {
		// An import of an instance that is being deleted would only buy another one.
		return !filter.matches(i) || filter.Status.IsNull() && i.Status == client.StatusDeleting
	})
	resp.Results = lists.Results(instances, req.Limit, diags, func(i client.Instance) list.ListResult {
		return lists.NewResult(ctx, req, i.Name.Value, instanceIdentity{ID: types.StringValue(i.ID)}, path.Root("id"), i.ID,
			func(m *instanceModel, diags *diag.Diagnostics) {
				m.setRecord(i, r.DefaultTags)
				if m.needsConnection() {
					r.setConnection(ctx, m, diags)
				}
			})
	})
}
