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
	r.planned.noteInstance(plan)
	creating := pendingCreation(ctx, req.Private, &resp.Diagnostics)
	if ok && state != nil && plan != nil {
		noteProtection(ctx, resp.Private, state.protectedObject(), state.protected(creating), &resp.Diagnostics)
	}
	switch {
	case !ok:
		return
	case plan == nil:
		if state.protected(creating) {
			state.protectedObject().refuseDestruction(&resp.Diagnostics, path.Root("deletion_protection"))
		} else {
			state.warnOfLoss(&resp.Diagnostics, path.Root("deletion_protection"), creating, "destroys")
		}
		return
	case state == nil:
		refuseReplacement(ctx, req.Private, &resp.Diagnostics)
		r.checkCatalogue(ctx, nil, *plan, &resp.Diagnostics)
		r.checkNamesakes(ctx, *plan, &resp.Diagnostics)
		return
	case !state.Region.IsNull() && !state.Region.Equal(plan.Region):
		if state.protected(creating) {
			state.protectedObject().refuse(&resp.Diagnostics, path.Root("region"))
		} else {
			state.warnOfLoss(&resp.Diagnostics, path.Root("region"), creating, "replaces")
		}
		r.checkCatalogue(ctx, state, *plan, &resp.Diagnostics)
		return
	}
	switch status := state.Status.ValueString(); {
	case status == client.StatusFailed && state.neverRan(creating), status == client.StatusDeleting:
		plan.Status = types.StringUnknown()
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root("status"))
	case state.unfinished(creating):
		*plan = plan.withNullsUnknown()
	default:
		planEngines(state, plan, state.protected(creating), &resp.Diagnostics)
	}
	r.checkCatalogue(ctx, state, *plan, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// planEngines plans what follows from a change of the engines: the data of one
// that is turned off goes, and the auth engine's address and key come or go.
func planEngines(state, plan *instanceModel, protected bool, diags *diag.Diagnostics) {
	before, _ := enginesOf(state.Engines)
	after, known := enginesOf(plan.Engines)
	if !known {
		plan.AuthURL, plan.AuthAnonKey = types.StringUnknown(), types.StringUnknown()
		return
	}
	for _, name := range enginesOff(before, after) {
		if protected {
			addEngineProtected(diags, *state, name)
		} else {
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

func addEngineProtected(diags *diag.Diagnostics, state instanceModel, engine string) {
	diags.AddAttributeError(path.Root("engines"), state.title()+" is protected from losing its "+engine+" data",
		fmt.Sprintf("Instance %s has deletion_protection = true in the state, and turning its %s engine off would lose all data of the engine. "+
			"To go ahead, set deletion_protection = false, apply that alone, and then turn the engine off.", state.ID.ValueString(), engine))
}

// errRefused ends a change that a diagnostic has refused.
var errRefused = errors.New("refused")

// refuseUnseenLoss is planEngines once more, before an update turns an engine off:
// the plan may not have known which engines stay, and the state not which are on.
// there are those of the record. What it refuses is errRefused, with the reason in
// diags.
func refuseUnseenLoss(state, plan instanceModel, there map[string]types.Int64, protected bool, diags *diag.Diagnostics) (err error) {
	told, _ := enginesOf(state.Engines)
	after, _ := enginesOf(plan.Engines)
	for _, name := range enginesOff(there, after) {
		_, known := told[name]
		switch {
		case protected:
			addEngineProtected(diags, state, name)
			err = errRefused
		case !known:
			err = errRefused
			diags.AddAttributeError(path.Root("engines"), state.title()+" has an engine "+name+" that the plan did not tell of",
				fmt.Sprintf("The update would turn the %s engine of instance %s off, and all of its data would be lost, though the state did not hold the engine when the plan was made. "+
					"Nothing was turned off. Plan again, without -refresh=false, and read what that plan says.", name, state.ID.ValueString()))
		}
	}
	return err
}

// warnOfLoss says what a plan that destroys or replaces an instance loses.
func (m *instanceModel) warnOfLoss(diags *diag.Diagnostics, at path.Path, creating bool, does string) {
	if m.neverRan(creating) {
		return
	}
	engines, _ := enginesOf(m.Engines)
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
	diags.AddAttributeWarning(at, "All data of instance "+m.Name.ValueString()+" will be lost",
		fmt.Sprintf("The plan %s instance %s (%s). Applying it loses %s for good.", does, m.Name.ValueString(), m.ID.ValueString(), what))
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
		"The service could not be asked, so a wrong value shows only when applying. "+sentence(err.Error()))
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
