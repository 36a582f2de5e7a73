package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// ModifyPlan tells of data that the plan would lose, resumes a deployment that
// was not seen to its end, and plans what a change builds anew.
func (r *appResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	state, plan, ok := planning[appModel](ctx, req, &resp.Diagnostics)
	switch {
	case !ok:
		return
	case plan == nil:
		warnOfAppLoss(&resp.Diagnostics, path.Empty(), *state, "destroys")
		return
	case state == nil:
		r.checkMemory(ctx, *plan, &resp.Diagnostics)
		return
	}
	if at, replaced := replacedAt(*state, *plan); replaced {
		warnOfAppLoss(&resp.Diagnostics, at, *state, "replaces")
		r.checkMemory(ctx, *plan, &resp.Diagnostics)
		return
	}
	if !state.MemoryMB.Equal(plan.MemoryMB) {
		r.checkMemory(ctx, *plan, &resp.Diagnostics)
	}
	work, pending := loadPrivate[pendingWork](ctx, req.Private, pendingKey, &resp.Diagnostics)
	switch {
	case pending && work.Creating && state.Status.ValueString() == client.AppFailed:
		// It never ran, so replacing it loses nothing.
		plan.Status = types.StringUnknown()
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root("status"))
	case pending, state.Status.ValueString() == client.AppBuilding && state.BuildID.IsNull():
		*plan = plan.withUnfinishedUnknown()
	default:
		planChange(state, plan)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// planChange plans what follows from a change: a build, a URL, a status to wait
// for.
func planChange(state, plan *appModel) {
	builds := !state.Branch.Equal(plan.Branch) || !state.Env.Equal(plan.Env) ||
		!state.SecretEnvWOVersion.Equal(plan.SecretEnvWOVersion) || !state.RedeployTriggers.Equal(plan.RedeployTriggers)
	restarts := !state.Port.Equal(plan.Port) || !state.HealthPath.Equal(plan.HealthPath) ||
		!state.Public.Equal(plan.Public) || !state.Links.Equal(plan.Links) || !state.MemoryMB.Equal(plan.MemoryMB)
	if builds {
		plan.BuildID, plan.Commit = types.StringUnknown(), types.StringUnknown()
	}
	if builds || restarts {
		plan.Status = types.StringUnknown()
	}
	if !state.Public.Equal(plan.Public) || builds && state.URL.IsNull() {
		plan.URL = types.StringUnknown()
	}
}

// replacedAt tells which argument's change replaces the app.
func replacedAt(state, plan appModel) (path.Path, bool) {
	switch {
	case !state.InstanceID.Equal(plan.InstanceID):
		return path.Root("instance_id"), true
	case !state.Name.Equal(plan.Name):
		return path.Root("name"), true
	case !state.Repo.Equal(plan.Repo):
		return path.Root("repo"), true
	}
	return path.Empty(), false
}

func warnOfAppLoss(diags *diag.Diagnostics, at path.Path, state appModel, does string) {
	if state.BuildID.IsNull() {
		return // it never ran
	}
	diags.AddAttributeWarning(at, "The data of app "+state.Name.ValueString()+" will be lost",
		fmt.Sprintf("The plan %s app %s of instance %s. Applying it loses everything under the app's /data for good.",
			does, state.Name.ValueString(), state.InstanceID.ValueString()))
}

// checkMemory checks the app's memory against the apps engine's floor.
func (r *appResource) checkMemory(ctx context.Context, plan appModel, diags *diag.Diagnostics) {
	if r.client == nil || plan.MemoryMB.IsNull() || plan.MemoryMB.IsUnknown() {
		return
	}
	plans, err := r.client.Plans(ctx)
	if err != nil {
		warnUnchecked(diags, "memory_mb", err)
		return
	}
	if floor := plans.Engines["apps"].FloorMB; plan.MemoryMB.ValueInt64() < floor {
		diags.AddAttributeError(path.Root("memory_mb"), "Memory under the apps minimum",
			fmt.Sprintf("An app needs at least %d MB, not %d.", floor, plan.MemoryMB.ValueInt64()))
	}
}

// repoCase plans no change for another case of the same repository, which the
// code-hosting service does not tell apart.
type repoCase struct{}

func (repoCase) Description(context.Context) string {
	return "another case of the same repository is no change"
}

func (m repoCase) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

func (repoCase) PlanModifyString(_ context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse) {
	if !req.StateValue.IsNull() && !req.PlanValue.IsUnknown() && strings.EqualFold(req.StateValue.ValueString(), req.PlanValue.ValueString()) {
		resp.PlanValue = req.StateValue
	}
}

func (r *appResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = childIdentitySchema("app")
}
