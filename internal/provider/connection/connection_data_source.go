package connection

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

var _ datasource.DataSourceWithConfigure = &connectionDataSource{}

// NewDataSource returns the data source hosting_connection.
func NewDataSource() datasource.DataSource { return &connectionDataSource{} }

type connectionDataSource struct{ base.DataSource }

// connectionModel contains the fields of a connection record that are not secret.
type connectionModel struct {
	InstanceID         types.String `tfsdk:"instance_id"`
	Host               types.String `tfsdk:"host"`
	CACertificate      types.String `tfsdk:"ca_certificate"`
	AuthURL            types.String `tfsdk:"auth_url"`
	AuthAnonKey        types.String `tfsdk:"auth_anon_key"`
	PostgresDatabase   types.String `tfsdk:"postgres_database"`
	PostgresDirectPort types.Int64  `tfsdk:"postgres_direct_port"`
	PostgresPooledPort types.Int64  `tfsdk:"postgres_pooled_port"`
}

// setRecord copies a connection record into the model. Attributes of engines that are off
// are null.
func (m *connectionModel) setRecord(c client.Connection) {
	m.Host, m.CACertificate = attributes.StringOrNull(c.Host), attributes.StringOrNull(c.CACertificate)
	if auth := c.Engines.Auth; auth != nil {
		m.AuthURL, m.AuthAnonKey = attributes.StringOrNull(auth.URL), attributes.StringOrNull(auth.AnonKey)
	}
	if postgres := c.Engines.Postgres; postgres != nil {
		m.PostgresDatabase = attributes.StringOrNull(postgres.Database)
		m.PostgresDirectPort, m.PostgresPooledPort = attributes.Int64OrNull(postgres.DirectPort), attributes.Int64OrNull(postgres.PooledPort)
	}
}

// connectionDescriptions describes the attributes that the data source and the
// ephemeral resource share.
var connectionDescriptions = map[string]string{
	"instance_id":          "The instance's id.",
	"host":                 "Host name of the engines.",
	"ca_certificate":       "The instance's CA certificate in PEM, for `sslmode=verify-full`. Not secret.",
	"auth_url":             "URL of the auth engine, ending in `/auth/v1`. Null while the engine is off.",
	"auth_anon_key":        "The auth engine's key for browsers. Not secret. Null while the engine is off.",
	"postgres_database":    "Name of the instance's own database. Null while Postgres is off.",
	"postgres_direct_port": "Direct port, for migrations, LISTEN/NOTIFY, session-level settings and advisory locks. Null while Postgres is off.",
	"postgres_pooled_port": "Pooled port, for ordinary transactions. Null while Postgres is off, or without a pooler.",
}

func (d *connectionDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_connection"
}

func (d *connectionDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Host, ports and certificate of an instance's engines, without secrets. " +
			"Use it if you need no password; the ephemeral resource `hosting_connection` has passwords, URLs and keys. " +
			"Until the instance is created, reading it waits for up to 20 minutes, also during a plan. " +
			"If the checkout is unpaid, reading it fails with an error that has the checkout's address.",
		Attributes: map[string]schema.Attribute{
			"instance_id":          schema.StringAttribute{Required: true, MarkdownDescription: connectionDescriptions["instance_id"]},
			"host":                 schema.StringAttribute{Computed: true, MarkdownDescription: connectionDescriptions["host"]},
			"ca_certificate":       schema.StringAttribute{Computed: true, MarkdownDescription: connectionDescriptions["ca_certificate"]},
			"auth_url":             schema.StringAttribute{Computed: true, MarkdownDescription: connectionDescriptions["auth_url"]},
			"auth_anon_key":        schema.StringAttribute{Computed: true, MarkdownDescription: connectionDescriptions["auth_anon_key"]},
			"postgres_database":    schema.StringAttribute{Computed: true, MarkdownDescription: connectionDescriptions["postgres_database"]},
			"postgres_direct_port": schema.Int64Attribute{Computed: true, MarkdownDescription: connectionDescriptions["postgres_direct_port"]},
			"postgres_pooled_port": schema.Int64Attribute{Computed: true, MarkdownDescription: connectionDescriptions["postgres_pooled_port"]},
		},
	}
}

func (d *connectionDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config connectionModel
	if !d.Begin(ctx, req, resp, &config) {
		return
	}
	connection, err := awaitConnection(ctx, d.Client, config.InstanceID.ValueString())
	if err != nil {
		diagnostics.AddInstanceError(&resp.Diagnostics, "Unable to read the connection record of instance "+config.InstanceID.ValueString(), config.InstanceID.ValueString(), err)
		return
	}
	config.setRecord(connection)
	resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
}
