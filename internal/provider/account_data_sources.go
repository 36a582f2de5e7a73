package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

var (
	_ datasource.DataSourceWithConfigure = &accountDataSource{}
	_ datasource.DataSourceWithConfigure = &billingDataSource{}
	_ datasource.DataSourceWithConfigure = &webhookEndpointsDataSource{}
)

func newAccountDataSource() datasource.DataSource { return &accountDataSource{} }

type accountDataSource struct{ dataSourceBase }

type accountModel struct {
	ID      types.String `tfsdk:"id"`
	Email   types.String `tfsdk:"email"`
	Name    types.String `tfsdk:"name"`
	Company types.String `tfsdk:"company"`
	Address types.String `tfsdk:"address"`
	VATID   types.String `tfsdk:"vat_id"`
}

func (d *accountDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_account"
}

func (d *accountDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The account that the API key acts as, with its profile, which goes on receipts.",
		Attributes: map[string]schema.Attribute{
			"id":      text("Identifier."),
			"email":   text("E-mail address."),
			"name":    text("Name, or null."),
			"company": text("Company, or null."),
			"address": text("Address, or null."),
			"vat_id":  text("VAT number, or null."),
		},
	}
}

func (d *accountDataSource) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	if !requireClient(d.client, &resp.Diagnostics) {
		return
	}
	account, err := d.client.Account(ctx)
	if err != nil {
		addError(&resp.Diagnostics, "Unable to read the account", err)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, accountModel{
		ID:      types.StringValue(account.ID),
		Email:   stringOrNull(account.Email),
		Name:    stringOrNull(account.Name),
		Company: stringOrNull(account.Company),
		Address: stringOrNull(account.Address),
		VATID:   stringOrNull(account.VATID),
	})...)
}

func newBillingDataSource() datasource.DataSource { return &billingDataSource{} }

type billingDataSource struct{ dataSourceBase }

type billingModel struct {
	InstanceID    types.String        `tfsdk:"instance_id"`
	Status        types.String        `tfsdk:"status"`
	Subscriptions []subscriptionModel `tfsdk:"subscriptions"`
	Charges       []chargeModel       `tfsdk:"charges"`
}

type subscriptionModel struct {
	InstanceID types.String `tfsdk:"instance_id"`
	Plan       types.String `tfsdk:"plan"`
	Status     types.String `tfsdk:"status"`
	PriceCents types.Int64  `tfsdk:"price_cents"`
	Currency   types.String `tfsdk:"currency"`
	RenewsAt   types.String `tfsdk:"renews_at"`
}

type chargeModel struct {
	ID          types.String `tfsdk:"id"`
	InstanceID  types.String `tfsdk:"instance_id"`
	AmountCents types.Int64  `tfsdk:"amount_cents"`
	Currency    types.String `tfsdk:"currency"`
	At          types.String `tfsdk:"at"`
	Description types.String `tfsdk:"description"`
}

func (d *billingDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_billing"
}

func (d *billingDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "What the account pays for: subscriptions and charges.",
		Attributes: map[string]schema.Attribute{
			"instance_id": schema.StringAttribute{Optional: true, MarkdownDescription: "Only what is paid for this instance. Default: all."},
			"status":      schema.StringAttribute{Optional: true, MarkdownDescription: "Only subscriptions of this status: `pending`, `active` or `cancelled`. Default: all."},
			"subscriptions": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "The subscriptions that match.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"instance_id": schema.StringAttribute{Computed: true, MarkdownDescription: "The instance."},
					"plan":        schema.StringAttribute{Computed: true, MarkdownDescription: "The plan."},
					"status":      schema.StringAttribute{Computed: true, MarkdownDescription: "`pending`, `active` or `cancelled`."},
					"price_cents": schema.Int64Attribute{Computed: true, MarkdownDescription: "Price in cents."},
					"currency":    schema.StringAttribute{Computed: true, MarkdownDescription: "Currency."},
					"renews_at":   schema.StringAttribute{Computed: true, MarkdownDescription: "When it renews, in RFC 3339, or null."},
				}},
			},
			"charges": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "The charges that match.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id":           schema.StringAttribute{Computed: true, MarkdownDescription: "Identifier."},
					"instance_id":  schema.StringAttribute{Computed: true, MarkdownDescription: "The instance."},
					"amount_cents": schema.Int64Attribute{Computed: true, MarkdownDescription: "Amount in cents."},
					"currency":     schema.StringAttribute{Computed: true, MarkdownDescription: "Currency."},
					"at":           schema.StringAttribute{Computed: true, MarkdownDescription: "When, in RFC 3339."},
					"description":  schema.StringAttribute{Computed: true, MarkdownDescription: "What for."},
				}},
			},
		},
	}
}

