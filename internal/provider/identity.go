package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// identityOfState sets a resource's identity from the attributes of the same names
// in its state. Each Update begins with it: a CLI that stores no identity, or
// whose state was written by one that does not, hands none over, and an Update
// that returns none is an error.
func identityOfState(ctx context.Context, identity *tfsdk.ResourceIdentity, state tfsdk.State, diags *diag.Diagnostics) {
	for name := range identity.Schema.GetAttributes() {
		var value types.String
		diags.Append(state.GetAttribute(ctx, path.Root(name), &value)...)
		diags.Append(identity.SetAttribute(ctx, path.Root(name), value)...)
	}
}
