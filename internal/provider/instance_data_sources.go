package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

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
	Tags        []string               `tfsdk:"tags"`
	Allowlist   []string               `tfsdk:"allowlist"`
	ConsoleMode types.String           `tfsdk:"console_mode"`
	JobID       types.String           `tfsdk:"job_id"`
	CheckoutURL types.String           `tfsdk:"checkout_url"`
	CreatedAt   types.String           `tfsdk:"created_at"`
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
		Tags:        sorted(i.Tags.Value),
		Allowlist:   sorted(i.Allowlist.Value),
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

// instanceRecordAttributes describes an instance's record.
func instanceRecordAttributes() map[string]schema.Attribute {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	return map[string]schema.Attribute{
		"id":           text("Identifier."),
		"name":         text("Name."),
		"plan":         text("Plan."),
		"region":       text("Location."),
		"status":       text("`creating`, `running`, `deleting` or `failed`."),
		"host":         text("Host name that the engines answer at. Null until it runs."),
		"console_mode": text("Mode of the SQL console: `off`, `ro` or `rw`."),
		"job_id":       text("The job in progress, or null."),
		"checkout_url": text("Page that finishes the creation of an instance of a paid plan, or null."),
		"created_at":   text("When it was created, in RFC 3339."),
		"tags":         schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Tags, sorted."},
		"allowlist":    schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Addresses that may reach it, sorted; an empty list means that it is open to the internet."},
		"healthy":      schema.BoolAttribute{Computed: true, MarkdownDescription: "What the newest health check found."},
		"backup_count": schema.Int64Attribute{Computed: true, MarkdownDescription: "How many backups there are."},
		"engines": schema.MapNestedAttribute{
			Computed:            true,
			MarkdownDescription: "The engines that are on, by name.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"memory_mb": schema.Int64Attribute{Computed: true, MarkdownDescription: "Memory budget in MB."},
				"port":      schema.Int64Attribute{Computed: true, MarkdownDescription: "Port, null for an engine without one."},
			}},
		},
	}
}

func newInstanceDataSource() datasource.DataSource { return &instanceDataSource{} }

type instanceDataSource struct{ dataSourceBase }

func (d *instanceDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_instance"
}

func (d *instanceDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := instanceRecordAttributes()
	attributes["id"] = schema.StringAttribute{
		Optional: true, Computed: true,
		Validators:          []validator.String{oneOfTwo("id", "name", stringvalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("name")))},
		MarkdownDescription: "Identifier. Give this or `name`.",
	}
	attributes["name"] = schema.StringAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "Name. Give this or `id`; it is an error if no instance, or more than one, has it.",
	}
	resp.Schema = schema.Schema{MarkdownDescription: "One instance, by its id or its name.", Attributes: attributes}
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
		diags.AddAttributeError(path.Root("name"), "Unknown instance", noSuch("instance named", name, names))
	default:
		diags.AddAttributeError(path.Root("name"), "More than one instance with that name",
			fmt.Sprintf("The instances %[2]s are all named %[1]q. Set id to the id of one of them instead.", name, strings.Join(idsOf(found, client.Instance.Identifier), ", ")))
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
	attributes := map[string]schema.Attribute{
		"instances": schema.ListNestedAttribute{
			Computed:            true,
			MarkdownDescription: "The instances that match.",
			NestedObject:        schema.NestedAttributeObject{Attributes: instanceRecordAttributes()},
		},
	}
	for name, description := range instanceFilterDescriptions {
		attributes[name] = schema.StringAttribute{Optional: true, MarkdownDescription: description}
	}
	resp.Schema = schema.Schema{MarkdownDescription: "The account's instances, all or some.", Attributes: attributes}
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
	for _, instance := range instances {
		if model.matches(instance) {
			var record instanceRecordModel
			record.setRecord(instance)
			model.Instances = append(model.Instances, record)
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}
