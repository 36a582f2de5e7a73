package catalog

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

var _ datasource.DataSourceWithConfigure = &locationsDataSource{}

// NewLocationsDataSource returns the data source hosting_locations.
func NewLocationsDataSource() datasource.DataSource { return &locationsDataSource{} }

type locationsDataSource struct{ base.DataSource }

type locationsModel struct {
	ID        types.String    `tfsdk:"id"`
	Country   types.String    `tfsdk:"country"`
	Locations []locationModel `tfsdk:"locations"`
}

type locationModel struct {
	ID      types.String `tfsdk:"id"`
	Name    types.String `tfsdk:"name"`
	Country types.String `tfsdk:"country"`
}

func (d *locationsDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_locations"
}

func (d *locationsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Locations of the service. Use it to choose the `region` of an instance.",
		Attributes: map[string]schema.Attribute{
			"id":      schema.StringAttribute{Optional: true, MarkdownDescription: "Only the location with this id. It is an error if none has it. Default: all."},
			"country": schema.StringAttribute{Optional: true, MarkdownDescription: "Only locations in this country. Default: all."},
			"locations": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "Matching locations, sorted by id.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id":      schema.StringAttribute{Computed: true, MarkdownDescription: "Id, for an instance's `region`."},
					"name":    schema.StringAttribute{Computed: true, MarkdownDescription: "Name."},
					"country": schema.StringAttribute{Computed: true, MarkdownDescription: "Country."},
				}},
			},
		},
	}
}

func (d *locationsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model locationsModel
	if !d.Begin(ctx, req, resp, &model) {
		return
	}
	locations, partial := d.Client.Locations(ctx)
	if err := diagnostics.LeftOut(partial, &resp.Diagnostics); err != nil {
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to read the locations", err)
		return
	}
	found := func(l client.Location) bool { return l.ID == model.ID.ValueString() }
	if partial != nil && !model.ID.IsNull() && !slices.ContainsFunc(locations, found) {
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to read the locations", partial)
		return
	}
	ids := diagnostics.IdsOf(locations, client.Location.Identifier)
	if id := model.ID.ValueString(); id != "" && !slices.Contains(ids, id) {
		resp.Diagnostics.AddAttributeError(path.Root("id"), "Unknown location", diagnostics.NoSuch("location", id, ids))
		return
	}
	countries := slices.Compact(attributes.Sorted(diagnostics.IdsOf(locations, func(l client.Location) string { return l.Country })))
	attributes.WarnUnmatched(&resp.Diagnostics, "country", "location in country", model.Country, countries, nil)
	model.Locations = []locationModel{}
	for _, l := range attributes.SortedBy(locations, client.Location.Identifier) {
		if attributes.Matches(model.ID, l.ID) && attributes.Matches(model.Country, l.Country) {
			model.Locations = append(model.Locations, locationModel{types.StringValue(l.ID), attributes.StringOrNull(l.Name), attributes.StringOrNull(l.Country)})
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}
