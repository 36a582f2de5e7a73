package provider

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
	"github.com/instance-hosting/terraform-provider-hosting/internal/progress"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/account"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/app"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/catalog"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/connection"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/instance"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/planning"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/postgres"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/settings"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/webhookendpoint"
)

var (
	_ provider.Provider                       = &hostingProvider{}
	_ provider.ProviderWithActions            = &hostingProvider{}
	_ provider.ProviderWithEphemeralResources = &hostingProvider{}
	_ provider.ProviderWithFunctions          = &hostingProvider{}
	_ provider.ProviderWithListResources      = &hostingProvider{}
)

// An Option changes how a provider reaches the service, or what it reports to its caller.
type Option func(*hostingProvider)

// WithTransport sends the provider's requests through a transport, instead of the
// client's default.
func WithTransport(transport client.Transport) Option {
	return func(p *hostingProvider) { p.transport = transport }
}

// WithRandom sets the source of all random values of the provider: the jitter of its
// pauses, and its idempotency keys.
func WithRandom(source rand.Source) Option {
	return func(p *hostingProvider) { p.random = source }
}

// WithEnvironment sets the source of environment variables. The default is os.Getenv.
func WithEnvironment(getenv func(name string) string) Option {
	return func(p *hostingProvider) { p.getenv = getenv }
}

// WithReadLag sets the time that the provider waits for reads that may lag. The default is
// client.ReadLag.
func WithReadLag(lag time.Duration) Option {
	return func(p *hostingProvider) { p.readLag = lag }
}

// WithUnknowns makes the provider count the unknown values that it kept out of the state.
// Each of them is a bug.
func WithUnknowns(count *atomic.Int64) Option {
	return func(p *hostingProvider) { p.unknowns = count }
}

// New returns a function that creates the provider.
func New(version string, options ...Option) func() provider.Provider {
	return func() provider.Provider { return newProvider(version, options...) }
}

func newProvider(version string, options ...Option) *hostingProvider {
	p := &hostingProvider{version: version, getenv: os.Getenv, unknowns: new(atomic.Int64)}
	for _, set := range options {
		set(p)
	}
	return p
}

type hostingProvider struct {
	version   string
	transport client.Transport // nil for the client's default
	random    rand.Source      // nil for a source that the system seeds
	getenv    func(name string) string
	readLag   time.Duration // 0 for the client's default
	unknowns  *atomic.Int64
	// configured is the data that Configure prepared for resources. It is nil if
	// Configure did not get that far.
	configured atomic.Pointer[base.Data]
}

type providerModel struct {
	BaseURL           types.String  `tfsdk:"base_url"`
	APIKey            types.String  `tfsdk:"api_key"`
	MaxRetries        types.Int64   `tfsdk:"max_retries"`
	RequestTimeout    types.String  `tfsdk:"request_timeout"`
	RequestsPerSecond types.Float64 `tfsdk:"requests_per_second"`
	AllowedAccountIDs types.Set     `tfsdk:"allowed_account_ids"`
	DefaultTags       types.Set     `tfsdk:"default_tags"`
}

// unknown reports whether an argument that the client needs is unknown.
func (m providerModel) unknown() bool {
	return m.BaseURL.IsUnknown() || m.APIKey.IsUnknown() || m.MaxRetries.IsUnknown() ||
		m.RequestTimeout.IsUnknown() || m.RequestsPerSecond.IsUnknown() || !attributes.AllKnown(m.AllowedAccountIDs)
}

func (p *hostingProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "hosting"
	resp.Version = p.version
}

