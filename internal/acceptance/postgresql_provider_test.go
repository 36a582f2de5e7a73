package acceptance

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	providerschema "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	acceptance "github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/jackc/pgx/v5"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// A postgresqlProvider replaces the provider cyrilgdev/postgresql, with the arguments
// that the example sets. It connects in the same way: over TLS, with the CA from a file,
// and only to a server whose name matches.
type postgresqlProvider struct{}

type postgresqlModel struct {
	Host        types.String `tfsdk:"host"`
	Port        types.Int64  `tfsdk:"port"`
	Database    types.String `tfsdk:"database"`
	Username    types.String `tfsdk:"username"`
	Password    types.String `tfsdk:"password"`
	Superuser   types.Bool   `tfsdk:"superuser"`
	SSLMode     types.String `tfsdk:"sslmode"`
	SSLRootCert types.String `tfsdk:"sslrootcert"`
}

func (postgresqlProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "postgresql"
}

func (postgresqlProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	text := providerschema.StringAttribute{Optional: true}
	resp.Schema.Attributes = map[string]providerschema.Attribute{
		"host": text, "port": providerschema.Int64Attribute{Optional: true}, "database": text, "username": text,
		"password":  providerschema.StringAttribute{Optional: true, Sensitive: true},
		"superuser": providerschema.BoolAttribute{Optional: true}, "sslmode": text, "sslrootcert": text,
	}
}

func (postgresqlProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var m postgresqlModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	resp.ResourceData = m
}

func (postgresqlProvider) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (postgresqlProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return &postgresqlSchema{} }}
}

// connect connects as libpq does with these arguments.
func (m postgresqlModel) connect(ctx context.Context) (*pgx.Conn, error) {
	if mode := m.SSLMode.ValueString(); mode != "verify-full" {
		return nil, errors.New("sslmode is " + mode)
	}
	ca, err := os.ReadFile(m.SSLRootCert.ValueString())
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		return nil, errors.New("no certificate in " + m.SSLRootCert.ValueString())
	}
	config, err := pgx.ParseConfig((&url.URL{
		Scheme: "postgresql", User: url.UserPassword(m.Username.ValueString(), m.Password.ValueString()),
		Host: m.Host.ValueString() + ":" + strconv.FormatInt(m.Port.ValueInt64(), 10), Path: "/" + m.Database.ValueString(),
		RawQuery: "sslmode=verify-full",
	}).String())
	if err != nil {
		return nil, err
	}
	config.TLSConfig = &tls.Config{RootCAs: roots, ServerName: m.Host.ValueString(), MinVersion: tls.VersionTLS12}
	return pgx.ConnectConfig(ctx, config)
}

// A postgresqlSchema manages a schema of a database.
type postgresqlSchema struct{ postgres postgresqlModel }

func (*postgresqlSchema) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "postgresql_schema"
}

func (*postgresqlSchema) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema.Attributes = map[string]schema.Attribute{"name": schema.StringAttribute{Required: true}}
}

func (r *postgresqlSchema) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.postgres, _ = req.ProviderData.(postgresqlModel)
}

func (r *postgresqlSchema) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.State.Raw = req.Plan.Raw
	resp.Diagnostics.Append(r.run(ctx, req.Plan.GetAttribute, "CREATE SCHEMA ")...)
}

func (*postgresqlSchema) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (*postgresqlSchema) Update(context.Context, resource.UpdateRequest, *resource.UpdateResponse) {}

func (r *postgresqlSchema) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	resp.Diagnostics.Append(r.run(ctx, req.State.GetAttribute, "DROP SCHEMA ")...)
}

// run runs a statement on the schema that a plan or a state names.
func (r *postgresqlSchema) run(ctx context.Context, attribute func(context.Context, path.Path, any) diag.Diagnostics, statement string) diag.Diagnostics {
	var name string
	diags := attribute(ctx, path.Root("name"), &name)
	connection, err := r.postgres.connect(ctx)
	if err != nil {
		diags.AddError("Unable to connect", err.Error())
		return diags
	}
	defer connection.Close(ctx)
	if _, err := connection.Exec(ctx, statement+pgx.Identifier{name}.Sanitize()); err != nil {
		diags.AddError("Unable to run "+statement, err.Error())
	}
	return diags
}

// The example of the ephemeral connection configures another provider, which then creates
// a schema in the instance's Postgres.
func TestAnotherProviderOverTheEphemeralConnection(t *testing.T) {
	needsCLI(t)
	fake := fakeservicetest.Start(t, func(o *fakeservice.Options) { o.Speed = testSpeed }, fakeservicetest.WithDataPlane(t))
	cli, err := versionUnderTest()
	if err != nil {
		t.Fatal(err)
	}
	ca := filepath.Join(t.TempDir(), "ca.pem")
	example, err := os.ReadFile("../../examples/ephemeral-resources/hosting_connection/ephemeral-resource.tf")
	if err != nil {
		t.Fatal(err)
	}
	configured, made, ok := strings.Cut(string(example), `resource "postgresql_schema"`)
	if !ok {
		t.Fatal("the example makes no schema")
	}
	// The test framework sets the sources of providers itself.
	required, configured, ok := strings.Cut(configured, "\n}\n\n")
	if !ok || !strings.HasPrefix(required, "terraform {\n") {
		t.Fatalf("the example begins: got %s, want required_providers", required)
	}
	const saved = `"${path.module}/ca.pem"`
	if strings.Count(configured, saved) != 1 {
		t.Fatalf("the example: got no or several %s, want one", saved)
	}
	configured = strings.Replace(configured, saved, strconv.Quote(ca), 1)
	instance := config(fake, `
resource "hosting_instance" "shop" {
  name                = "shop"
  plan                = "free"
  region              = "eu-central"
  engines             = { postgres = {} }
  deletion_protection = false
}
output "ca_certificate" { value = hosting_instance.shop.ca_certificate }
`)
	factories := providers()
	factories["postgresql"] = providerserver.NewProtocol6WithError(postgresqlProvider{})
	schemas := func(want int) acceptance.TestCheckFunc {
		return func(*terraform.State) error {
			owner, err := pgx.ParseConfig(connectionOf(t, fake).Engines.Postgres.OwnerURL + "&sslrootcert=" + url.QueryEscape(ca))
			if err != nil {
				return err
			}
			connection, err := pgx.ConnectConfig(t.Context(), owner)
			if err != nil {
				return err
			}
			defer connection.Close(t.Context())
			var n int
			if err := connection.QueryRow(t.Context(), "SELECT count(*) FROM pg_namespace WHERE nspname = 'reporting'").Scan(&n); err != nil || n != want {
				return fmt.Errorf("schemas named reporting: got %d (%v), want %d", n, err, want)
			}
			return nil
		}
	}
	acceptance.ParallelTest(t, acceptance.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []acceptance.TestStep{
			{Config: instance, Check: func(s *terraform.State) error {
				return os.WriteFile(ca, []byte(s.RootModule().Outputs["ca_certificate"].Value.(string)), 0o600)
			}},
			{Config: instance + configured + `resource "postgresql_schema"` + made, ExpectNonEmptyPlan: plansEphemerals(cli), Check: schemas(1)},
			{Config: instance + configured, ExpectNonEmptyPlan: plansEphemerals(cli), Check: schemas(0)},
		},
	})
}
