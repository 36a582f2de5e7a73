package provider

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

var _ datasource.DataSourceWithConfigure = &appDataSource{}

func newAppDataSource() datasource.DataSource { return &appDataSource{} }

type appDataSource struct{ dataSourceBase }

// appRecordModel is an app as the data source shows it. It has no build variables,
// because any of them may be secret.
type appRecordModel struct {
	InstanceID types.String      `tfsdk:"instance_id"`
	Name       types.String      `tfsdk:"name"`
	Repo       types.String      `tfsdk:"repo"`
	Branch     types.String      `tfsdk:"branch"`
	Port       types.Int64       `tfsdk:"port"`
	HealthPath types.String      `tfsdk:"health_path"`
	Public     types.Bool        `tfsdk:"public"`
	Links      types.Set         `tfsdk:"links"`
	MemoryMB   types.Int64       `tfsdk:"memory_mb"`
	URL        types.String      `tfsdk:"url"`
	Status     types.String      `tfsdk:"status"`
	CreatedAt  timetypes.RFC3339 `tfsdk:"created_at"`
}

func (d *appDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_app"
}

func (d *appDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "One app of an instance. Use it for the URL or status of an app that another configuration manages. " +
			"Variables are left out, because any of them may be secret.",
		Attributes: map[string]schema.Attribute{
			"instance_id": schema.StringAttribute{Required: true, MarkdownDescription: "The instance's id."},
			"name":        schema.StringAttribute{Required: true, MarkdownDescription: "Name of the app. It is an error if the instance has no such app."},
			"repo":        schema.StringAttribute{Computed: true, MarkdownDescription: "Repository as `owner/repo`."},
			"branch":      schema.StringAttribute{Computed: true, MarkdownDescription: "Branch that is built."},
			"port":        schema.Int64Attribute{Computed: true, MarkdownDescription: "Port that the app listens on."},
			"health_path": schema.StringAttribute{Computed: true, MarkdownDescription: "Path of the health check."},
			"public":      schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the app has a public URL."},
			"links":       schema.SetAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Linked engines."},
			"memory_mb":   schema.Int64Attribute{Computed: true, MarkdownDescription: "Memory in MB."},
			"url":         schema.StringAttribute{Computed: true, MarkdownDescription: "Public URL. Null until the first deployment, and for an app that is not public."},
			"status":      schema.StringAttribute{Computed: true, MarkdownDescription: "`building`, `running`, `failed` or `stopped`."},
			"created_at":  schema.StringAttribute{Computed: true, CustomType: timetypes.RFC3339Type{}, MarkdownDescription: "When the app was created, in RFC 3339."},
		},
	}
}

func (d *appDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model appRecordModel
	if !d.begin(ctx, req, resp, &model) {
		return
	}
	instanceID, name := model.InstanceID.ValueString(), model.Name.ValueString()
	apps, err := d.client.Apps(ctx, instanceID)
	if err != nil {
		addInstanceError(&resp.Diagnostics, "Unable to read the apps of instance "+instanceID, instanceID, err)
		return
	}
	at := slices.IndexFunc(apps, func(a client.App) bool { return a.Name == name })
	if at < 0 {
		names := idsOf(apps, func(a client.App) string { return a.Name })
		resp.Diagnostics.AddAttributeError(path.Root("name"), "Unknown app", noSuch("app", name, names))
		return
	}
	model.setRecord(apps[at])
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

func (m *appRecordModel) setRecord(a client.App) {
	m.Repo, m.Branch = stringOrNull(a.Repo), stringOrNull(a.Branch)
	m.Port, m.MemoryMB = int64OrNull(a.Port.Value), int64OrNull(a.MemoryMB.Value)
	m.HealthPath, m.Public = stringOrNull(a.HealthPath.Value), types.BoolValue(a.Public.Value)
	m.Links = setOrNull(a.Links)
	m.URL, m.Status, m.CreatedAt = stringOrNull(a.URL), stringOrNull(string(a.Status)), timeOrNull(a.CreatedAt)
}