func (p *hostingProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The provider manages instances of the hosting service and what runs on them: engines, apps, Postgres databases, extensions and scripts. " +
			"It also manages allowlists, the SQL console's mode, auth settings, webhook endpoints and the account's profile.",
		Attributes: map[string]schema.Attribute{
			"base_url": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "REST base address of the service, ending in `/api/v1`. It must be `https`; `http` is accepted only for loopback addresses. " +
					"Can be set with the environment variable `" + diagnostics.EnvBaseURL + "` instead.",
			},
			"api_key": schema.StringAttribute{
				Optional:  true,
				Sensitive: true,
				MarkdownDescription: "API key, created on the portal's Access page. " +
					"Can be set with the environment variable `" + diagnostics.EnvAPIKey + "` instead, which keeps it out of the configuration.",
			},
			"max_retries": schema.Int64Attribute{
				Optional:   true,
				Validators: []validator.Int64{attributes.NumberRule{Least: 0, Most: 20}},
				MarkdownDescription: "Maximum retries of a request after a transient error. Default `4`. " +
					"Retries after status 429 do not count: the provider then slows down to the rate that the service allows.",
			},
			"request_timeout": schema.StringAttribute{
				Optional:   true,
				Validators: []validator.String{attributes.RequestDuration()},
				MarkdownDescription: "Time limit of one request, as a duration such as `30s`. Default `60s`. " +
					"To limit waits for jobs and builds, use each resource's `timeouts`.",
			},
			"requests_per_second": schema.Float64Attribute{
				Optional:   true,
				Validators: []validator.Float64{attributes.NumberRule{Least: 0.1, Most: 1000}},
				MarkdownDescription: "Maximum requests per second of the whole provider. " +
					"Default: no maximum; the provider slows down after status 429. " +
					"Set it if several runs share one account's limit.",
			},
			"allowed_account_ids": schema.SetAttribute{
				Optional:    true,
				ElementType: types.StringType,
				Validators:  []validator.Set{setvalidator.SizeAtLeast(1), attributes.NoEmptyElement{What: "account id"}},
				MarkdownDescription: "Ids of the accounts that this configuration may use. With a key of an account that is not listed, the provider fails immediately. " +
					"The data source `hosting_account` returns a key's account id. Default: any account, but when the provider first plans or changes an existing object, it compares the key's account with the state. " +
					"Creations before that are not checked.",
			},
			"default_tags": schema.SetAttribute{
				Optional:            true,
				ElementType:         types.StringType,
				Validators:          []validator.Set{attributes.NoEmptyElement{What: "tag"}},
				MarkdownDescription: "Tags added to every instance in addition to its own `tags`. An instance's `tags_all` contains both. Default: none.",
			},
		},
	}
}

func (p *hostingProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	if before := p.configured.Swap(nil); before != nil {
		// A process with -debug serves one command after the other.
		before.Client.CloseIdleConnections()
	}
	var config providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if config.unknown() {
		// The configuration depends on a resource that does not exist yet. If the CLI
		// supports deferral, everything is deferred. Otherwise resources keep their state
		// without a client, and operations that must read now report an error.
		if req.ClientCapabilities.DeferralAllowed {
			resp.Deferred = &provider.Deferred{Reason: provider.DeferredReasonProviderConfigUnknown}
		}
		return
	}
	baseURL := p.valueOrEnv(config.BaseURL, diagnostics.EnvBaseURL)
	if baseURL == "" {
		resp.Diagnostics.AddAttributeError(path.Root("base_url"), "Missing base URL",
			missing(config.BaseURL, "base_url", diagnostics.EnvBaseURL)+", to the service's REST address. It ends in /api/v1.")
	} else if _, err := transport.ParseBaseURL(baseURL); err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("base_url"), "Invalid base URL",
			"The base URL of the service cannot be used: "+err.Error()+". It comes from base_url or the environment variable "+diagnostics.EnvBaseURL+".")
	}
	apiKey := p.valueOrEnv(config.APIKey, diagnostics.EnvAPIKey)
	if apiKey == "" {
		resp.Diagnostics.AddAttributeError(path.Root("api_key"), "Missing API key",
			missing(config.APIKey, "api_key", diagnostics.EnvAPIKey)+". A key is created on the portal's Access page.")
	} else if err := transport.CheckAPIKey(apiKey); err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("api_key"), "Invalid API key",
			diagnostics.Sentence(err.Error())+" It comes from api_key or the environment variable "+diagnostics.EnvAPIKey+".")
	}
	if resp.Diagnostics.HasError() {
		return
	}
	options := client.Options{
		BaseURL:    baseURL,
		APIKey:     apiKey,
		MaxRetries: client.DefaultMaxRetries,
		UserAgent:  "terraform-provider-hosting/" + p.version + " terraform/" + req.TerraformVersion,
		Log: func(ctx context.Context, message string, fields map[string]any) {
			tflog.Debug(ctx, message, fields)
		},
		Progress: reportProgress(openProgress(p.getenv(progress.Variable), &resp.Diagnostics)),
	}
	if !config.MaxRetries.IsNull() {
		options.MaxRetries = int(config.MaxRetries.ValueInt64())
	}
	if !config.RequestTimeout.IsNull() {
		options.RequestTimeout, _ = time.ParseDuration(config.RequestTimeout.ValueString()) // the schema has validated it
	}
	options.RequestsPerSecond = config.RequestsPerSecond.ValueFloat64() // null is 0, which means no limit
	options.Transport, options.Random, options.ReadLag = p.transport, p.random, p.readLag
	c, err := client.New(options)
	if err != nil {
		resp.Diagnostics.AddError("Unable to set up the provider", err.Error())
		return
	}
	if !checkAllowedAccount(ctx, c, config.AllowedAccountIDs, &resp.Diagnostics) {
		return
	}
	resources := base.Data{Client: c, Planned: planning.New(), Account: base.NewAccountCheck(c), Service: diagnostics.NewServiceCheck(c), Unknowns: p.unknowns, DefaultTags: config.DefaultTags}
	p.configured.Store(&resources)
	resp.ResourceData, resp.ListResourceData, resp.ActionData = resources, resources, resources
	resp.DataSourceData, resp.EphemeralResourceData = c, c
}

