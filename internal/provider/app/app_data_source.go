package app

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

var _ datasource.DataSourceWithConfigure = &appDataSource{}

// NewDataSource returns the data source hosting_app.
func NewDataSource() datasource.DataSource { return &appDataSource{} }

type appDataSource struct{ base.DataSource }

// appRecordModel is an app as the data source shows it. It has no build variables,
// because any of them may be secret.
type appRecordModel struct {
	appSettings
	InstanceID types.String      `tfsdk:"instance_id"`
	Name       types.String      `tfsdk:"name"`
	Repo       types.String      `tfsdk:"repo"`
	URL        types.String      `tfsdk:"url"`
	Status     types.String      `tfsdk:"status"`
	CreatedAt  timetypes.RFC3339 `tfsdk:"created_at"`
}

func (d *appDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_app"
}

func (d *appDataSource) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "One app of an instance. Use it for the URL or status of an app that another configuration manages. " +
			"Variables are left out, because any of them may be secret.",
		Attributes: attributes.Recorded(ctx, NewResource(), attributes.Names(&appSettings{}), map[string]schema.Attribute{
			"instance_id": schema.StringAttribute{Required: true, MarkdownDescription: "The instance's id."},
			"name":        schema.StringAttribute{Required: true, MarkdownDescription: "Name of the app. It is an error if the instance has no such app."},
			"repo":        schema.StringAttribute{Computed: true, MarkdownDescription: "Repository as `owner/repo`."},
			"url":         schema.StringAttribute{Computed: true, MarkdownDescription: "Public URL. Null until the first deployment, and for an app that is not public."},
			"status":      schema.StringAttribute{Computed: true, MarkdownDescription: "`building`, `running`, `failed` or `stopped`."},
			"created_at":  schema.StringAttribute{Computed: true, CustomType: timetypes.RFC3339Type{}, MarkdownDescription: "When the app was created, in RFC 3339."},
		}),
	}
}

func (d *appDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model appRecordModel
	if !d.Begin(ctx, req, resp, &model) {
		return
	}
	instanceID, name := model.InstanceID.ValueString(), model.Name.ValueString()
	apps, err := d.Client.Apps(ctx, instanceID)
	at := slices.IndexFunc(apps, func(a client.App) bool { return a.Name == name })
	if at < 0 && err != nil {
		diagnostics.AddInstanceError(&resp.Diagnostics, "Unable to read the apps of instance "+instanceID, instanceID, err)
		return
	}
	if at < 0 {
		names := diagnostics.IdsOf(apps, func(a client.App) string { return a.Name })
		resp.Diagnostics.AddAttributeError(path.Root("name"), "Unknown app", diagnostics.NoSuch("app", name, names))
		return
	}
	model.setRecord(apps[at])
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

func (m *appRecordModel) setRecord(a client.App) {
	m.Links = types.SetUnknown(types.StringType) // so that none are an empty set
	attributes.TakeRecord(&m.appSettings, &a.AppSettings)
	m.Repo, m.URL, m.Status, m.CreatedAt = attributes.StringOrNull(a.Repo), attributes.StringOrNull(a.URL), attributes.StringOrNull(string(a.Status)), attributes.TimeOrNull(a.CreatedAt)
}
