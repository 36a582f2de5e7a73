package base

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

// Each state that a Create, Read or Update returns goes through SetState, and each
// identity through SetIdentity. An unknown value in it makes Terraform taint a running
// object.

// SetState writes a resource's state. Unknown values become null and are counted. An
// unknown id is an error, because the state could not identify the created object.
func (b *Resource) SetState(ctx context.Context, state *tfsdk.State, model any, diags *diag.Diagnostics) {
	diags.Append(state.Set(ctx, model)...)
	b.keepKnown(state, diags)
}

// A Change is a Create or an Update, with its request and the parts of its response.
type Change struct {
	config tfsdk.Config
	plan   tfsdk.Plan
	prior  tftypes.Value // the state before an Update
	state  *tfsdk.State
	diags  *diag.Diagnostics
	made   made
}

// A made says what a call makes.
type made int

const (
	aChange  made = iota // an Update
	anObject             // a Create, whose error would taint the object
	aSetting             // a Create of what exists already: an error leaves no state
)

// Creating returns the change of a Create call.
func Creating(req resource.CreateRequest, resp *resource.CreateResponse) Change {
	return Change{req.Config, req.Plan, tftypes.Value{}, &resp.State, &resp.Diagnostics, anObject}
}

// CreatingSetting returns the change of a Create call that only sets what exists already.
func CreatingSetting(req resource.CreateRequest, resp *resource.CreateResponse) Change {
	return Change{req.Config, req.Plan, tftypes.Value{}, &resp.State, &resp.Diagnostics, aSetting}
}

// Updating returns the change of an Update call.
func Updating(req resource.UpdateRequest, resp *resource.UpdateResponse) Change {
	return Change{req.Config, req.Plan, req.State.Raw, &resp.State, &resp.Diagnostics, aChange}
}

// SetResult writes the state at the end of a Create or an Update. model has the values
// that were read after the change. Values that the plan promised are kept, because
// Terraform reports any other as "Provider produced inconsistent result after apply". If
// the record has changed since, the next refresh shows it. SetResult reports what the
// service keeps otherwise than asked for.
func (b *Resource) SetResult(ctx context.Context, of Change, model any) {
	of.diags.Append(of.state.Set(ctx, model)...)
	forms, missing := compareKept(askedBy(of.config, of.plan, of.prior), of.prior, of.state.Raw)
	of.state.Raw = promised(of.plan.Raw, of.state.Raw)
	b.keepKnown(of.state, of.diags)
	of.reportForms(ctx, forms)
	of.reportMissing(ctx, missing)
}

// SetIdentity writes a resource's identity. An unknown value in it is an error.
func (b *Resource) SetIdentity(ctx context.Context, identity *tfsdk.ResourceIdentity, model any, diags *diag.Diagnostics) {
	diags.Append(identity.Set(ctx, model)...)
	if !identity.Raw.IsFullyKnown() {
		addUnknownID(diags, identity.Raw)
	}
}

func (b *Resource) keepKnown(state *tfsdk.State, diags *diag.Diagnostics) {
	if state.Raw.IsFullyKnown() {
		return
	}
	known, replaced := withoutUnknowns(state.Raw)
	state.Raw = known
	if b.Unknowns != nil {
		b.Unknowns.Add(int64(len(replaced)))
	}
	if slices.Contains(replaced, "id") {
		addUnknownID(diags, known)
	}
}

// addUnknownID reports a created object that the state cannot identify, with its known
// values.
func addUnknownID(diags *diag.Diagnostics, v tftypes.Value) {
	var attributes map[string]tftypes.Value
	if v.As(&attributes) != nil {
		attributes = nil // not an object, so it has no attributes
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

// withoutUnknowns returns a value with null in place of each unknown part, and the paths
// of these parts.
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
		return v, nil // the function never returns an error
	}
	return known, replaced
}