// checkAllowedAccount refuses an API key of an account that is not allowed, and returns
// false. If allowed is null, it sends no request.
func checkAllowedAccount(ctx context.Context, c *client.Client, allowed types.Set, diags *diag.Diagnostics) bool {
	if allowed.IsNull() {
		return true
	}
	ids := attributes.Sorted(attributes.ElementsOf(allowed))
	at := path.Root("allowed_account_ids")
	id, err := c.AccountID(ctx)
	switch {
	case err != nil:
		diags.AddAttributeError(at, "Unable to read the account of the API key", diagnostics.Explain(err))
	case id == "":
		diags.AddAttributeError(at, "The account of the API key is not known",
			"The service returns no id for it (GET /me), so it cannot be compared. Remove allowed_account_ids to use the key all the same.")
	case !slices.Contains(ids, id):
		diags.AddAttributeError(at, "The account is not allowed",
			fmt.Sprintf("The API key acts as account %s at %s, and allowed_account_ids has %s. Nothing was requested or changed. "+
				"Use an API key of an allowed account, or add %s to allowed_account_ids.", id, c.Origin(), strings.Join(ids, ", "), id))
	default:
		return true
	}
	return false
}

func (p *hostingProvider) valueOrEnv(value types.String, name string) string {
	if value.IsNull() {
		return p.getenv(name)
	}
	return value.ValueString()
}

// missing says what to set. An empty argument wins over the environment variable.
func missing(value types.String, argument, name string) string {
	if value.IsNull() {
		return "Set " + argument + " in the provider block, or the environment variable " + name
	}
	return argument + " in the provider block is empty. Remove it and set the environment variable " + name + ", or set it"
}

// Resources returns the constructors of managed resources. A resource may return the
// response that an unchangedServer has computed.
func (p *hostingProvider) Resources(context.Context) []func() resource.Resource {
	all := resourceConstructors()
	for i, newResource := range all {
		all[i] = func() resource.Resource { return withComputed(newResource()) }
	}
	return all
}

func resourceConstructors() []func() resource.Resource {
	return []func() resource.Resource{
		account.NewProfileResource,
		settings.NewAllowlistResource,
		app.NewResource,
		settings.NewAuthSettingsResource,
		settings.NewConsoleModeResource,
		instance.NewResource,
		postgres.NewDatabaseResource,
		postgres.NewExtensionResource,
		postgres.NewScriptResource,
		webhookendpoint.NewResource,
	}
}

func (p *hostingProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		account.NewDataSource,
		app.NewBuildsDataSource,
		app.NewDataSource,
		app.NewGuideDataSource,
		instance.NewBackupsDataSource,
		account.NewBillingDataSource,
		connection.NewDataSource,
		instance.NewDataSource,
		instance.NewListDataSource,
		catalog.NewLocationsDataSource,
		catalog.NewPlansDataSource,
		webhookendpoint.NewDataSource,
	}
}

func (p *hostingProvider) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{
		connection.NewEphemeral,
	}
}

func (p *hostingProvider) ListResources(context.Context) []func() list.ListResource {
	return []func() list.ListResource{
		account.NewProfileListResource,
		settings.NewAllowlistListResource,
		app.NewListResource,
		settings.NewAuthSettingsListResource,
		settings.NewConsoleModeListResource,
		instance.NewListResource,
		postgres.NewDatabaseListResource,
		postgres.NewExtensionListResource,
		webhookendpoint.NewListResource,
	}
}

func (p *hostingProvider) Actions(context.Context) []func() action.Action {
	return []func() action.Action{
		app.NewRedeployAction,
		app.NewRestartAction,
		instance.NewEngineRestartAction,
		instance.NewResetAction,
		instance.NewRestoreAction,
		instance.NewRotateAction,
	}
}

func (p *hostingProvider) Functions(context.Context) []func() function.Function {
	return []func() function.Function{
		connection.NewLibpqEnvFunction,
		connection.NewPooledURLFunction,
		connection.NewWebhookSignatureFunction,
	}
}
