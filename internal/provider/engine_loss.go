package provider

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// configuredKey notes in private state which engines the configuration has had in
// an apply. Any other engine of the record is somebody else's.
const configuredKey = "configured_engines"

// noteConfigured notes what a plan has, and what the configuration had before it
// where the plan is not carried out yet.
func noteConfigured(ctx context.Context, private privateWriter, planned types.Map, before []string, diags *diag.Diagnostics) {
	engines, _ := enginesOf(planned)
	savePrivate(ctx, private, configuredKey, union(before, sortedKeys(engines)), diags)
}

// checkEngineLoss says what a plan loses by turning engines off, or why it must not.
// configured are the engines that the configuration has had. What else an instance has
// whose creation is unfinished stays on.
func checkEngineLoss(state, plan *instanceModel, configured []string, unfinished bool, diags *diag.Diagnostics) {
	before, _ := enginesOf(state.Engines)
	after, known := enginesOf(plan.Engines)
	if !known {
		return
	}
	off := without(before, after)
	if unfinished {
		off = slices.DeleteFunc(off, func(name string) bool { return !slices.Contains(configured, name) })
	}
	if !state.refuseEngineLoss(off, configured, diags) {
		state.warnOfEngineLoss(off, diags)
	}
}

// refuseEngineLoss says in diags why engines must not be turned off, whose data
// would be lost, and tells whether any must not. configured are those that the
// configuration has had.
func (m *instanceModel) refuseEngineLoss(off, configured []string, diags *diag.Diagnostics) (refused bool) {
	for _, name := range off {
		switch {
		case !slices.Contains(configured, name):
			diags.AddAttributeError(path.Root("engines"), m.title()+" has the engine "+name+", which its configuration never had",
				fmt.Sprintf("The %s engine of instance %s was turned on outside of this configuration, or was on when the instance was imported. "+
					"Turning it off would delete all of its data, so the provider does not do that. "+
					"To keep the engine, add %s = {} to engines. To remove it, turn it off in the portal and plan again.", name, m.ID.ValueString(), name))
		case m.protected(false): // creating or not, an update sees the creation to its end first
			diags.AddAttributeError(path.Root("engines"), m.title()+" is protected from losing its "+name+" data",
				fmt.Sprintf("Instance %s has deletion_protection = true in the state, and turning its %s engine off would delete all data of the engine. "+
					"To go ahead, set deletion_protection = false, apply that alone, and then turn the engine off.", m.ID.ValueString(), name))
		default:
			continue
		}
		refused = true
	}
	return refused
}

// warnOfEngineLoss says what turning engines off loses.
func (m *instanceModel) warnOfEngineLoss(off []string, diags *diag.Diagnostics) {
	for _, name := range off {
		diags.AddAttributeWarning(path.Root("engines"), "Turning an engine off deletes its data",
			fmt.Sprintf("The plan turns the %s engine of instance %s (%s) off. Applying it permanently deletes all data of the engine.",
				name, m.Name.ValueString(), m.ID.ValueString()))
	}
}
