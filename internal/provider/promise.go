package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// setResult sets the state that a Create or an Update ends with: model, as it was
// read after the change. What the plan promised is kept, as anything else is
// Terraform's error "Provider produced inconsistent result after apply". A record
// that has moved on meanwhile shows at the next refresh.
func setResult(ctx context.Context, state *tfsdk.State, plan tfsdk.Plan, model any, diags *diag.Diagnostics) {
	diags.Append(state.Set(ctx, model)...)
	state.Raw = promised(plan.Raw, state.Raw)
}

// promised is what was read with each value that the plan knew as it was planned.
// A set or list with elements that were not known is as it was read.
func promised(planned, read tftypes.Value) tftypes.Value {
	if planned.IsFullyKnown() {
		return planned
	}
	if !planned.IsKnown() || !read.IsKnown() || read.IsNull() {
		return read
	}
	switch planned.Type().(type) {
	case tftypes.Object, tftypes.Map:
	default:
		return read
	}
	var known, there map[string]tftypes.Value
	if planned.As(&known) != nil || read.As(&there) != nil {
		return read // of another type, which Set has refused already
	}
	kept := map[string]tftypes.Value{}
	for name, value := range known {
		if found, ok := there[name]; ok {
			kept[name] = promised(value, found)
		} else {
			kept[name] = value
		}
	}
	return tftypes.NewValue(planned.Type(), kept)
}
