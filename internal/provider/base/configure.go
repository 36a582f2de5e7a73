package base

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/planning"
)

// Resource is embedded by every managed resource. All of its fields are nil while the
// provider's configuration is unknown.
type Resource struct{ Data }

// Data is the data that the provider's Configure passes to resources, lists and
// actions.
type Data struct {
	Client      *client.Client
	Planned     *planning.Planned
	Account     *AccountCheck
	Service     *diagnostics.ServiceCheck
	Unknowns    *atomic.Int64 // number of unknown values kept out of the state
	DefaultTags types.Set     // the provider's default_tags
}

// Configure takes what the provider's Configure left.
func (b *Resource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	b.Data = providerData[Data](req.ProviderData, &resp.Diagnostics)
}

// DataSource is embedded by every data source.
type DataSource struct{ Client *client.Client }

// Configure takes what the provider's Configure left.
func (b *DataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	b.Client = providerData[*client.Client](req.ProviderData, &resp.Diagnostics)
}

// Begin reads the configuration of a data source into its model. It returns false if the
// data source cannot be read now.
func (b *DataSource) Begin(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse, model any) bool {
	resp.Diagnostics.Append(req.Config.Get(ctx, model)...)
	return !resp.Diagnostics.HasError() && RequireClient(b.Client, &resp.Diagnostics)
}

// Ephemeral is embedded by every ephemeral resource.
type Ephemeral struct{ Client *client.Client }

// Configure takes what the provider's Configure left.
func (b *Ephemeral) Configure(_ context.Context, req ephemeral.ConfigureRequest, resp *ephemeral.ConfigureResponse) {
	b.Client = providerData[*client.Client](req.ProviderData, &resp.Diagnostics)
}

// Action is embedded by every action.
type Action struct {
	Client  *client.Client
	Service *diagnostics.ServiceCheck
}

// Configure takes what the provider's Configure left.
func (b *Action) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	data := providerData[Data](req.ProviderData, &resp.Diagnostics)
	b.Client, b.Service = data.Client, data.Service
}

// providerData returns the data that the provider's Configure passed on. It is zero
// before Configure runs, and while the provider's configuration is unknown.
func providerData[T any](data any, diags *diag.Diagnostics) T {
	left, ok := data.(T)
	if !ok && data != nil {
		diags.AddError("Unexpected provider data", fmt.Sprintf("Expected a %T, got a %T. Please report this to the provider's developers.", left, data))
	}
	return left
}

// RequireClient reports an error if there is no client. It is for operations that must
// read the service now and cannot fall back to the state.
func RequireClient(c *client.Client, diags *diag.Diagnostics) bool {
	if c == nil {
		diags.AddError("The provider is not configured yet",
			"The provider's configuration depends on a value that is known only after apply. "+
				"Apply what it depends on first, for example with -target, or set the provider's arguments to values that are known when planning.")
	}
	return c != nil
}