func (d *billingDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model billingModel
	if !d.begin(ctx, req, resp, &model) {
		return
	}
	billing, err := d.client.Billing(ctx)
	if err != nil {
		addError(&resp.Diagnostics, "Unable to read the billing data", err)
		return
	}
	statuses := idsOf(billing.Subscriptions, func(s client.Subscription) string { return s.Status })
	warnUnmatched(&resp.Diagnostics, "status", "subscription status", model.Status, subscriptionStatuses, statuses)
	model.Subscriptions, model.Charges = []subscriptionModel{}, []chargeModel{}
	for _, s := range billing.Subscriptions {
		if matches(model.InstanceID, s.InstanceID) && matches(model.Status, s.Status) {
			model.Subscriptions = append(model.Subscriptions, subscriptionModel{
				types.StringValue(s.InstanceID), stringOrNull(s.Plan), stringOrNull(s.Status), types.Int64Value(s.PriceCents), stringOrNull(s.Currency), timeOrNull(s.RenewsAt),
			})
		}
	}
	for _, c := range billing.Charges {
		if matches(model.InstanceID, c.InstanceID) {
			model.Charges = append(model.Charges, chargeModel{
				types.StringValue(c.ID), stringOrNull(c.InstanceID), types.Int64Value(c.AmountCents), stringOrNull(c.Currency), timeOrNull(c.At), stringOrNull(c.Description),
			})
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

func newWebhookEndpointsDataSource() datasource.DataSource { return &webhookEndpointsDataSource{} }

type webhookEndpointsDataSource struct{ dataSourceBase }

type webhookEndpointsModel struct {
	webhookEndpointFilter
	Endpoints []webhookEndpointRecordModel `tfsdk:"endpoints"`
}

type webhookEndpointRecordModel struct {
	ID                  types.String `tfsdk:"id"`
	URL                 types.String `tfsdk:"url"`
	Enabled             types.Bool   `tfsdk:"enabled"`
	ConsecutiveFailures types.Int64  `tfsdk:"consecutive_failures"`
	CreatedAt           types.String `tfsdk:"created_at"`
}

func (d *webhookEndpointsDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_webhook_endpoints"
}

func (d *webhookEndpointsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The account's webhook endpoints, without their secrets.",
		Attributes: map[string]schema.Attribute{
			"enabled": schema.BoolAttribute{Optional: true, MarkdownDescription: "Only endpoints that are enabled, or disabled. Default: all."},
			"endpoints": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "The endpoints that match.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id":                   schema.StringAttribute{Computed: true, MarkdownDescription: "Identifier."},
					"url":                  schema.StringAttribute{Computed: true, MarkdownDescription: "The https URL that events are posted to."},
					"enabled":              schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether events are delivered."},
					"consecutive_failures": schema.Int64Attribute{Computed: true, MarkdownDescription: "Deliveries that failed in a row; 20 disable the endpoint."},
					"created_at":           schema.StringAttribute{Computed: true, MarkdownDescription: "When it was made, in RFC 3339."},
				}},
			},
		},
	}
}

func (d *webhookEndpointsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model webhookEndpointsModel
	if !d.begin(ctx, req, resp, &model) {
		return
	}
	webhooks, err := d.client.Webhooks(ctx)
	if err != nil {
		addError(&resp.Diagnostics, "Unable to list the webhook endpoints", err)
		return
	}
	model.Endpoints = []webhookEndpointRecordModel{}
	for _, w := range webhooks {
		if model.matches(w) {
			model.Endpoints = append(model.Endpoints, webhookEndpointRecordModel{
				types.StringValue(w.ID), types.StringValue(w.URL), types.BoolValue(w.Enabled.Value), types.Int64Value(w.ConsecutiveFailures), timeOrNull(w.CreatedAt),
			})
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}
