package instance

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

var _ datasource.DataSourceWithConfigure = &instancesDataSource{}

// NewListDataSource returns the data source hosting_instances.
func NewListDataSource() datasource.DataSource { return &instancesDataSource{} }

type instancesDataSource struct{ base.DataSource }

type instancesModel struct {
	instanceFilter
	Instances []instanceRecordModel `tfsdk:"instances"`
}

func (d *instancesDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_instances"
}

func (d *instancesDataSource) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Instances of the account: all of them, or those that match every filter. Use it to find instances by name, plan, region, status or tag.",
		Attributes: map[string]schema.Attribute{
			"name":   schema.StringAttribute{Optional: true, MarkdownDescription: instanceFilterDescriptions["name"]},
			"plan":   schema.StringAttribute{Optional: true, MarkdownDescription: instanceFilterDescriptions["plan"]},
			"region": schema.StringAttribute{Optional: true, MarkdownDescription: instanceFilterDescriptions["region"]},
			"status": schema.StringAttribute{Optional: true, MarkdownDescription: instanceFilterDescriptions["status"]},
			"tag":    schema.StringAttribute{Optional: true, MarkdownDescription: instanceFilterDescriptions["tag"]},
			"instances": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "Matching instances, sorted by name and id.",
				NestedObject:        schema.NestedAttributeObject{Attributes: instanceRecordAttributes(ctx)},
			},
		},
	}
}

func (d *instancesDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model instancesModel
	if !d.Begin(ctx, req, resp, &model) {
		return
	}
	instances, err := d.Client.Instances(ctx)
	if err = diagnostics.LeftOut(err, &resp.Diagnostics); err != nil {
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to list the instances", err)
		return
	}
	if model.check(ctx, d.Client, instances, &resp.Diagnostics); resp.Diagnostics.HasError() {
		return
	}
	model.Instances = []instanceRecordModel{}
	for _, instance := range attributes.SortedBy(instances, func(i client.Instance) string { return i.Name.Value }, client.Instance.Identifier) {
		if model.matches(instance) {
			var record instanceRecordModel
			record.setRecord(instance)
			record.readHost(ctx, d.Client)
			model.Instances = append(model.Instances, record)
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}
