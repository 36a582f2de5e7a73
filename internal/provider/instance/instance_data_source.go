package instance

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

var _ datasource.DataSourceWithConfigure = &instanceDataSource{}

// NewDataSource returns the data source hosting_instance.
func NewDataSource() datasource.DataSource { return &instanceDataSource{} }

type instanceDataSource struct{ base.DataSource }

func (d *instanceDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_instance"
}

func (d *instanceDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "One instance, by id or name. Use it to refer to an instance that another configuration manages.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Optional: true, Computed: true,
				Validators:          []validator.String{attributes.OneOfTwo("id", "name", stringvalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("name")))},
				MarkdownDescription: "Id. Set this or `name`.",
			},
			"name": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Name. Set this or `id`. It is an error if no instance has it, or more than one.",
			},
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
		},
	}
}

func (d *instanceDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model instanceRecordModel
	if !d.Begin(ctx, req, resp, &model) {
		return
	}
	var instance client.Instance
	var err error
	if id := model.ID.ValueString(); id != "" {
		instance, err = d.Client.RefreshInstance(ctx, id)
	} else {
		instance, err = d.byName(ctx, model.Name.ValueString(), &resp.Diagnostics)
	}
	if errors.Is(err, client.ErrNotFound) {
		diagnostics.AddNoInstance(&resp.Diagnostics, "id", model.ID.ValueString())
		return
	}
	if err != nil {
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to read the instance", err)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	model.setRecord(instance)
	model.readHost(ctx, d.Client)
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

// byName returns the only instance with a name.
func (d *instanceDataSource) byName(ctx context.Context, name string, diags *diag.Diagnostics) (client.Instance, error) {
	instances, err := d.Client.Instances(ctx)
	if err != nil {
		return client.Instance{}, err
	}
	var found []client.Instance
	for _, instance := range instances {
		if instance.Name == name {
			found = append(found, instance)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		names := diagnostics.IdsOf(instances, func(i client.Instance) string { return i.Name })
		diags.AddAttributeError(path.Root("name"), "Unknown instance", diagnostics.NoSuch("instance named", name, names))
	default:
		diags.AddAttributeError(path.Root("name"), "More than one instance with that name",
			fmt.Sprintf("The instances %[2]s are all named %[1]q. Set id to the id of one of them instead.", name, strings.Join(diagnostics.IdsOf(found, client.Instance.Identifier), ", ")))
	}
	return client.Instance{}, nil
}
