package connection

import (
	"context"
	"net/url"

	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

var _ ephemeral.EphemeralResourceWithConfigure = &connectionEphemeral{}

// NewEphemeral returns the ephemeral resource hosting_connection.
func NewEphemeral() ephemeral.EphemeralResource { return &connectionEphemeral{} }

type connectionEphemeral struct{ base.Ephemeral }

type connectionSecretsModel struct {
	connectionModel
	PostgresUsername    types.String `tfsdk:"postgres_username"`
	PostgresPassword    types.String `tfsdk:"postgres_password"`
	PostgresOwnerURL    types.String `tfsdk:"postgres_owner_url"`
	PostgresReadOnlyURL types.String `tfsdk:"postgres_readonly_url"`
	RedisURL            types.String `tfsdk:"redis_url"`
	CouchDBURL          types.String `tfsdk:"couchdb_url"`
	NATSURL             types.String `tfsdk:"nats_url"`
	AuthServiceKey      types.String `tfsdk:"auth_service_key"`
}

func (m *connectionSecretsModel) setRecord(c client.Connection) {
	m.connectionModel.setRecord(c)
	engines := c.Engines
	if engines.Postgres != nil {
		m.PostgresUsername, m.PostgresPassword = credentialsOf(engines.Postgres.OwnerURL)
		m.PostgresOwnerURL, m.PostgresReadOnlyURL = attributes.StringOrNull(engines.Postgres.OwnerURL), attributes.StringOrNull(engines.Postgres.ReadOnlyURL)
	}
	if engines.Auth != nil {
		m.AuthServiceKey = attributes.StringOrNull(engines.Auth.ServiceKey)
	}
	m.RedisURL, m.CouchDBURL, m.NATSURL = urlOf(engines.Redis), urlOf(engines.CouchDB), urlOf(engines.NATS)
}

// credentialsOf returns the name and the password in a URL, decoded. They are null if the
// URL has none.
func credentialsOf(address string) (username, password types.String) {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return types.StringNull(), types.StringNull()
	}
	secret, _ := u.User.Password()
	return attributes.StringOrNull(u.User.Username()), attributes.StringOrNull(secret)
}

func urlOf(engine *client.URLConnection) types.String {
	if engine == nil {
		return types.StringNull()
	}
	return attributes.StringOrNull(engine.URL)
}

func (e *connectionEphemeral) Metadata(_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_connection"
}

func (e *connectionEphemeral) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Passwords, URLs and keys of an instance's engines. Use it for other providers and provisioners that connect. " +
			"Nothing is stored in the state or a plan.\n\nThe connection is read in each run, so it has the current passwords. If the same apply rotates them, add `depends_on`. " +
			"Until the instance is created, reading it waits for up to 20 minutes, also during a plan. " +
			"If the checkout is unpaid, reading it fails with an error that has the checkout's address. Until you have paid, apply the rest with `terraform apply -target`.",
		Attributes: map[string]schema.Attribute{
			"instance_id":           schema.StringAttribute{Required: true, MarkdownDescription: connectionDescriptions["instance_id"]},
			"host":                  schema.StringAttribute{Computed: true, MarkdownDescription: connectionDescriptions["host"]},
			"ca_certificate":        schema.StringAttribute{Computed: true, MarkdownDescription: connectionDescriptions["ca_certificate"]},
			"auth_url":              schema.StringAttribute{Computed: true, MarkdownDescription: connectionDescriptions["auth_url"]},
			"auth_anon_key":         schema.StringAttribute{Computed: true, MarkdownDescription: connectionDescriptions["auth_anon_key"]},
			"postgres_database":     schema.StringAttribute{Computed: true, MarkdownDescription: connectionDescriptions["postgres_database"]},
			"postgres_direct_port":  schema.Int64Attribute{Computed: true, MarkdownDescription: connectionDescriptions["postgres_direct_port"]},
			"postgres_pooled_port":  schema.Int64Attribute{Computed: true, MarkdownDescription: connectionDescriptions["postgres_pooled_port"]},
			"postgres_username":     schema.StringAttribute{Computed: true, MarkdownDescription: "Role of `postgres_owner_url`. Null while Postgres is off."},
			"postgres_password":     schema.StringAttribute{Computed: true, Sensitive: true, MarkdownDescription: "Password of that role, decoded, as other providers expect it. Null while Postgres is off."},
			"postgres_owner_url":    schema.StringAttribute{Computed: true, Sensitive: true, MarkdownDescription: "URL of the role that can write and create databases, on the direct port. Null while Postgres is off."},
			"postgres_readonly_url": schema.StringAttribute{Computed: true, Sensitive: true, MarkdownDescription: "URL of a role with `pg_read_all_data`, on the direct port; all of its transactions are read-only. Null while Postgres is off."},
			"redis_url":             schema.StringAttribute{Computed: true, Sensitive: true, MarkdownDescription: "URL of Redis. Null while it is off."},
			"couchdb_url":           schema.StringAttribute{Computed: true, Sensitive: true, MarkdownDescription: "URL of CouchDB. Null while it is off."},
			"nats_url":              schema.StringAttribute{Computed: true, Sensitive: true, MarkdownDescription: "URL of NATS. Null while it is off."},
			"auth_service_key":      schema.StringAttribute{Computed: true, Sensitive: true, MarkdownDescription: "Service key of the auth engine. Null while it is off."},
		},
	}
}

func (e *connectionEphemeral) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	var config connectionSecretsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || !base.RequireClient(e.Client, &resp.Diagnostics) {
		return
	}
	connection, err := awaitConnection(ctx, e.Client, config.InstanceID.ValueString())
	if err != nil {
		diagnostics.AddInstanceError(&resp.Diagnostics, "Unable to read the connection record of instance "+config.InstanceID.ValueString(), config.InstanceID.ValueString(), err)
		return
	}
	config.setRecord(connection)
	resp.Diagnostics.Append(resp.Result.Set(ctx, config)...)
}
