package app

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

var _ datasource.DataSourceWithConfigure = &appsGuideDataSource{}

// NewGuideDataSource returns the data source hosting_apps_guide.
func NewGuideDataSource() datasource.DataSource { return &appsGuideDataSource{} }

type appsGuideDataSource struct{ base.DataSource }

type appsGuideModel struct {
	Markdown types.String `tfsdk:"markdown"`
}

func (d *appsGuideDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_apps_guide"
}

func (d *appsGuideDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The contract that a hosted app must satisfy, in the service's own words. Use it to read the rules of your service before you write an app.",
		Attributes: map[string]schema.Attribute{
			"markdown": schema.StringAttribute{Computed: true, MarkdownDescription: "The guide in Markdown."},
		},
	}
}

func (d *appsGuideDataSource) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	if !base.RequireClient(d.Client, &resp.Diagnostics) {
		return
	}
	guide, err := d.Client.AppsGuide(ctx)
	if err != nil {
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to read the apps guide", err)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, appsGuideModel{Markdown: types.StringValue(guide)})...)
}
