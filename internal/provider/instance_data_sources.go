package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
)

var (
	_ datasource.DataSourceWithConfigure = &instanceDataSource{}
	_ datasource.DataSourceWithConfigure = &instancesDataSource{}
)

// instanceRecordModel is an instance as the data sources show it: what its
// record tells.
type instanceRecordModel struct {
	ID          types.String           `tfsdk:"id"`
	Name        types.String           `tfsdk:"name"`
	Plan        types.String           `tfsdk:"plan"`
	Region      types.String           `tfsdk:"region"`
	Status      types.String           `tfsdk:"status"`
	Host        types.String           `tfsdk:"host"`
	Engines     map[string]engineModel `tfsdk:"engines"`
	Tags        types.Set              `tfsdk:"tags"`
	Allowlist   types.Set              `tfsdk:"allowlist"`
	ConsoleMode types.String           `tfsdk:"console_mode"`
	JobID       types.String           `tfsdk:"job_id"`
	CheckoutURL types.String           `tfsdk:"checkout_url"`
	CreatedAt   timetypes.RFC3339      `tfsdk:"created_at"`
	Healthy     types.Bool             `tfsdk:"healthy"`
	BackupCount types.Int64            `tfsdk:"backup_count"`
}

type engineModel struct {
	MemoryMB types.Int64 `tfsdk:"memory_mb"`
	Port     types.Int64 `tfsdk:"port"`
}

func (m *instanceRecordModel) setRecord(i client.Instance) {
	*m = instanceRecordModel{
		ID:          types.StringValue(i.ID),
		Name:        types.StringValue(i.Name),
		Plan:        types.StringValue(i.PlanID()),
		Region:      types.StringValue(i.Region),
		Status:      stringOrNull(i.Status),
		Host:        stringOrNull(i.Host),
		Tags:        setOrNull(i.Tags),
		Allowlist:   setOrNull(i.Allowlist),
		ConsoleMode: stringOrNull(i.ConsoleMode.Value),
		JobID:       stringOrNull(i.JobID),
		CheckoutURL: stringOrNull(i.CheckoutURL),
		CreatedAt:   timeOrNull(i.CreatedAt),
		Engines:     map[string]engineModel{},
	}
	for name, engine := range i.Engines.Value {
		m.Engines[name] = engineModel{MemoryMB: int64OrNull(engine.MemoryMB), Port: int64OrNull(engine.Port)}
	}
	if i.Monitoring.Value != nil {
		m.Healthy = types.BoolValue(i.Monitoring.Value.Healthy)
	}
	if i.Backups.Value != nil {
		m.BackupCount = types.Int64Value(i.Backups.Value.Count)
	}
}

// instanceDescriptions describes the attributes of an instance's record, which the
// data sources hosting_instance and hosting_instances both show.
var instanceDescriptions = map[string]string{
	"id":           "Identifier.",
	"name":         "Name.",
	"plan":         "Plan.",
	"region":       "Location.",
	"status":       "`creating`, `running`, `deleting` or `failed`.",
	"host":         "Host name that the engines answer at. Null until it runs.",
	"engines":      "The engines that are on, by name.",
	"memory_mb":    "Memory budget in MB.",
	"port":         "Port, null for an engine without one.",
	"tags":         "Tags.",
	"allowlist":    "Addresses that may reach it. An empty set means that it is open to the internet; null, that the service does not tell.",
	"console_mode": "Mode of the SQL console: `off`, `ro` or `rw`.",
	"job_id":       "The job in progress, or null.",
	"checkout_url": "Page that finishes the creation of an instance of a paid plan, or null.",
	"created_at":   "When it was created, in RFC 3339.",
	"healthy":      "What the newest health check found.",
	"backup_count": "How many backups there are.",
}

func newInstanceDataSource() datasource.DataSource { return &instanceDataSource{} }

type instanceDataSource struct{ dataSourceBase }

func (d *instanceDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_instance"
}

func (d *instanceDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "One instance, by its id or its name.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Optional: true, Computed: true,
				Validators:          []validator.String{stringvalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("name"))},
				MarkdownDescription: "Identifier. Give this or `name`.",
			},
			"name": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Name. Give this or `id`; it is an error if no instance, or more than one, has it.",
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
			"healthy":      schema.BoolAttribute{Computed: true, MarkdownDescription: instanceDescriptions["healthy"]},
			"backup_count": schema.Int64Attribute{Computed: true, MarkdownDescription: instanceDescriptions["backup_count"]},
		},
	}
}

func (d *instanceDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model instanceRecordModel
	if !d.begin(ctx, req, resp, &model) {
		return
	}
	var instance client.Instance
	var err error
	if id := model.ID.ValueString(); id != "" {
		instance, err = d.client.RefreshInstance(ctx, id)
	} else {
		instance, err = d.byName(ctx, model.Name.ValueString(), &resp.Diagnostics)
	}
	if errors.Is(err, client.ErrNotFound) {
		addNoInstance(&resp.Diagnostics, "id", model.ID.ValueString())
		return
	}
	if err != nil {
		addError(&resp.Diagnostics, "Unable to read the instance", err)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	model.setRecord(instance)
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

// byName finds the one instance of a name.
func (d *instanceDataSource) byName(ctx context.Context, name string, diags *diag.Diagnostics) (client.Instance, error) {
	instances, err := d.client.Instances(ctx)
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
		names := idsOf(instances, func(i client.Instance) string { return i.Name })
		diags.AddAttributeError(path.Root("name"), "No such instance", noSuch("instance named", name, names))
	default:
		diags.AddAttributeError(path.Root("name"), "More than one instance of that name",
			fmt.Sprintf("The name %q is that of the instances %s. Give the id of one of them instead.", name, strings.Join(idsOf(found, client.Instance.Identifier), ", ")))
	}
	return client.Instance{}, nil
}

func newInstancesDataSource() datasource.DataSource { return &instancesDataSource{} }

type instancesDataSource struct{ dataSourceBase }

// instanceFilter picks instances; what is null matches any.
type instanceFilter struct {
	Name   types.String `tfsdk:"name"`
	Plan   types.String `tfsdk:"plan"`
	Region types.String `tfsdk:"region"`
	Status types.String `tfsdk:"status"`
	Tag    types.String `tfsdk:"tag"`
}

func (f instanceFilter) matches(i client.Instance) bool {
	return matches(f.Name, i.Name) && matches(f.Plan, i.PlanID()) && matches(f.Region, i.Region) && matches(f.Status, i.Status) &&
		(f.Tag.IsNull() || slices.Contains(i.Tags.Value, f.Tag.ValueString()))
}

// instanceFilterDescriptions describes the filters of the data source and the
// list resource.
var instanceFilterDescriptions = map[string]string{
	"name":   "Only instances of this name. Default: all.",
	"plan":   "Only instances of this plan. Default: all.",
	"region": "Only instances in this location. Default: all.",
	"status": "Only instances of this status: `creating`, `running`, `deleting` or `failed`. Default: all.",
	"tag":    "Only instances with this tag. Default: all.",
}

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
					"healthy":      schema.BoolAttribute{Computed: true, MarkdownDescription: instanceDescriptions["healthy"]},
					"backup_count": schema.Int64Attribute{Computed: true, MarkdownDescription: instanceDescriptions["backup_count"]},
				}},
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
