package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var _ datasource.DataSourceWithConfigure = &appsGuideDataSource{}

func newAppsGuideDataSource() datasource.DataSource { return &appsGuideDataSource{} }

type appsGuideDataSource struct{ dataSourceBase }

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
	if !requireClient(d.client, &resp.Diagnostics) {
		return
	}
	guide, err := d.client.AppsGuide(ctx)
	if err != nil {
		addError(&resp.Diagnostics, "Unable to read the apps guide", err)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, appsGuideModel{Markdown: types.StringValue(guide)})...)
}
