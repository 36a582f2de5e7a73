package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

var _ datasource.DataSourceWithConfigure = &instancesDataSource{}

func newInstancesDataSource() datasource.DataSource { return &instancesDataSource{} }

type instancesDataSource struct{ dataSourceBase }

type instancesModel struct {
	instanceFilter
	Instances []instanceRecordModel `tfsdk:"instances"`
}

func (d *instancesDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_instances"
}

func (d *instancesDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The account's instances, all or some.",
		Attributes: map[string]schema.Attribute{
			"name":   schema.StringAttribute{Optional: true, MarkdownDescription: instanceFilterDescriptions["name"]},
			"plan":   schema.StringAttribute{Optional: true, MarkdownDescription: instanceFilterDescriptions["plan"]},
			"region": schema.StringAttribute{Optional: true, MarkdownDescription: instanceFilterDescriptions["region"]},
			"status": schema.StringAttribute{Optional: true, MarkdownDescription: instanceFilterDescriptions["status"]},
			"tag":    schema.StringAttribute{Optional: true, MarkdownDescription: instanceFilterDescriptions["tag"]},
			"instances": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "The instances that match, sorted by name and id.",
				NestedObject: schema.NestedAttributeObject{Attributes: recordedInstanceWith(map[string]schema.Attribute{
					"id":   schema.StringAttribute{Computed: true, MarkdownDescription: instanceDescriptions["id"]},
					"name": schema.StringAttribute{Computed: true, MarkdownDescription: instanceDescriptions["name"]},
				})},
			},
		},
	}
}

func (d *instancesDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model instancesModel
	if !d.begin(ctx, req, resp, &model) {
		return
	}
	instances, err := d.client.Instances(ctx)
	if err != nil {
		addError(&resp.Diagnostics, "Unable to list the instances", err)
		return
	}
	if model.check(ctx, d.client, instances, &resp.Diagnostics); resp.Diagnostics.HasError() {
		return
	}
	model.Instances = []instanceRecordModel{}
	for _, instance := range sortedBy(instances, func(i client.Instance) string { return i.Name }, client.Instance.Identifier) {
		if model.matches(instance) {
			var record instanceRecordModel
			record.setRecord(instance)
			model.Instances = append(model.Instances, record)
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}
