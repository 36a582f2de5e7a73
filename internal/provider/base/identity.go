package base

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// IdentityOfState sets a resource's identity from the attributes of the same names in its
// state. Each Update begins with it, because an Update that returns no identity is an
// error. The CLI passes none if it stores no identities, or if such a CLI wrote the
// state.
func IdentityOfState(ctx context.Context, identity *tfsdk.ResourceIdentity, state tfsdk.State, diags *diag.Diagnostics) {
	for name := range identity.Schema.GetAttributes() {
		var value types.String
		diags.Append(state.GetAttribute(ctx, path.Root(name), &value)...)
		diags.Append(identity.SetAttribute(ctx, path.Root(name), value)...)
	}
}
