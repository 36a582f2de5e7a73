package provider

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
)

// resourceBase is embedded by every managed resource. All of its fields are nil while the
// provider's configuration is unknown.
type resourceBase struct{ resourceData }

// resourceData is the data that the provider's Configure passes to resources, lists and
// actions.
type resourceData struct {
	client      *client.Client
	planned     *planned
	account     *accountCheck
	reach       *serviceCheck
	unknowns    *atomic.Int64 // number of unknown values kept out of the state
	defaultTags types.Set     // the provider's default_tags
}

func (b *resourceBase) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	b.resourceData = providerData[resourceData](req.ProviderData, &resp.Diagnostics)
}

// dataSourceBase is embedded by every data source.
type dataSourceBase struct{ client *client.Client }

func (b *dataSourceBase) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	b.client = providerData[*client.Client](req.ProviderData, &resp.Diagnostics)
}

// begin reads the configuration of a data source into its model. It returns false if the
// data source cannot be read now.
func (b *dataSourceBase) begin(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse, model any) bool {
	resp.Diagnostics.Append(req.Config.Get(ctx, model)...)
	return !resp.Diagnostics.HasError() && requireClient(b.client, &resp.Diagnostics)
}

// ephemeralBase is embedded by every ephemeral resource.
type ephemeralBase struct{ client *client.Client }

func (b *ephemeralBase) Configure(_ context.Context, req ephemeral.ConfigureRequest, resp *ephemeral.ConfigureResponse) {
	b.client = providerData[*client.Client](req.ProviderData, &resp.Diagnostics)
}

// actionBase is embedded by every action.
type actionBase struct {
	client *client.Client
	reach  *serviceCheck
}

func (b *actionBase) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	data := providerData[resourceData](req.ProviderData, &resp.Diagnostics)
	b.client, b.reach = data.client, data.reach
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

// requireClient reports an error if there is no client. It is for operations that must
// read the service now and cannot fall back to the state.
func requireClient(c *client.Client, diags *diag.Diagnostics) bool {
	if c == nil {
		diags.AddError("The provider is not configured yet",
			"The provider's configuration depends on a value that is known only after apply. "+
				"Apply what it depends on first, for example with -target, or set the provider's arguments to values that are known when planning.")
	}
	return c != nil
}
