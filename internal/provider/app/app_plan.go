package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/privatestate"
)

// ModifyPlan warns of data that the plan would lose, resumes an unfinished deployment,
// and marks the attributes that a new build changes as unknown.
func (r *appResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.CheckPlannedAccount(ctx, req, resp)
	defer r.DropRepeatedWarnings(!req.State.Raw.IsNull(), &resp.Diagnostics)
	state, plan, ok := base.Planning[appModel](ctx, req, &resp.Diagnostics)
	noted, pending := privatestate.Load[note](ctx, req.Private, privatestate.PendingKey, &resp.Diagnostics)
	if ok && state != nil && !pending && base.WasUnprotected(state.DeletionProtection, state.Status) {
		noted = note{Phase: failed, Build: state.BuildID.ValueString()} // Delete checks this again
	}
	if ok && plan != nil && (state == nil || !state.SecretEnvWOVersion.Equal(plan.SecretEnvWOVersion)) {
		warnOfPublicSecrets(ctx, req.Config, plan.Name.ValueString(), &resp.Diagnostics)
	}
	if ok && plan != nil && (state == nil || envChanges(*state, *plan)) {
		warnOfNames(ctx, req.Config, plan.Name.ValueString(), &resp.Diagnostics)
	}
	if ok && state != nil && plan != nil {
		base.NoteProtection(ctx, resp.Private, state.protectedObject(), state.protected(noted), &resp.Diagnostics)
	}
	switch {
	case !ok:
		return
	case plan == nil:
		if state.protected(noted) {
			state.protectedObject().RefuseDestruction(&resp.Diagnostics, path.Root("deletion_protection"))
		} else {
			state.warnOfLoss(&resp.Diagnostics, path.Root("deletion_protection"), noted, "destroys")
		}
		return
	case state == nil:
		base.RefuseReplacement(ctx, req.Private, &resp.Diagnostics)
		r.RefuseKept(plan.object(), &resp.Diagnostics)
		r.checkHost(ctx, nil, *plan, &resp.Diagnostics)
		return
	}
	r.Planned.ForgetKept(state.object().Managed())
	keepRenamedRepo(ctx, req.Private, *state, plan, &resp.Diagnostics)
	state.adoptTriggers(ctx, req.Private, *plan, &resp.Diagnostics)
	replacement := r.PlanReplacement(req, resp, "app "+state.Name.ValueString(), state.InstanceID, replacingArguments(*state, *plan)...)
	if replacement.Replaces() {
		if state.protected(noted) {
			state.protectedObject().Refuse(&resp.Diagnostics, replacement.Path(), replacement.Why)
		} else {
			state.warnOfLoss(&resp.Diagnostics, replacement.Path(), noted, "replaces")
		}
		r.checkHost(ctx, nil, *plan, &resp.Diagnostics)
		return
	}
	settled := *plan
	settled.InstanceID, settled.Name = replacement.Settled(state.InstanceID, plan.InstanceID), replacement.Settled(state.Name, plan.Name)
	r.checkHost(ctx, state, settled, &resp.Diagnostics)
	if state.protected(noted) {
		r.CheckEngineOn("apps", "app", settled.InstanceID, &resp.Diagnostics)
	}
	keys := loadSecretKeys(ctx, req.Private, &resp.Diagnostics)
	switch {
	case r.Client == nil || !envChanges(*state, *plan):
	case keys.keepsOthers(*plan):
		r.refuseUnknownVariables(ctx, state.withUnknown(noted.Sent), settled, keys, req.Config, &resp.Diagnostics)
	case !keys.known:
		r.warnOfRemovedVariables(ctx, settled, req.Config, &resp.Diagnostics)
	}
	switch {
	case state.Status.ValueString() == client.AppFailed && state.neverRan(noted):
		plan.Status = types.StringUnknown()
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root("status"))
	case pending, state.Status.ValueString() == client.AppBuilding && state.BuildID.IsNull():
		*plan = plan.withUnfinishedUnknown()
	default:
		planChange(state, plan)
		plan.warnOfAnotherCommit(*state, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// object identifies the app by its instance and its name.
func (m *appModel) object() base.NamedObject {
	return base.NamedObject{What: "app " + m.Name.ValueString(), InstanceID: m.InstanceID.ValueString()}
}

// planChange marks the results of a change as unknown: build, URL and status.
func planChange(state, plan *appModel) {
	differing := attributes.Differing(&state.appSettings, &plan.appSettings)
	builds := slices.Contains(differing, "branch") || !state.Env.Equal(plan.Env) ||
		!state.SecretEnvWOVersion.Equal(plan.SecretEnvWOVersion) || !state.RedeployTriggers.Equal(plan.RedeployTriggers) ||
		plan.DeployCommit.IsUnknown() || plan.asksForAnotherCommit(*state)
	if builds {
		plan.BuildID, plan.Commit = types.StringUnknown(), types.StringUnknown()
	}
	if builds || len(differing) > 0 { // any other change restarts the app
		plan.Status = types.StringUnknown()
	}
	if slices.Contains(differing, "public") || builds && state.URL.IsNull() {
		plan.URL = types.StringUnknown()
	}
}

// adoptTriggers sets the triggers of an imported app's state to the planned ones, if it has
// none. No record has them, so the first ones after an import do not change anything.
func (m *appModel) adoptTriggers(ctx context.Context, private privatestate.Reader, plan appModel, diags *diag.Diagnostics) {
	if imported, _ := privatestate.Load[bool](ctx, private, privatestate.ImportedKey, diags); imported && m.RedeployTriggers.IsNull() {
		m.RedeployTriggers = plan.RedeployTriggers
	}
}

// replacingArguments returns the arguments whose change replaces the app.
func replacingArguments(state, plan appModel) []base.ReplacingArgument {
	return []base.ReplacingArgument{
		{Name: "instance_id", State: state.InstanceID, Plan: plan.InstanceID},
		{Name: "name", State: state.Name, Plan: plan.Name},
		{Name: "repo", State: state.Repo, Plan: plan.Repo},
	}
}

// warnOfLoss warns about the data that a plan loses if it destroys or replaces an app.
func (m *appModel) warnOfLoss(diags *diag.Diagnostics, at path.Path, n note, does string) {
	if m.neverRan(n) {
		return
	}
	diags.AddAttributeWarning(at, "The data of an app will be lost",
		fmt.Sprintf("The plan %s app %s of instance %s. Applying it permanently deletes everything under the app's /data.",
			does, m.Name.ValueString(), m.InstanceID.ValueString()))
}

// refuseUnknownVariables refuses a plan that changes some variables of an app and keeps
// others whose values are not known. If the app cannot be read, or a value is known only
// after apply, the apply decides, before it sends anything.
func (r *appResource) refuseUnknownVariables(ctx context.Context, state, plan appModel, keys secretKeys, config tfsdk.Config, diags *diag.Diagnostics) {
	var secret types.Map
	diags.Append(config.GetAttribute(ctx, path.Root("secret_env_wo"), &secret)...)
	app, err := r.Client.App(ctx, plan.InstanceID.ValueString(), plan.Name.ValueString())
	if err != nil || app.Env.Set && (!isKnown(plan.Env) || !isKnown(secret)) {
		return
	}
	if _, err := envToSend(state, plan, app.Env, knownStrings(plan.Env), knownStrings(secret), keys); err != nil {
		at := path.Root("env")
		if plan.Env.IsNull() {
			at = path.Root("secret_env_wo")
		}
		diags.AddAttributeError(at, "The variables of app "+plan.Name.ValueString()+" are not known", diagnostics.Explain(err))
	}
}

// warnOfRemovedVariables names the variables of an imported app that are removed if its
// configuration sets env for the first time. The service replaces the variables as a
// whole. The state contains none of them, so the plan itself cannot show the removal.
// Values may be known only after apply, so only the names are compared.
func (r *appResource) warnOfRemovedVariables(ctx context.Context, plan appModel, config tfsdk.Config, diags *diag.Diagnostics) {
	var secret types.Map
	diags.Append(config.GetAttribute(ctx, path.Root("secret_env_wo"), &secret)...)
	app, err := r.Client.App(ctx, plan.InstanceID.ValueString(), plan.Name.ValueString())
	switch {
	case err == nil && app.Env.Set && len(app.Env.Value) == 0:
		return
	case err != nil || !app.Env.Set || plan.Env.IsUnknown() || secret.IsUnknown():
		diags.AddAttributeWarning(path.Root("env"), "Variables of an app may be removed",
			fmt.Sprintf("The service replaces an app's variables as a whole, and the plan cannot compare those of app %s of instance %s with the configuration. "+
				"Applying the plan removes every variable that is in neither env nor secret_env_wo.", plan.Name.ValueString(), plan.InstanceID.ValueString()))
		return
	}
	rest := withoutKeys(app.Env.Value, append(attributes.SortedKeys(plan.Env.Elements()), attributes.SortedKeys(secret.Elements())...))
	if len(rest) > 0 {
		diags.AddAttributeWarning(path.Root("env"), "Variables of an app will be removed",
			fmt.Sprintf("The service replaces an app's variables as a whole. App %s of instance %s also has %s, in neither env nor secret_env_wo. "+
				"Applying the plan removes them; to keep one, add it there.", plan.Name.ValueString(), plan.InstanceID.ValueString(), strings.Join(attributes.SortedKeys(rest), ", ")))
	}
}

func (r *appResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"instance_id": identityschema.StringAttribute{RequiredForImport: true, Description: "The instance's id."},
			"name":        identityschema.StringAttribute{RequiredForImport: true, Description: "The app's name."},
		},
	}
}
