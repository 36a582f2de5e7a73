package instance

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

func (d *instancesDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
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
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id":     schema.StringAttribute{Computed: true, MarkdownDescription: instanceDescriptions["id"]},
					"name":   schema.StringAttribute{Computed: true, MarkdownDescription: instanceDescriptions["name"]},
					"plan":   schema.StringAttribute{Computed: true, MarkdownDescription: instanceDescriptions["plan"]},
					"region": schema.StringAttribute{Computed: true, MarkdownDescription: instanceDescriptions["region"]},
					"status": schema.StringAttribute{Computed: true, MarkdownDescription: instanceDescriptions["status"]},
					"host":   schema.StringAttribute{Computed: true, MarkdownDescription: instanceDescriptions["host"]},
					"engines": schema.MapNestedAttribute{
						Computed:            true,
						MarkdownDescription: instanceDescriptions["engines"],
						NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
							"memory_mb": schema.Int64Attribute{Computed: true, MarkdownDescription: instanceDescriptions["memory_mb"]},
							"port":      schema.Int64Attribute{Computed: true, MarkdownDescription: instanceDescriptions["port"]},
						}},
					},
					"tags":         schema.SetAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: instanceDescriptions["tags"]},
					"allowlist":    schema.SetAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: instanceDescriptions["allowlist"]},
					"console_mode": schema.StringAttribute{Computed: true, MarkdownDescription: instanceDescriptions["console_mode"]},
					"job_id":       schema.StringAttribute{Computed: true, MarkdownDescription: instanceDescriptions["job_id"]},
					"checkout_url": schema.StringAttribute{Computed: true, MarkdownDescription: instanceDescriptions["checkout_url"]},
					"created_at":   schema.StringAttribute{Computed: true, CustomType: timetypes.RFC3339Type{}, MarkdownDescription: instanceDescriptions["created_at"]},
					"usage": schema.SingleNestedAttribute{
						Computed:            true,
						MarkdownDescription: instanceDescriptions["usage"],
						Attributes: map[string]schema.Attribute{
							"cpu_percent": schema.Float64Attribute{Computed: true, MarkdownDescription: instanceDescriptions["cpu_percent"]},
							"memory_mb":   schema.Float64Attribute{Computed: true, MarkdownDescription: instanceDescriptions["used_mb"]},
							"disk_gb":     schema.Float64Attribute{Computed: true, MarkdownDescription: instanceDescriptions["disk_gb"]},
						},
					},
					"monitoring": schema.SingleNestedAttribute{
						Computed:            true,
						MarkdownDescription: instanceDescriptions["monitoring"],
						Attributes: map[string]schema.Attribute{
							"healthy":    schema.BoolAttribute{Computed: true, MarkdownDescription: instanceDescriptions["healthy"]},
							"checked_at": schema.StringAttribute{Computed: true, CustomType: timetypes.RFC3339Type{}, MarkdownDescription: instanceDescriptions["checked_at"]},
						},
					},
					"backups": schema.SingleNestedAttribute{
						Computed:            true,
						MarkdownDescription: instanceDescriptions["backups"],
						Attributes: map[string]schema.Attribute{
							"count":   schema.Int64Attribute{Computed: true, MarkdownDescription: instanceDescriptions["count"]},
							"last_at": schema.StringAttribute{Computed: true, CustomType: timetypes.RFC3339Type{}, MarkdownDescription: instanceDescriptions["last_at"]},
						},
					},
					"activity": schema.ListNestedAttribute{
						Computed:            true,
						MarkdownDescription: instanceDescriptions["activity"],
						NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
							"at":     schema.StringAttribute{Computed: true, CustomType: timetypes.RFC3339Type{}, MarkdownDescription: instanceDescriptions["at"]},
							"type":   schema.StringAttribute{Computed: true, MarkdownDescription: instanceDescriptions["type"]},
							"detail": schema.StringAttribute{Computed: true, MarkdownDescription: instanceDescriptions["detail"]},
						}},
					},
				}},
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
	for _, instance := range attributes.SortedBy(instances, func(i client.Instance) string { return i.Name }, client.Instance.Identifier) {
		if model.matches(instance) {
			var record instanceRecordModel
			record.setRecord(instance)
			record.readHost(ctx, d.Client)
			model.Instances = append(model.Instances, record)
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}
