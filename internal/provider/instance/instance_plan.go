package instance

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/privatestate"
)

// ModifyPlan warns of data that the plan would delete, resumes an unfinished creation,
// and checks the plan against the service's catalogue.
func (r *instanceResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.CheckPlannedAccount(ctx, req, resp)
	defer r.DropRepeatedWarnings(!req.State.Raw.IsNull(), &resp.Diagnostics)
	state, plan, ok := base.Planning[instanceModel](ctx, req, &resp.Diagnostics)
	if ok && state != nil && r.Client != nil {
		r.Client.Claim(state.ID.ValueString())
	}
	if plan != nil {
		r.Planned.NoteInstance(plan.ID, plan.Plan.ValueString(), budgetsOf(plan.Engines))
	}
	if ok && plan != nil && r.Client != nil {
		if all := tagsAll(plan.Tags, r.DefaultTags); !all.Equal(plan.TagsAll) {
			plan.TagsAll = all
			resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("tags_all"), all)...)
		}
	}
	creating := base.PendingCreation(ctx, req.Private, &resp.Diagnostics) || ok && state != nil && base.WasUnprotected(state.DeletionProtection, state.Status)
	if ok && state != nil && plan != nil {
		base.NoteProtection(ctx, resp.Private, state.protectedObject(), state.protected(creating), &resp.Diagnostics)
	}
	switch {
	case !ok:
		return
	case plan == nil:
		r.Planned.Ends(state.ID.ValueString())
		if state.protected(creating) {
			state.protectedObject().RefuseDestruction(&resp.Diagnostics, path.Root("deletion_protection"))
		} else {
			state.warnOfLoss(&resp.Diagnostics, path.Root("deletion_protection"), creating, "destroys", base.RenamedHint)
		}
		return
	case state == nil:
		r.noteReplaced(ctx, req.Private, *plan, &resp.Diagnostics)
		base.RefuseReplacement(ctx, req.Private, &resp.Diagnostics)
		tellNamesakes := r.checkNamesakes(ctx, *plan)
		r.checkCatalogue(ctx, nil, *plan, &resp.Diagnostics)
		tellNamesakes(&resp.Diagnostics)
		return
	}
	id := state.ID.ValueString()
	privatestate.Save(ctx, resp.Private, privatestate.PlannedKey, id, &resp.Diagnostics)
	replacement := r.PlanReplacement(req, resp, "instance "+state.Name.ValueString(), types.StringNull(), plan.replacing(*state, keptRegion(ctx, req.Private, &resp.Diagnostics)))
	if replacement.Replaces() {
		r.Planned.Ends(id)
		if state.protected(creating) {
			state.protectedObject().Refuse(&resp.Diagnostics, replacement.Path(), replacement.Why)
		} else {
			state.warnOfLoss(&resp.Diagnostics, path.Root("region"), creating, "replaces", "")
		}
		r.checkCatalogue(ctx, nil, *plan, &resp.Diagnostics) // a new instance is bought
		return
	}
	r.Planned.Keeps(id)
	bought, before := state, *plan
	configured, _ := privatestate.Load[[]string](ctx, req.Private, privatestate.ConfiguredKey, &resp.Diagnostics)
	switch status := state.Status.ValueString(); {
	case status == client.StatusDeleting && base.IsProtected(state.DeletionProtection) && !base.IsProtected(plan.DeletionProtection):
		// Its deletion may have failed. This apply only lifts the protection.
		checkEngineLoss(state, plan, configured, false, &resp.Diagnostics)
	case status == client.StatusFailed && state.neverRan(creating), status == client.StatusDeleting:
		plan.Status = types.StringUnknown()
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root("status"))
		r.Planned.Ends(id)
		bought = nil
	default:
		checkEngineLoss(state, plan, configured, state.unfinished(creating), &resp.Diagnostics)
		if state.unfinished(creating) {
			*plan = plan.withNullsUnknown()
		} else {
			planAuth(state, plan)
		}
	}
	r.checkCatalogue(ctx, bought, *plan, &resp.Diagnostics)
	if !reflect.DeepEqual(*plan, before) { // setting a plan takes a third of the time of planning
		resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
	}
}

// noteReplaced notes the instance of the state that a planned creation replaces, if any.
func (r *instanceResource) noteReplaced(ctx context.Context, private privatestate.Reader, plan instanceModel, diags *diag.Diagnostics) {
	if id, replaces := privatestate.Load[string](ctx, private, privatestate.PlannedKey, diags); replaces {
		r.Planned.Ends(id)
	} else if !plan.Name.IsUnknown() {
		r.Planned.ReplacesTainted(plan.Name.ValueString())
	}
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
// instance. hint ends the warning.
func (m *instanceModel) warnOfLoss(diags *diag.Diagnostics, at path.Path, creating bool, does, hint string) {
	if m.neverRan(creating) {
		return
	}
	what := "the machine"
	if engines, _ := enginesOf(m.Engines); len(engines) > 0 {
		what = "all data of " + strings.Join(attributes.SortedKeys(engines), ", ") + " and the instance's backups"
	}
	diags.AddAttributeWarning(at, "All data of an instance will be lost",
		fmt.Sprintf("The plan %s instance %s (%s).%s Applying it permanently deletes %s.", does, m.Name.ValueString(), m.ID.ValueString(), hint, what))
}
