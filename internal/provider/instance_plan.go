package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// ModifyPlan tells of data that the plan would lose, resumes a creation that was
// not seen to its end, and checks the plan against the service's catalogue.
func (r *instanceResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	state, plan, ok := planning[instanceModel](ctx, req, &resp.Diagnostics)
	if ok && state != nil && r.client != nil {
		r.client.Claim(state.ID.ValueString())
	}
	switch {
	case !ok:
		return
	case plan == nil:
		warnOfLoss(&resp.Diagnostics, path.Root("deletion_protection"), *state, "destroys")
		return
	case state == nil:
		r.checkCatalogue(ctx, nil, *plan, &resp.Diagnostics)
		r.checkNamesakes(ctx, *plan, &resp.Diagnostics)
		return
	case !state.Region.Equal(plan.Region):
		warnOfLoss(&resp.Diagnostics, path.Root("region"), *state, "replaces")
		r.checkCatalogue(ctx, state, *plan, &resp.Diagnostics)
		return
	}
	switch status := state.Status.ValueString(); {
	case status == client.StatusFailed && state.neverRan(), status == client.StatusDeleting:
		plan.Status = types.StringUnknown()
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root("status"))
	case state.unfinished():
		*plan = plan.withNullsUnknown()
	default:
		planEngines(state, plan, &resp.Diagnostics)
	}
	r.checkCatalogue(ctx, state, *plan, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// planEngines plans what follows from a change of the engines: the data of one
// that is turned off goes, and the auth engine's address and key come or go.
func planEngines(state, plan *instanceModel, diags *diag.Diagnostics) {
	before, _ := enginesOf(state.Engines)
	after, known := enginesOf(plan.Engines)
	if !known {
		plan.AuthURL, plan.AuthAnonKey = types.StringUnknown(), types.StringUnknown()
		return
	}
	for _, name := range engineNames {
		_, was := before[name]
		switch _, is := after[name]; {
		case !was || is:
		case state.protected():
			diags.AddAttributeError(path.Root("engines"), "Instance "+state.Name.ValueString()+" is protected from losing its "+name+" data",
				fmt.Sprintf("Instance %s has deletion_protection = true in the state, and turning its %s engine off would lose all data of the engine. "+
					"To go ahead, set deletion_protection = false, apply that alone, and then turn the engine off.", state.ID.ValueString(), name))
		default:
			diags.AddAttributeWarning(path.Root("engines"), "Turning "+name+" off deletes its data",
				fmt.Sprintf("The plan turns the %s engine of instance %s (%s) off. All data of the engine is lost when it is applied.",
					name, state.Name.ValueString(), state.ID.ValueString()))
		}
	}
	_, had := before["auth"]
	_, has := after["auth"]
	switch {
	case had && has, !had && !has:
		plan.AuthURL, plan.AuthAnonKey = state.AuthURL, state.AuthAnonKey
	case has:
		plan.AuthURL, plan.AuthAnonKey = types.StringUnknown(), types.StringUnknown()
	default:
		plan.AuthURL, plan.AuthAnonKey = types.StringNull(), types.StringNull()
	}
}

// protected tells whether the instance must not be destroyed. The value in the
// state rules. An instance that never ran holds nothing to protect, and one that
// is being deleted is lost already.
func (m *instanceModel) protected() bool {
	return !m.neverRan() && m.Status.ValueString() != client.StatusDeleting && m.DeletionProtection.ValueBool()
}

// warnOfLoss says what a plan that destroys or replaces an instance loses; of a
// protected one it is an error.
func warnOfLoss(diags *diag.Diagnostics, at path.Path, state instanceModel, does string) {
	if state.protected() {
		addProtected(diags, at, state)
		return
	}
	if state.neverRan() {
		return
	}
	engines, _ := enginesOf(state.Engines)
	var on []string
	for _, name := range engineNames {
		if _, ok := engines[name]; ok {
			on = append(on, name)
		}
	}
	what := "the machine"
	if len(on) > 0 {
		what = "all data of " + strings.Join(on, ", ") + " and the instance's backups"
	}
	diags.AddAttributeWarning(at, "All data of instance "+state.Name.ValueString()+" will be lost",
		fmt.Sprintf("The plan %s instance %s (%s). Applying it loses %s for good.", does, state.Name.ValueString(), state.ID.ValueString(), what))
}

func addProtected(diags *diag.Diagnostics, at path.Path, state instanceModel) {
	diags.AddAttributeError(at, "Instance "+state.Name.ValueString()+" is protected from deletion",
		fmt.Sprintf("Instance %s has deletion_protection = true in the state, and destroying or replacing it would lose its data. "+
			"To go ahead, set deletion_protection = false, apply that alone, and then apply the deletion. "+
			"One that is tainted is taken back first, with terraform untaint.", state.ID.ValueString()))
}

// checkCatalogue checks what changes against the plans and locations that the
// service offers. Values that are not known yet are left to the service.
func (r *instanceResource) checkCatalogue(ctx context.Context, state *instanceModel, plan instanceModel, diags *diag.Diagnostics) {
	if r.client == nil {
		return
	}
	regionChanges := state == nil || !state.Region.Equal(plan.Region)
	sizeChanges := state == nil || !state.Plan.Equal(plan.Plan) || !state.Engines.Equal(plan.Engines)
	if regionChanges && !plan.Region.IsUnknown() {
		locations, err := r.client.Locations(ctx)
		if err != nil {
			warnUnchecked(diags, "region", err)
		} else {
			checkRegion(plan.Region.ValueString(), locations, diags)
		}
	}
	if sizeChanges && !plan.Plan.IsUnknown() {
		plans, err := r.client.Plans(ctx)
		if err != nil {
			warnUnchecked(diags, "plan", err)
			return
		}
		checkSize(plan, plans, diags)
	}
}

// warnUnchecked says that a value could not be checked. That it is not the service
// that answers is an error: no value can be right then.
func warnUnchecked(diags *diag.Diagnostics, attribute string, err error) {
	if errors.Is(err, client.ErrForeign) && !errors.Is(err, client.ErrUnavailable) {
		addError(diags, "The provider's base URL does not lead to the service", err)
		return
	}
	diags.AddAttributeWarning(path.Root(attribute), "The "+attribute+" could not be checked",
		"The service's catalogue could not be read, so a wrong value shows only when applying. "+sentence(err.Error()))
}

func checkRegion(region string, locations []client.Location, diags *diag.Diagnostics) {
	ids := idsOf(locations, client.Location.Identifier)
	if !slices.Contains(ids, region) {
		diags.AddAttributeError(path.Root("region"), "Unknown region", noSuch("region", region, ids))
	}
}

// checkSize checks that the plan exists, that each budget is over its engine's
// floor, and that all of them fit.
func checkSize(m instanceModel, plans client.Plans, diags *diag.Diagnostics) {
	plan, ok := plans.Plan(m.Plan.ValueString())
	if !ok {
		diags.AddAttributeError(path.Root("plan"), "Unknown plan", noSuch("plan", m.Plan.ValueString(), idsOf(plans.Plans, client.Plan.Identifier)))
		return
	}
	engines, known := enginesOf(m.Engines)
	var sum int64
	for _, name := range engineNames {
		memory, on := engines[name]
		if !on {
			continue
		}
		floor := plans.Engines[name].FloorMB
		if memory.IsNull() || memory.IsUnknown() {
			sum += floor
			continue
		}
		sum += memory.ValueInt64()
		if memory.ValueInt64() < floor {
			diags.AddAttributeError(path.Root("engines").AtName(name).AtName("memory_mb"), "Memory under the engine's floor",
				fmt.Sprintf("The %s engine needs at least %d MB, not %d.", name, floor, memory.ValueInt64()))
		}
	}
	if known && plan.MemoryMB > 0 && sum > plan.MemoryMB {
		diags.AddAttributeError(path.Root("engines"), "The engines do not fit the plan",
			fmt.Sprintf("The engines' memory adds up to %d MB, where one without memory_mb counts with its floor, and plan %s has %d MB. "+
				"Lower the budgets or choose a bigger plan.", sum, plan.ID, plan.MemoryMB))
	}
}
