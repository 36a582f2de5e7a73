package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// ModifyPlan warns of data that the plan would delete, resumes an unfinished creation,
// and checks the plan against the service's catalogue.
func (r *instanceResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.checkPlannedAccount(ctx, req, resp)
	defer r.withoutRepeats(!req.State.Raw.IsNull(), &resp.Diagnostics)
	state, plan, ok := planning[instanceModel](ctx, req, &resp.Diagnostics)
	if ok && state != nil && r.client != nil {
		r.client.Claim(state.ID.ValueString())
		r.planIdentified(req, resp, state.itself())
	}
	if plan != nil {
		r.planned.noteInstance(plan.ID, plan.Plan.ValueString(), budgetsOf(plan.Engines))
	}
	if ok && plan != nil && r.client != nil {
		if all := tagsAll(plan.Tags, r.defaultTags); !all.Equal(plan.TagsAll) {
			plan.TagsAll = all
			resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("tags_all"), all)...)
		}
	}
	creating := pendingCreation(ctx, req.Private, &resp.Diagnostics) || ok && state != nil && wasUnprotected(state.DeletionProtection, state.Status)
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
		tellNamesakes := r.checkNamesakes(ctx, *plan)
		r.checkCatalogue(ctx, nil, *plan, &resp.Diagnostics)
		tellNamesakes(&resp.Diagnostics)
		return
	case !state.Region.IsNull() && !state.Region.Equal(plan.Region):
		if state.protected(creating) {
			state.protectedObject().refuse(&resp.Diagnostics, path.Root("region"))
		} else {
			state.warnOfLoss(&resp.Diagnostics, path.Root("region"), creating, "replaces")
		}
		r.checkCatalogue(ctx, nil, *plan, &resp.Diagnostics) // a new instance is bought
		return
	}
	bought := state
	switch status := state.Status.ValueString(); {
	case status == client.StatusDeleting && isProtected(state.DeletionProtection) && !isProtected(plan.DeletionProtection):
		// Its deletion may have failed. This apply only lifts the protection.
	case status == client.StatusFailed && state.neverRan(creating), status == client.StatusDeleting:
		plan.Status = types.StringUnknown()
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root("status"))
		bought = nil
	default:
		configured, _ := loadPrivate[[]string](ctx, req.Private, configuredKey, &resp.Diagnostics)
		checkEngineLoss(state, plan, configured, state.unfinished(creating), &resp.Diagnostics)
		if state.unfinished(creating) {
			*plan = plan.withNullsUnknown()
		} else {
			planAuth(state, plan)
		}
	}
	r.checkCatalogue(ctx, bought, *plan, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// itself identifies the instance, whichever resource manages it.
func (m *instanceModel) itself() managedObject {
	return managedObject{"instance", m.ID.ValueString()}
}

// planAuth plans the auth engine's URL and key, which exist only while the engine is on.
func planAuth(state, plan *instanceModel) {
	before, _ := enginesOf(state.Engines)
	after, known := enginesOf(plan.Engines)
	switch had, has := has(before, "auth"), has(after, "auth"); {
	case !known || has && !had:
		plan.AuthURL, plan.AuthAnonKey = types.StringUnknown(), types.StringUnknown()
	case had == has:
		plan.AuthURL, plan.AuthAnonKey = state.AuthURL, state.AuthAnonKey
	default:
		plan.AuthURL, plan.AuthAnonKey = types.StringNull(), types.StringNull()
	}
}

// warnOfLoss warns of the data that a plan deletes if it destroys or replaces an
// instance.
func (m *instanceModel) warnOfLoss(diags *diag.Diagnostics, at path.Path, creating bool, does string) {
	if m.neverRan(creating) {
		return
	}
	what := "the machine"
	if engines, _ := enginesOf(m.Engines); len(engines) > 0 {
		what = "all data of " + strings.Join(sortedKeys(engines), ", ") + " and the instance's backups"
	}
	diags.AddAttributeWarning(at, "All data of an instance will be lost",
		fmt.Sprintf("The plan %s instance %s (%s). Applying it permanently deletes %s.", does, m.Name.ValueString(), m.ID.ValueString(), what))
}
