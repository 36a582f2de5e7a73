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

var _ datasource.DataSourceWithConfigure = &backupsDataSource{}

// NewBackupsDataSource returns the data source hosting_backups.
func NewBackupsDataSource() datasource.DataSource { return &backupsDataSource{} }

type backupsDataSource struct{ base.DataSource }

type backupsModel struct {
	InstanceID types.String  `tfsdk:"instance_id"`
	Kind       types.String  `tfsdk:"kind"`
	Backups    []backupModel `tfsdk:"backups"`
}

type backupModel struct {
	ID        types.String      `tfsdk:"id"`
	Kind      types.String      `tfsdk:"kind"`
	CreatedAt timetypes.RFC3339 `tfsdk:"created_at"`
	SizeBytes types.Float64     `tfsdk:"size_bytes"`
}

func (d *backupsDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_backups"
}

func (d *backupsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Daily backups and undo snapshots of an instance. Use it to find the id for the action `hosting_instance_restore`.",
		Attributes: map[string]schema.Attribute{
			"instance_id": schema.StringAttribute{Required: true, MarkdownDescription: "The instance's id."},
			"kind":        schema.StringAttribute{Optional: true, MarkdownDescription: "Only backups of this kind: `daily` or `undo`. Default: all."},
			"backups": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "Matching backups, the newest first.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id":         schema.StringAttribute{Computed: true, MarkdownDescription: "Id, for the action `hosting_instance_restore`."},
					"kind":       schema.StringAttribute{Computed: true, MarkdownDescription: "`daily` or `undo`."},
					"created_at": schema.StringAttribute{Computed: true, CustomType: timetypes.RFC3339Type{}, MarkdownDescription: "When the backup was taken, in RFC 3339."},
					"size_bytes": schema.Float64Attribute{Computed: true, MarkdownDescription: "Size in bytes."},
				}},
			},
		},
	}
}

func (d *backupsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model backupsModel
	if !d.Begin(ctx, req, resp, &model) {
		return
	}
	backups, err := d.Client.Backups(ctx, model.InstanceID.ValueString())
	if err = diagnostics.LeftOut(err, &resp.Diagnostics); err != nil {
		diagnostics.AddInstanceError(&resp.Diagnostics, "Unable to read the backups of instance "+model.InstanceID.ValueString(), model.InstanceID.ValueString(), err)
		return
	}
	attributes.WarnUnmatched(&resp.Diagnostics, "kind", "kind of backup", model.Kind, attributes.BackupKinds, diagnostics.IdsOf(backups, func(b client.Backup) string { return b.Kind }))
	model.Backups = []backupModel{}
	for _, b := range attributes.NewestFirst(backups, func(b client.Backup) client.Time { return b.CreatedAt }) {
		if attributes.Matches(model.Kind, b.Kind) {
			model.Backups = append(model.Backups, backupModel{types.StringValue(b.ID), attributes.StringOrNull(b.Kind), attributes.TimeOrNull(b.CreatedAt), attributes.RecordedFloat64(b.SizeBytes.Value)})
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}
