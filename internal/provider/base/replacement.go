package base

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// A ReplacingArgument is an argument whose change replaces the resource, with its values in
// the state and in the plan.
type ReplacingArgument struct {
	Name        string
	State, Plan types.String
	// NullCounts is true if null in the state is a value, such as a default. Otherwise it
	// means that the value is not known: an imported object's record may lack it.
	NullCounts bool
}

// A Replacement says why a plan replaces an object.
type Replacement struct {
	// at is the argument whose change replaces the object, or "" if the object stays.
	at string
	// unknown are the arguments of an object that stays whose values are known only after
	// apply.
	unknown []string
	// Why is a sentence that names both values of that argument, with a space at its end, or
	// "" if one is not known.
	Why string
}

// Replaces reports whether the plan replaces the object.
func (r Replacement) Replaces() bool { return r.at != "" }

// Path returns the path of the argument that replaces the object.
func (r Replacement) Path() path.Path { return path.Root(r.at) }

// replacementOf decides whether a plan replaces an object. A known value that differs does. An
// unknown value is not a changed one: usually it is the same again, and a replacement would
// delete data for nothing. It only replaces the object if the instance ends, the one that
// the object is on: if the plan replaces or destroys that instance.
func replacementOf(instanceEnds bool, arguments []ReplacingArgument) Replacement {
	var r Replacement
	for _, a := range arguments {
		switch {
		case a.State.IsNull() && !a.NullCounts, a.State.Equal(a.Plan):
		case a.Plan.IsUnknown() && !instanceEnds:
			r.unknown = append(r.unknown, a.Name)
		case r.at == "":
			r.at = a.Name
		}
	}
	if r.Replaces() {
		r.unknown = nil
	}
	return r
}

// PlanReplacement decides whether a plan replaces an object of the state, and plans that. of
// is the object in messages, such as "app web". instanceID is the instance in the state that
// the object is on, or null. An apply that learns that an unknown value has changed ends
// with an error: the plan did not replace the object.
func (b *Resource) PlanReplacement(
	req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse, of string, instanceID types.String, arguments ...ReplacingArgument,
) Replacement {
	r := replacementOf(b.Planned.IsEnding(instanceID.ValueString()), arguments)
	switch {
	case r.Replaces() && b.isApplying(req):
		// An apply carries out a replacement as a destruction and a creation. If it plans again
		// with a prior state, the plan was an update.
		refuseChanged(of, arguments, &resp.Diagnostics)
		return Replacement{}
	case r.Replaces():
		resp.RequiresReplace = append(resp.RequiresReplace, r.Path())
		r.Why = whyReplaced(r.at, arguments)
	case len(r.unknown) > 0:
		resp.Diagnostics.AddAttributeWarning(path.Root(r.unknown[0]), "An argument is known only after apply",
			fmt.Sprintf("%s of %s is known only after apply. The plan takes it for unchanged and keeps the object: "+
				"usually depends_on on a module or a data source hides a value that does not change. "+
				"The apply compares the values before it changes anything. If they differ, it ends with an error, and the next plan shows the replacement. "+
				"To know the value when planning, refer to attributes instead of using depends_on, or apply the dependency first with -target.",
				strings.Join(r.unknown, ", "), of))
	}
	return r
}

// whyReplaced says how the argument that replaces an object changes.
func whyReplaced(at string, arguments []ReplacingArgument) string {
	for _, a := range arguments {
		if a.Name == at && a.Plan.IsUnknown() {
			return "The plan replaces its instance. If the instance is tainted, run terraform untaint for the instance instead. "
		}
		if a.Name == at && a.State.ValueString() != "" && a.Plan.ValueString() != "" {
			return fmt.Sprintf("The plan changes %s from %s to %s, which replaces the object. ", at, a.State, a.Plan)
		}
	}
	return ""
}

// isApplying reports whether an apply plans again, in a process that has read nothing. Before
// anything is applied, only Terraform shows it, by allowing deferrals. OpenTofu does not, and
// then ends with its own error, "Provider produced inconsistent final plan".
func (b *Resource) isApplying(req resource.ModifyPlanRequest) bool {
	return b.Planned.HasApplied() || req.ClientCapabilities.DeferralAllowed && !b.Account.reads()
}

// KeepsObject is the first step of an Update: it reports whether the planned values that were
// unknown when planning are those of the state. If not, it adds an error.
func KeepsObject(of string, diags *diag.Diagnostics, arguments ...ReplacingArgument) bool {
	if !replacementOf(false, arguments).Replaces() {
		return true
	}
	refuseChanged(of, arguments, diags)
	return false
}

// refuseChanged adds the error for an argument that changes although the plan keeps the object.
func refuseChanged(of string, arguments []ReplacingArgument, diags *diag.Diagnostics) {
	at := replacementOf(false, arguments).at
	for _, a := range arguments {
		if a.Name == at {
			diags.AddAttributeError(path.Root(at), at+" has changed since the plan",
				fmt.Sprintf("%s was known only after apply, so the plan kept %s. In the state it is %s, and now it is %s. "+
					"Nothing was changed. Plan again: the plan then shows the replacement.", at, of, a.State, a.Plan))
		}
	}
}

// Settled returns the plan's value of an argument, or the state's if the plan keeps the object
// and does not know the value. Checks use it: an unknown value is not a changed one.
func (r Replacement) Settled(state, plan types.String) types.String {
	if plan.IsUnknown() && !r.Replaces() && !state.IsNull() {
		return state
	}
	return plan
}
