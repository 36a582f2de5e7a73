package webhookendpoint

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

var _ datasource.DataSourceWithConfigure = &webhookEndpointsDataSource{}

// NewDataSource returns the data source hosting_webhook_endpoints.
func NewDataSource() datasource.DataSource { return &webhookEndpointsDataSource{} }

type webhookEndpointsDataSource struct{ base.DataSource }

type webhookEndpointsModel struct {
	webhookEndpointFilter
	Endpoints []webhookEndpointRecordModel `tfsdk:"endpoints"`
}

type webhookEndpointRecordModel struct {
	endpointSettings
	ID                  types.String      `tfsdk:"id"`
	ConsecutiveFailures types.Int64       `tfsdk:"consecutive_failures"`
	CreatedAt           timetypes.RFC3339 `tfsdk:"created_at"`
}

func (d *webhookEndpointsDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_webhook_endpoints"
}

func (d *webhookEndpointsDataSource) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Webhook endpoints of the account, without their secrets. Use it to find an endpoint's id, or those that the service has disabled.",
		Attributes: map[string]schema.Attribute{
			"enabled": schema.BoolAttribute{Optional: true, MarkdownDescription: "Only endpoints that are enabled (`true`) or disabled (`false`). Default: all."},
			"endpoints": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "Matching endpoints, sorted by URL and id.",
				NestedObject: schema.NestedAttributeObject{Attributes: attributes.Recorded(ctx, NewResource(), attributes.Names(&endpointSettings{}), map[string]schema.Attribute{
					"id":                   schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the endpoint."},
					"consecutive_failures": schema.Int64Attribute{Computed: true, MarkdownDescription: "Failed deliveries in a row. At 20, the service disables the endpoint."},
					"created_at":           schema.StringAttribute{Computed: true, CustomType: timetypes.RFC3339Type{}, MarkdownDescription: "When the endpoint was created, in RFC 3339."},
				})},
			},
		},
	}
}

func (d *webhookEndpointsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model webhookEndpointsModel
	if !d.Begin(ctx, req, resp, &model) {
		return
	}
	webhooks, err := d.Client.Webhooks(ctx)
	if err = diagnostics.LeftOut(err, &resp.Diagnostics); err != nil {
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to list the webhook endpoints", err)
		return
	}
	model.Endpoints = []webhookEndpointRecordModel{}
	for _, w := range attributes.SortedBy(webhooks, func(w client.Webhook) string { return w.URL.Value }, func(w client.Webhook) string { return w.ID }) {
		if model.matches(w) {
			endpoint := webhookEndpointRecordModel{
				ID: types.StringValue(w.ID), ConsecutiveFailures: attributes.RecordedInt64(w.ConsecutiveFailures.Value), CreatedAt: attributes.TimeOrNull(w.CreatedAt),
			}
			attributes.TakeRecord(&endpoint.endpointSettings, &w.WebhookSettings)
			model.Endpoints = append(model.Endpoints, endpoint)
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}
