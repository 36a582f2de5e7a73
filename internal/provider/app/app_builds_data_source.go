package app

import (
	"context"
	"errors"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

var _ datasource.DataSourceWithConfigure = &appBuildsDataSource{}

// NewBuildsDataSource returns the data source hosting_app_builds.
func NewBuildsDataSource() datasource.DataSource { return &appBuildsDataSource{} }

type appBuildsDataSource struct{ base.DataSource }

type appBuildsModel struct {
	InstanceID types.String `tfsdk:"instance_id"`
	App        types.String `tfsdk:"app"`
	Status     types.String `tfsdk:"status"`
	Builds     []buildModel `tfsdk:"builds"`
}

type buildModel struct {
	ID         types.String      `tfsdk:"id"`
	Status     types.String      `tfsdk:"status"`
	Commit     types.String      `tfsdk:"commit"`
	CreatedAt  timetypes.RFC3339 `tfsdk:"created_at"`
	FinishedAt timetypes.RFC3339 `tfsdk:"finished_at"`
	Error      types.String      `tfsdk:"error"`
}

func (d *appBuildsDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_app_builds"
}

func (d *appBuildsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The builds of an app. Use it to find out why a build failed, or which commit was built.",
		Attributes: map[string]schema.Attribute{
			"instance_id": schema.StringAttribute{Required: true, MarkdownDescription: "The instance's id."},
			"app":         schema.StringAttribute{Required: true, MarkdownDescription: "Name of the app."},
			"status":      schema.StringAttribute{Optional: true, MarkdownDescription: "Only builds with this status: `queued`, `running`, `successful` or `failed`. Default: all."},
			"builds": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "Matching builds, the newest first.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id":          schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the build."},
					"status":      schema.StringAttribute{Computed: true, MarkdownDescription: "`queued`, `running`, `successful` or `failed`."},
					"commit":      schema.StringAttribute{Computed: true, MarkdownDescription: "Commit that was built."},
					"created_at":  schema.StringAttribute{Computed: true, CustomType: timetypes.RFC3339Type{}, MarkdownDescription: "When the build was queued, in RFC 3339."},
					"finished_at": schema.StringAttribute{Computed: true, CustomType: timetypes.RFC3339Type{}, MarkdownDescription: "When the build ended, in RFC 3339; null while it runs."},
					"error":       schema.StringAttribute{Computed: true, Sensitive: true, MarkdownDescription: "End of a failed build's log, or null. The app's current variables are hidden in it; former values are not."},
				}},
			},
		},
	}
}

func (d *appBuildsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model appBuildsModel
	if !d.Begin(ctx, req, resp, &model) {
		return
	}
	builds, err := d.Client.Builds(ctx, model.InstanceID.ValueString(), model.App.ValueString())
	if errors.Is(err, client.ErrNotFound) {
		d.addNotFound(ctx, model, err, &resp.Diagnostics)
		return
	}
	if err = diagnostics.LeftOut(err, &resp.Diagnostics); err != nil {
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to read the builds of app "+model.App.ValueString(), err)
		return
	}
	attributes.WarnUnmatched(&resp.Diagnostics, "status", "build status", model.Status, attributes.BuildStatuses, diagnostics.IdsOf(builds, func(b client.Build) string { return string(b.Status) }))
	d.Client.ShowLogs(ctx, model.InstanceID.ValueString(), model.App.ValueString(), builds)
	warnOfWithheldLogs(&resp.Diagnostics, model.App.ValueString(), builds)
	model.Builds = []buildModel{}
	for _, b := range builds {
		if attributes.Matches(model.Status, string(b.Status)) {
			model.Builds = append(model.Builds, buildModel{types.StringValue(b.ID), attributes.StringOrNull(string(b.Status)), attributes.StringOrNull(b.Commit), attributes.TimeOrNull(b.CreatedAt), attributes.TimeOrNull(b.FinishedAt), attributes.StringOrNull(b.Error.Text)})
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

// warnOfWithheldLogs warns, with the reason, if logs are not shown.
func warnOfWithheldLogs(diags *diag.Diagnostics, app string, builds []client.Build) {
	for _, b := range builds {
		if b.Error.Withheld != nil {
			diags.AddWarning("The build logs of app "+app+" are not shown",
				"A log may show the app's variables, and they could not be read to hide them in it: "+b.Error.Withheld.Error()+". The attribute error of each build is null.")
			return
		}
	}
}

// addNotFound reports builds that are not found: those of an unknown app, with the names of
// the existing ones, or those of an app that exists.
func (d *appBuildsDataSource) addNotFound(ctx context.Context, model appBuildsModel, notFound error, diags *diag.Diagnostics) {
	instanceID, name := model.InstanceID.ValueString(), model.App.ValueString()
	apps, err := d.Client.Apps(ctx, instanceID)
	if err != nil {
		diagnostics.AddInstanceError(diags, "Unable to read the apps of instance "+instanceID, instanceID, err)
		return
	}
	names := diagnostics.IdsOf(apps, client.App.Identifier)
	if slices.Contains(names, name) {
		diagnostics.AddClientError(diags, "Unable to read the builds of app "+name, notFound)
		return
	}
	diags.AddAttributeError(path.Root("app"), "Unknown app", diagnostics.NoSuch("app", name, names))
}
