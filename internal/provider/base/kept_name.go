package base

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

// ForgetKept ends a creation whose object the service keeps under another name. The state
// must not have the requested name, which belongs to nothing: a refresh would remove it, and
// the next apply would create a second object. The error says how to import the one that
// was found.
func (b *Resource) ForgetKept(ctx context.Context, resp *resource.CreateResponse, summary string, err error) {
	resp.State.RemoveResource(ctx)
	if resp.Identity != nil {
		resp.Identity.Raw = tftypes.NewValue(resp.Identity.Schema.Type().TerraformType(ctx), nil)
	}
	diagnostics.AddClientError(&resp.Diagnostics, summary, err)
}
