package provider

import (
	"context"
	"errors"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

var (
	_ datasource.DataSourceWithConfigure = &appDataSource{}
	_ datasource.DataSourceWithConfigure = &appBuildsDataSource{}
	_ datasource.DataSourceWithConfigure = &appsGuideDataSource{}
)

func newAppDataSource() datasource.DataSource { return &appDataSource{} }

type appDataSource struct{ dataSourceBase }

// appRecordModel is an app as the data source shows it. Its build variables are
// not among it: which of them are secret cannot be told.
type appRecordModel struct {
	InstanceID types.String `tfsdk:"instance_id"`
	Name       types.String `tfsdk:"name"`
	Repo       types.String `tfsdk:"repo"`
	Branch     types.String `tfsdk:"branch"`
	Port       types.Int64  `tfsdk:"port"`
	HealthPath types.String `tfsdk:"health_path"`
	Public     types.Bool   `tfsdk:"public"`
	Links      []string     `tfsdk:"links"`
	MemoryMB   types.Int64  `tfsdk:"memory_mb"`
	URL        types.String `tfsdk:"url"`
	Status     types.String `tfsdk:"status"`
	CreatedAt  types.String `tfsdk:"created_at"`
}

func (d *appDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_app"
}

func (d *appDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "One app of an instance. Its build variables are left out, as some of them may be secret.",
		Attributes: map[string]schema.Attribute{
			"instance_id": schema.StringAttribute{Required: true, MarkdownDescription: "The instance's id."},
			"name":        schema.StringAttribute{Required: true, MarkdownDescription: "The app's name; it is an error if the instance has no such app."},
			"repo":        schema.StringAttribute{Computed: true, MarkdownDescription: "The repository as `owner/repo`."},
			"branch":      schema.StringAttribute{Computed: true, MarkdownDescription: "The branch that is built."},
			"port":        schema.Int64Attribute{Computed: true, MarkdownDescription: "The port that the container listens on."},
			"health_path": schema.StringAttribute{Computed: true, MarkdownDescription: "The path that answers HTTP 200."},
			"public":      schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether it has a public URL."},
			"links":       schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Engines that it is linked to, sorted."},
			"memory_mb":   schema.Int64Attribute{Computed: true, MarkdownDescription: "Memory in MB."},
			"url":         schema.StringAttribute{Computed: true, MarkdownDescription: "Public URL, null until the first deployment and for an app that is not public."},
			"status":      schema.StringAttribute{Computed: true, MarkdownDescription: "`building`, `running`, `failed` or `stopped`."},
			"created_at":  schema.StringAttribute{Computed: true, MarkdownDescription: "When it was imported, in RFC 3339."},
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
	m.Links = sorted(a.Links.Value)
	m.URL, m.Status, m.CreatedAt = stringOrNull(a.URL), stringOrNull(a.Status), timeOrNull(a.CreatedAt)
}

func newAppBuildsDataSource() datasource.DataSource { return &appBuildsDataSource{} }

type appBuildsDataSource struct{ dataSourceBase }

type appBuildsModel struct {
	InstanceID types.String `tfsdk:"instance_id"`
	App        types.String `tfsdk:"app"`
	Status     types.String `tfsdk:"status"`
	Builds     []buildModel `tfsdk:"builds"`
}

type buildModel struct {
	ID        types.String `tfsdk:"id"`
	Status    types.String `tfsdk:"status"`
	Commit    types.String `tfsdk:"commit"`
	CreatedAt types.String `tfsdk:"created_at"`
	Error     types.String `tfsdk:"error"`
}

func (d *appBuildsDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_app_builds"
}

func (d *appBuildsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The builds of an app, the newest first.",
		Attributes: map[string]schema.Attribute{
			"instance_id": schema.StringAttribute{Required: true, MarkdownDescription: "The instance's id."},
			"app":         schema.StringAttribute{Required: true, MarkdownDescription: "The app's name."},
			"status":      schema.StringAttribute{Optional: true, MarkdownDescription: "Only builds of this status: `queued`, `running`, `successful` or `failed`. Default: all."},
			"builds": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "The builds that match, the newest first.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id":         schema.StringAttribute{Computed: true, MarkdownDescription: "Identifier."},
					"status":     schema.StringAttribute{Computed: true, MarkdownDescription: "Status."},
					"commit":     schema.StringAttribute{Computed: true, MarkdownDescription: "The commit that was built."},
					"created_at": schema.StringAttribute{Computed: true, MarkdownDescription: "When it was queued, in RFC 3339."},
					"error":      schema.StringAttribute{Computed: true, MarkdownDescription: "The end of a failed build's log, or null."},
				}},
			},
		},
	}
}

func (d *appBuildsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model appBuildsModel
	if !d.begin(ctx, req, resp, &model) {
		return
	}
	builds, err := d.client.Builds(ctx, model.InstanceID.ValueString(), model.App.ValueString())
	if errors.Is(err, client.ErrNotFound) {
		d.addNoSuchApp(ctx, model, &resp.Diagnostics)
		return
	}
	if err != nil {
		addError(&resp.Diagnostics, "Unable to read the builds of app "+model.App.ValueString(), err)
		return
	}
	warnUnmatched(&resp.Diagnostics, "status", "build status", model.Status, buildStatuses, idsOf(builds, func(b client.Build) string { return b.Status }))
	model.Builds = []buildModel{}
	for _, b := range builds {
		if matches(model.Status, b.Status) {
			model.Builds = append(model.Builds, buildModel{types.StringValue(b.ID), types.StringValue(b.Status), stringOrNull(b.Commit), timeOrNull(b.CreatedAt), stringOrNull(b.Error.Value)})
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

// addNoSuchApp names the apps that there are instead, where they can be read.
func (d *appBuildsDataSource) addNoSuchApp(ctx context.Context, model appBuildsModel, diags *diag.Diagnostics) {
	instanceID, name := model.InstanceID.ValueString(), model.App.ValueString()
	apps, err := d.client.Apps(ctx, instanceID)
	if err != nil {
		addInstanceError(diags, "Unable to read the apps of instance "+instanceID, instanceID, err)
		return
	}
	diags.AddAttributeError(path.Root("app"), "Unknown app", noSuch("app", name, idsOf(apps, client.App.Identifier)))
}

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
		MarkdownDescription: "The contract that a hosted app must satisfy, as the service words it.",
		Attributes: map[string]schema.Attribute{
			"markdown": schema.StringAttribute{Computed: true, MarkdownDescription: "The guide as markdown."},
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
