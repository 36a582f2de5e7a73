package catalog

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

var _ datasource.DataSourceWithConfigure = &plansDataSource{}

// NewPlansDataSource returns the data source hosting_plans.
func NewPlansDataSource() datasource.DataSource { return &plansDataSource{} }

type plansDataSource struct{ base.DataSource }

type plansModel struct {
	ID            types.String               `tfsdk:"id"`
	MinMemoryMB   types.Int64                `tfsdk:"min_memory_mb"`
	MaxPriceCents types.Int64                `tfsdk:"max_price_cents"`
	Plans         []planModel                `tfsdk:"plans"`
	Engines       map[string]engineKindModel `tfsdk:"engines"`
}

type planModel struct {
	ID                  types.String  `tfsdk:"id"`
	Name                types.String  `tfsdk:"name"`
	PriceCents          types.Float64 `tfsdk:"price_cents"`
	Currency            types.String  `tfsdk:"currency"`
	CPU                 types.Float64 `tfsdk:"cpu"`
	MemoryMB            types.Int64   `tfsdk:"memory_mb"`
	DiskGB              types.Float64 `tfsdk:"disk_gb"`
	PostgresConnections types.Int64   `tfsdk:"postgres_connections"`
}

type engineKindModel struct {
	FloorMB  types.Int64  `tfsdk:"floor_mb"`
	Port     types.Int64  `tfsdk:"port"`
	Category types.String `tfsdk:"category"`
	Licence  types.String `tfsdk:"licence"`
}

func (d *plansDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_plans"
}

func (d *plansDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Plans with their prices per month, and engines with their minimum memory. Use it to choose the `plan` and `engines` of an instance.",
		Attributes: map[string]schema.Attribute{
			"id":              schema.StringAttribute{Optional: true, MarkdownDescription: "Only the plan with this id. It is an error if none has it. Default: all."},
			"min_memory_mb":   schema.Int64Attribute{Optional: true, MarkdownDescription: "Only plans with at least this memory, in MB. Default: all."},
			"max_price_cents": schema.Int64Attribute{Optional: true, MarkdownDescription: "Only plans that cost at most this many cents a month; `0` leaves the free ones. Default: all."},
			"plans": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "Matching plans, the cheapest first.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id":                   schema.StringAttribute{Computed: true, MarkdownDescription: "Id, for an instance's `plan`."},
					"name":                 schema.StringAttribute{Computed: true, MarkdownDescription: "Name."},
					"price_cents":          schema.Float64Attribute{Computed: true, MarkdownDescription: "Price in cents a month. Above 0, the creation needs a checkout."},
					"currency":             schema.StringAttribute{Computed: true, MarkdownDescription: "Currency of the price."},
					"cpu":                  schema.Float64Attribute{Computed: true, MarkdownDescription: "Number of CPUs."},
					"memory_mb":            schema.Int64Attribute{Computed: true, MarkdownDescription: "Memory in MB, shared by all engines."},
					"disk_gb":              schema.Float64Attribute{Computed: true, MarkdownDescription: "Disk in GB."},
					"postgres_connections": schema.Int64Attribute{Computed: true, MarkdownDescription: "Maximum number of Postgres connections."},
				}},
			},
			"engines": schema.MapNestedAttribute{
				Computed:            true,
				MarkdownDescription: "Available engines, by name.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"floor_mb": schema.Int64Attribute{Computed: true, MarkdownDescription: "Minimum memory in MB."},
					"port":     schema.Int64Attribute{Computed: true, MarkdownDescription: "Port. Null for an engine without a port."},
					"category": schema.StringAttribute{Computed: true, MarkdownDescription: "Category."},
					"licence":  schema.StringAttribute{Computed: true, MarkdownDescription: "Licence."},
				}},
			},
		},
	}
}

func (d *plansDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model plansModel
	if !d.Begin(ctx, req, resp, &model) {
		return
	}
	plans, err := d.Client.Plans(ctx)
	if err != nil {
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to read the plans", err)
		return
	}
	if id := model.ID.ValueString(); id != "" {
		if _, ok := plans.Plan(id); !ok && plans.Partial() != nil {
			diagnostics.AddClientError(&resp.Diagnostics, "Unable to read the plans", plans.Partial())
			return
		} else if !ok {
			resp.Diagnostics.AddAttributeError(path.Root("id"), "Unknown plan", diagnostics.NoSuch("plan", id, diagnostics.IdsOf(plans.Plans, client.Plan.Identifier)))
			return
		}
	}
	_ = diagnostics.LeftOut(plans.Partial(), &resp.Diagnostics) // it is nothing else
	model.setRecord(plans)
	if len(model.Plans) == 0 {
		resp.Diagnostics.AddWarning("The filters match no plan",
			"No plan of the service has at least min_memory_mb and costs at most max_price_cents, so the result is empty.")
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

func (m *plansModel) setRecord(catalogue client.Plans) {
	m.Plans = []planModel{}
	for _, p := range attributes.SortedBy(catalogue.Plans, func(p client.Plan) client.Amount { return p.PriceCents }) {
		if !attributes.Matches(m.ID, p.ID) || int64(p.MemoryMB) < m.MinMemoryMB.ValueInt64() || !m.MaxPriceCents.IsNull() && float64(p.PriceCents) > float64(m.MaxPriceCents.ValueInt64()) {
			continue
		}
		m.Plans = append(m.Plans, planModel{
			ID:                  types.StringValue(p.ID),
			Name:                attributes.StringOrNull(p.Name),
			PriceCents:          attributes.Float64(p.PriceCents),
			Currency:            attributes.StringOrNull(p.Currency),
			CPU:                 attributes.RecordedFloat64(client.Maybe[client.Figure]{Value: p.CPU, Set: p.CPU > 0}),
			MemoryMB:            attributes.Int64OrNull(p.MemoryMB),
			DiskGB:              attributes.RecordedFloat64(client.Maybe[client.Figure]{Value: p.DiskGB, Set: p.DiskGB > 0}),
			PostgresConnections: attributes.Int64OrNull(p.PostgresConnections),
		})
	}
	m.Engines = map[string]engineKindModel{}
	for name, kind := range catalogue.Engines {
		m.Engines[name] = engineKindModel{
			FloorMB:  attributes.Int64OrNull(kind.FloorMB),
			Port:     attributes.Int64OrNull(kind.Port),
			Category: attributes.StringOrNull(kind.Category),
			Licence:  attributes.StringOrNull(kind.Licence),
		}
	}
}
