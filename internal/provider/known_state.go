package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Whatever a Create, Read or Update leaves in the state goes through setState, and
// what it leaves in the identity through setIdentity. An unknown value there makes
// Terraform taint what runs.

// setState writes a resource's state. An unknown value becomes null and is counted. An
// id that is unknown is an error, as what was created could not be found again.
func (b *resourceBase) setState(ctx context.Context, state *tfsdk.State, model any, diags *diag.Diagnostics) {
	diags.Append(state.Set(ctx, model)...)
	b.keepKnown(state, diags)
}

// A change is a Create or an Update: what was asked for, and where what came of it goes.
type change struct {
	config  tfsdk.Config
	plan    tfsdk.Plan
	prior   tftypes.Value // the state before an Update
	state   *tfsdk.State
	private privateNotes
	diags   *diag.Diagnostics
}

func creating(req resource.CreateRequest, resp *resource.CreateResponse) change {
	return change{req.Config, req.Plan, tftypes.Value{}, &resp.State, resp.Private, &resp.Diagnostics}
}

func updating(req resource.UpdateRequest, resp *resource.UpdateResponse) change {
	return change{req.Config, req.Plan, req.State.Raw, &resp.State, resp.Private, &resp.Diagnostics}
}

// setResult is setState at the end of a Create or an Update: model is what was read
// after the change. What the plan promised is kept, as anything else is Terraform's
// error "Provider produced inconsistent result after apply". A record that has changed
// since shows at the next refresh.
func (b *resourceBase) setResult(ctx context.Context, of change, model any) {
	of.diags.Append(of.state.Set(ctx, model)...)
	warnOfStoredForms(ctx, of, of.state.Raw)
	of.state.Raw = promised(of.plan.Raw, of.state.Raw)
	b.keepKnown(of.state, of.diags)
}

// setIdentity writes a resource's identity, of which each value has to be known.
func (b *resourceBase) setIdentity(ctx context.Context, identity *tfsdk.ResourceIdentity, model any, diags *diag.Diagnostics) {
	diags.Append(identity.Set(ctx, model)...)
	if !identity.Raw.IsFullyKnown() {
		addUnknownID(diags, identity.Raw)
	}
}

func (b *resourceBase) keepKnown(state *tfsdk.State, diags *diag.Diagnostics) {
	if state.Raw.IsFullyKnown() {
		return
	}
	known, replaced := withoutUnknowns(state.Raw)
	state.Raw = known
	if b.unknowns != nil {
		b.unknowns.Add(int64(len(replaced)))
	}
	if slices.Contains(replaced, "id") {
		addUnknownID(diags, known)
	}
}

// addUnknownID names what was created, and cannot be found again by the state, by the
// values that are known of it.
func addUnknownID(diags *diag.Diagnostics, v tftypes.Value) {
	var attributes map[string]tftypes.Value
	if v.As(&attributes) != nil {
		attributes = nil // it is no object, and has no names
	}
	var named []string
	for _, name := range []string{"instance_id", "name", "url"} {
		var text string
		if value, ok := attributes[name]; ok && value.IsKnown() && !value.IsNull() && value.As(&text) == nil {
			named = append(named, fmt.Sprintf("%s = %q", name, text))
		}
	}
	diags.AddError("The id of what was created is not known",
		"The service returned no id for the object with "+strings.Join(named, ", ")+". It exists: find it in the portal and import it.")
}

// withoutUnknowns is a value with null in place of all that is unknown in it, and the
// paths of those.
func withoutUnknowns(v tftypes.Value) (known tftypes.Value, replaced []string) {
	known, err := tftypes.Transform(v, func(at *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		if v.IsKnown() {
			return v, nil
		}
		var steps []string
		for _, step := range at.Steps() {
			steps = append(steps, fmt.Sprint(step))
		}
		replaced = append(replaced, strings.Join(steps, "."))
		return tftypes.NewValue(v.Type(), nil), nil
	})
	if err != nil {
		return v, nil // the function returns none
	}
	return known, replaced
}
