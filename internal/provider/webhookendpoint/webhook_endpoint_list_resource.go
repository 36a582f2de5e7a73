package webhookendpoint

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/lists"
)

var _ list.ListResourceWithConfigure = &webhookEndpointListResource{}

// NewListResource returns the list resource hosting_webhook_endpoint.
func NewListResource() list.ListResource { return &webhookEndpointListResource{} }

type webhookEndpointListResource struct{ webhookEndpointResource }

// webhookEndpointFilter selects endpoints. A null attribute matches every endpoint.
type webhookEndpointFilter struct {
	Enabled types.Bool `tfsdk:"enabled"`
}

func (f webhookEndpointFilter) matches(w client.Webhook) bool {
	return f.Enabled.IsNull() || f.Enabled.Equal(attributes.RecordedBool(w.Enabled))
}

func (r *webhookEndpointListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists webhook endpoints, all or some. Use it to import endpoints. " +
			"**Secrets are not listed**, because the service does not return them: generated configuration has no `secret`, and an imported endpoint keeps its secret until you set one.",
		Attributes: map[string]schema.Attribute{
			"enabled": schema.BoolAttribute{Optional: true, MarkdownDescription: "Only endpoints that are enabled (`true`) or disabled (`false`). Default: all."},
		},
	}
}

func (r *webhookEndpointListResource) List(ctx context.Context, req list.ListRequest, resp *list.ListResultsStream) {
	var filter webhookEndpointFilter
	diags := req.Config.Get(ctx, &filter)
	var webhooks []client.Webhook
	if base.RequireClient(r.Client, &diags) && !diags.HasError() {
		var err error
		webhooks, err = r.Client.Webhooks(ctx)
		if err = diagnostics.LeftOut(err, &diags); err != nil {
			diagnostics.AddClientError(&diags, "Unable to list the webhook endpoints", err)
		}
	}
	webhooks = slices.DeleteFunc(slices.Clone(webhooks), func(w client.Webhook) bool { return !filter.matches(w) })
	if req.IncludeResource && len(webhooks) > 0 {
		diags.AddWarning("Secrets of webhook endpoints are not listed",
			"The service tells an endpoint's secret only when the endpoint is made. One that is imported keeps its secret, and in the state secret is null. "+
				"To know it again, set a new one with secret or secret_wo, and give it to the receiver.")
	}
	resp.Results = lists.Results(webhooks, req.Limit, diags, func(w client.Webhook) list.ListResult {
		return lists.NewResult(ctx, req, client.ShownURL(w.URL.Value)+" ("+w.ID+")", webhookEndpointIdentity{ID: types.StringValue(w.ID)}, path.Root("id"), w.ID,
			func(m *webhookEndpointModel, _ *diag.Diagnostics) { m.setRecord(w) })
	})
}
