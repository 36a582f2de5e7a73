package instance

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/privatestate"
)

// noteConfigured stores the engines of a plan, and those that the configuration had
// before if the plan is not carried out yet.
func noteConfigured(ctx context.Context, private privatestate.Writer, planned types.Map, before []string, diags *diag.Diagnostics) {
	engines, _ := enginesOf(planned)
	privatestate.Save(ctx, private, privatestate.ConfiguredKey, attributes.Union(before, attributes.SortedKeys(engines)), diags)
}

// checkEngineLoss warns about the data that a plan deletes by turning engines off, or
// refuses the plan. configured are the engines that the configuration has had. While the
// creation of an instance is unfinished, its other engines stay on.
func checkEngineLoss(state, plan *instanceModel, configured []string, unfinished bool, diags *diag.Diagnostics) {
	before, _ := enginesOf(state.Engines)
	after, known := enginesOf(plan.Engines)
	switch {
	case !known:
		return
	case state.Engines.IsNull() && !plan.Engines.IsNull() && !unfinished:
		diags.AddAttributeError(path.Root("engines"), "The engines of instance "+state.ID.ValueString()+" are not known", diagnostics.Explain(UnknownEnginesError{}))
		return
	}
	off := without(before, after)
	if unfinished {
		off = slices.DeleteFunc(off, func(name string) bool { return !slices.Contains(configured, name) })
	}
	if !state.refuseLoss(off, configured, diags) {
		state.warnOfEngineLoss(off, diags)
	}
}

// An UnknownEnginesError means that neither the state nor the service shows which engines
// are on, for example after an import.
type UnknownEnginesError struct{}

func (UnknownEnginesError) Error() string {
	return "the service sets all engines of an instance together and does not report which are on, " +
		"so this change could turn off engines that Terraform does not know, and delete their data"
}

// NextStep says what to do about it.
func (UnknownEnginesError) NextStep() string {
	return "Add engines to ignore_changes in the resource's lifecycle block, and set them in the portal."
}

// A keptReason says why an engine must not be turned off.
type keptReason string

const (
	neverConfigured keptReason = "never configured" // the configuration never had it
	protected       keptReason = "protected"        // the instance is
	unseen          keptReason = "unseen"           // the plan did not show it
)

// whyKept returns why an engine of the instance must not be turned off, or "". configured are
// the engines that the configuration has had.
func (m *instanceModel) whyKept(engine string, configured []string) keptReason {
	seen, _ := enginesOf(m.Engines)
	switch {
	case !slices.Contains(configured, engine):
		return neverConfigured
	case base.IsProtected(m.DeletionProtection):
		return protected
	case !has(seen, engine):
		return unseen
	}
	return ""
}

// refuseLoss adds an error to diags for each engine that must not be turned off, because its
// data would be lost. It reports whether it added one.
func (m *instanceModel) refuseLoss(off, configured []string, diags *diag.Diagnostics) (refused bool) {
	for _, name := range off {
		switch m.whyKept(name, configured) {
		case neverConfigured:
			diags.AddAttributeError(path.Root("engines"), m.title()+" has the engine "+name+", which its configuration never had",
				fmt.Sprintf("The %s engine of instance %s was turned on outside of this configuration, or was on when the instance was imported. "+
					"Turning it off would delete all of its data, so the provider does not do that. "+
					"To keep the engine, add %s = {} to engines. To remove it, turn it off in the portal and plan again.", name, m.ID.ValueString(), name))
		case protected:
			diags.AddAttributeError(path.Root("engines"), m.title()+" is protected from losing its "+name+" data",
				fmt.Sprintf("Instance %s has deletion_protection = true in the state, and turning its %s engine off would delete all data of the engine. "+
					"To go ahead, set deletion_protection = false, apply that alone, and then turn the engine off.", m.ID.ValueString(), name))
		case unseen:
			diags.AddAttributeError(path.Root("engines"), m.title()+" has an engine "+name+" that the plan did not show",
				fmt.Sprintf("The update would turn the %s engine of instance %s off and delete all of its data, but the engine was not in the state when the plan was made. "+
					"Nothing was turned off. Plan again without -refresh=false, and review that plan.", name, m.ID.ValueString()))
		default:
			continue
		}
		refused = true
	}
	return refused
}

// warnOfEngineLoss warns about the data that is deleted by turning engines off.
func (m *instanceModel) warnOfEngineLoss(off []string, diags *diag.Diagnostics) {
	for _, name := range off {
		diags.AddAttributeWarning(path.Root("engines"), "Turning an engine off deletes its data",
			fmt.Sprintf("The plan turns the %s engine of instance %s (%s) off. Applying it permanently deletes all data of the engine.",
				name, m.Name.ValueString(), m.ID.ValueString()))
	}
}
