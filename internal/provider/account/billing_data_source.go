package account

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

var _ datasource.DataSourceWithConfigure = &billingDataSource{}

// NewBillingDataSource returns the data source hosting_billing.
func NewBillingDataSource() datasource.DataSource { return &billingDataSource{} }

type billingDataSource struct{ base.DataSource }

type billingModel struct {
	InstanceID    types.String        `tfsdk:"instance_id"`
	Status        types.String        `tfsdk:"status"`
	Subscriptions []subscriptionModel `tfsdk:"subscriptions"`
	Charges       []chargeModel       `tfsdk:"charges"`
}

type subscriptionModel struct {
	InstanceID types.String      `tfsdk:"instance_id"`
	Plan       types.String      `tfsdk:"plan"`
	Status     types.String      `tfsdk:"status"`
	PriceCents types.Float64     `tfsdk:"price_cents"`
	Currency   types.String      `tfsdk:"currency"`
	RenewsAt   timetypes.RFC3339 `tfsdk:"renews_at"`
}

type chargeModel struct {
	ID          types.String      `tfsdk:"id"`
	InstanceID  types.String      `tfsdk:"instance_id"`
	AmountCents types.Float64     `tfsdk:"amount_cents"`
	Currency    types.String      `tfsdk:"currency"`
	At          timetypes.RFC3339 `tfsdk:"at"`
	Description types.String      `tfsdk:"description"`
}

func (d *billingDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_billing"
}

func (d *billingDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Subscriptions and charges of the account. Use it to see what each instance costs.",
		Attributes: map[string]schema.Attribute{
			"instance_id": schema.StringAttribute{Optional: true, MarkdownDescription: "Only subscriptions and charges of this instance. Default: all."},
			"status":      schema.StringAttribute{Optional: true, MarkdownDescription: "Only subscriptions with this status: `pending`, `active` or `cancelled`. Default: all."},
			"subscriptions": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "Matching subscriptions, sorted by instance.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"instance_id": schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the instance."},
					"plan":        schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the plan."},
					"status":      schema.StringAttribute{Computed: true, MarkdownDescription: "`pending`, `active` or `cancelled`."},
					"price_cents": schema.Float64Attribute{Computed: true, MarkdownDescription: "Price in cents a month."},
					"currency":    schema.StringAttribute{Computed: true, MarkdownDescription: "Currency."},
					"renews_at":   schema.StringAttribute{Computed: true, CustomType: timetypes.RFC3339Type{}, MarkdownDescription: "When the subscription renews, in RFC 3339, or null."},
				}},
			},
			"charges": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "Matching charges, the newest first.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id":           schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the charge."},
					"instance_id":  schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the instance."},
					"amount_cents": schema.Float64Attribute{Computed: true, MarkdownDescription: "Amount in cents."},
					"currency":     schema.StringAttribute{Computed: true, MarkdownDescription: "Currency."},
					"at":           schema.StringAttribute{Computed: true, CustomType: timetypes.RFC3339Type{}, MarkdownDescription: "When the account was charged, in RFC 3339."},
					"description":  schema.StringAttribute{Computed: true, MarkdownDescription: "Description of the charge."},
				}},
			},
		},
	}
}

func (d *billingDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model billingModel
	if !d.Begin(ctx, req, resp, &model) {
		return
	}
	billing, err := d.Client.Billing(ctx)
	if err = diagnostics.LeftOut(err, &resp.Diagnostics); err != nil {
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to read the billing data", err)
		return
	}
	statuses := diagnostics.IdsOf(billing.Subscriptions, func(s client.Subscription) string { return string(s.Status) })
	attributes.WarnUnmatched(&resp.Diagnostics, "status", "subscription status", model.Status, attributes.SubscriptionStatuses, statuses)
	model.Subscriptions, model.Charges = []subscriptionModel{}, []chargeModel{}
	for _, s := range attributes.SortedBy(billing.Subscriptions, func(s client.Subscription) string { return s.InstanceID }) {
		if attributes.Matches(model.InstanceID, s.InstanceID) && attributes.Matches(model.Status, string(s.Status)) {
			model.Subscriptions = append(model.Subscriptions, subscriptionModel{
				types.StringValue(s.InstanceID), attributes.StringOrNull(s.Plan), attributes.StringOrNull(string(s.Status)), attributes.RecordedFloat64(s.PriceCents.Value), attributes.StringOrNull(s.Currency), attributes.TimeOrNull(s.RenewsAt),
			})
		}
	}
	for _, c := range attributes.NewestFirst(billing.Charges, func(c client.Charge) client.Time { return c.At }) {
		if attributes.Matches(model.InstanceID, c.InstanceID) {
			model.Charges = append(model.Charges, chargeModel{
				types.StringValue(c.ID), attributes.StringOrNull(c.InstanceID), attributes.RecordedFloat64(c.AmountCents.Value), attributes.StringOrNull(c.Currency), attributes.TimeOrNull(c.At), attributes.StringOrNull(c.Description),
			})
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}
