package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

var (
	_ resource.ResourceWithConfigure      = &appResource{}
	_ resource.ResourceWithImportState    = &appResource{}
	_ resource.ResourceWithIdentity       = &appResource{}
	_ resource.ResourceWithModifyPlan     = &appResource{}
	_ resource.ResourceWithValidateConfig = &appResource{}
)

// The first build takes several minutes (SERVICE.md#jobs), and so do later ones.
const (
	appCreateTimeout = 30 * time.Minute
	appUpdateTimeout = 30 * time.Minute
	appDeleteTimeout = 20 * time.Minute
)

func newAppResource() resource.Resource { return &appResource{} }

type appResource struct{ resourceBase }

func (r *appResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_app"
}

func (r *appResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	ctx = r.applying(ctx, "create")
	var plan appModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Create(ctx, appCreateTimeout)
	resp.Diagnostics.Append(diags...)
	env, secret := stringMap(ctx, plan.Env, &resp.Diagnostics), r.secretEnv(ctx, req.Config, &resp.Diagnostics)
	if !r.mayCreate(ctx, &resp.Diagnostics) || !r.makesNamed(plan.object(), &resp.Diagnostics) {
		return
	}
	instanceID, name := plan.InstanceID.ValueString(), plan.Name.ValueString()
	saved := plan.withoutUnknowns()
	saved.Status = types.StringValue(client.AppBuilding)
	var work pendingWork
	var p appProgress
	accepted := false
	err := inTurn(ctx, r.client, instanceID, timeout, func(ctx context.Context, turn *client.Turn) error {
		pending, err := turn.ImportApp(ctx, plan.newApp(merged(env, secret)))
		if err != nil {
			return err
		}
		// The app exists. It is saved before its build, which takes minutes.
		accepted, work = true, pendingWork{Job: pending.JobID, Build: pending.BuildID, Creating: true, Deploying: true}
		r.setState(ctx, &resp.State, saved, &resp.Diagnostics)
		r.setIdentity(ctx, resp.Identity, childIdentity{InstanceID: plan.InstanceID, Name: plan.Name}, &resp.Diagnostics)
		r.noteCreated(ctx, resp.Private, &resp.Diagnostics)
		keys := secretKeysOf(secret)
		keys.save(ctx, resp.Private, &resp.Diagnostics)
		savePrivate(ctx, resp.Private, pendingKey, work, &resp.Diagnostics)
		update := appUpdate{appResource: r, prior: saved.unlinked(), planned: plan, env: env, secret: secret, imported: &pending}
		p, err = update.run(ctx, turn, appProgress{model: saved, secret: keys, work: work})
		return err
	})
	switch {
	case err == nil:
		clearPending(ctx, resp.Private, &resp.Diagnostics)
		r.setResult(ctx, creating(req, resp), p.model)
	case !accepted:
		r.planned.failsToMake(plan.object().managed())
		addError(&resp.Diagnostics, "Unable to create app "+name, orExisting(err, "hosting_app", instanceID+"/"+name))
	case p.stage == appChanging:
		resp.Diagnostics.AddWarning("App "+name+" was created, but not linked as planned",
			explain(err)+"\n\nThe app is in the state and not tainted, and its first build continues. The next apply links it and waits for the same build.")
	case errors.As(err, new(*otherCommitError)):
		clearPending(ctx, resp.Private, &resp.Diagnostics)
		r.setResult(ctx, creating(req, resp), p.model)
		resp.Diagnostics.AddWarning("App "+name+" was deployed from a different commit",
			explain(err)+"\n\nThe app is in the state and not tainted, and it runs.")
	case p.stage == appReading:
		resp.Diagnostics.AddWarning("App "+name+" was deployed, but could not be read",
			explain(err)+"\n\nThe app is in the state and not tainted, and it runs. The next apply reads it.")
	case stillInProgress(err):
		resp.Diagnostics.AddWarning("App "+name+" is not deployed yet",
			sentence(err.Error())+"\n\nThe app is in the state and not tainted, and the service continues with it. Apply again to wait for the same build.")
	default:
		work, saved.DeletionProtection = work.creationFailed(saved.DeletionProtection)
		saved.Status = p.model.Status
		savePrivate(ctx, resp.Private, pendingKey, work, &resp.Diagnostics)
		r.setState(ctx, &resp.State, saved, &resp.Diagnostics)
		addError(&resp.Diagnostics, "Unable to deploy app "+name, err)
	}
}

// secretEnv reads the write-only build variables, which are only in the configuration. It
// also hides them in later logs and errors.
func (r *appResource) secretEnv(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) map[string]string {
	var secret types.Map
	diags.Append(config.GetAttribute(ctx, path.Root("secret_env_wo"), &secret)...)
	entries := stringMap(ctx, secret, diags)
	for _, value := range entries {
		r.client.HideSecret(value)
	}
	return entries
}

func (r *appResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state appModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	keys := loadSecretKeys(ctx, req.Private, &resp.Diagnostics)
	work, pending := loadPrivate[pendingWork](ctx, req.Private, pendingKey, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	r.setIdentity(ctx, resp.Identity, childIdentity{InstanceID: state.InstanceID, Name: state.Name}, &resp.Diagnostics)
	if r.client == nil {
		return
	}
	name := state.Name.ValueString()
	inProgress := pending && r.inProgress(ctx, work.Job)
	app, builds, err, buildsErr := r.ask(ctx, state, work, pending)
	switch {
	case errors.Is(err, client.ErrNotFound) && inProgress && !r.isElsewhere(ctx, req.Private, &resp.Diagnostics):
		return // not shown yet; the next apply waits for it
	case errors.Is(err, client.ErrNotFound):
		r.removeGone(ctx, req.Private, &resp.State, state.absent(), &resp.Diagnostics, state.object().managed())
		return
	case err != nil:
		r.reach.addReadError(&resp.Diagnostics, "Unable to read app "+name, err)
		return
	}
	r.foundByRead(ctx, resp.Private, &resp.Diagnostics)
	protection := state.DeletionProtection
	unprotected := work.Protected || wasUnprotected(protection, state.Status)
	state.setRecord(app, keys)
	if buildsErr != nil {
		// Keep the protection and the pending work, because it is unknown whether the app
		// has run.
		if unprotected {
			state.DeletionProtection = protection
		}
		state.setBuild(nil)
		warnOfUnreadBuilds(&resp.Diagnostics, name, buildsErr)
		r.setState(ctx, &resp.State, state, &resp.Diagnostics)
		return
	}
	if unprotected && !pending {
		work = pendingWork{Creating: true, Failed: true, Build: firstDeployed(builds)}
	}
	state.setBuild(builds)
	if unprotected {
		state.DeletionProtection = protectionAfterFailure(!state.neverRan(work))
	}
	// Only the next apply can check whether a requested redeploy is among the builds.
	if pending && work.Noted == nil && app.Status == client.AppRunning && deployed(builds, work.Build) {
		clearPending(ctx, resp.Private, &resp.Diagnostics)
	}
	r.setState(ctx, &resp.State, state, &resp.Diagnostics)
}

// ask reads the app's record and its builds for a refresh, both at the same time. It
// reads the builds back to the deployed one and the pending one. It reads all of them if
// it must be known whether the app has ever run.
func (r *appResource) ask(ctx context.Context, m appModel, work pendingWork, pending bool) (app client.App, builds []client.Build, appErr, buildsErr error) {
	r.client.StartReadingAccountID(ctx)
	instanceID, name := m.InstanceID.ValueString(), m.Name.ValueString()
	listBuilds := meanwhile(func() ([]client.Build, error) {
		if !pending && wasUnprotected(m.DeletionProtection, m.Status) {
			return r.client.Builds(ctx, instanceID, name)
		}
		return r.client.RecentBuilds(ctx, instanceID, name, showDeployed(work.Build))
	})
	app, appErr = r.client.RefreshApp(ctx, instanceID, name)
	builds, buildsErr = listBuilds()
	return app, builds, appErr, buildsErr
}

// showDeployed returns a condition for client.RecentBuilds. It is true once the builds
// include the deployed one and the one with the given id, or any if id is "".
func showDeployed(id string) func([]client.Build) bool {
	return func(builds []client.Build) bool {
		return slices.ContainsFunc(builds, client.Build.Succeeded) &&
			slices.ContainsFunc(builds, func(b client.Build) bool { return id == "" || b.ID == id })
	}
}

// warnOfUnreadBuilds warns that the builds of an app could not be read. They are only
// informational.
func warnOfUnreadBuilds(diags *diag.Diagnostics, app string, err error) {
	diags.AddWarning("The builds of app "+app+" could not be read", "Its build_id and commit are those that were known before. "+explain(err))
}

// deployed reports whether the build with the given id, or the newest one if id is "",
// has succeeded.
func deployed(builds []client.Build, id string) bool {
	for _, build := range builds {
		if id == "" || build.ID == id {
			return build.Succeeded()
		}
	}
	return false
}

func (r *appResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	ctx = r.applying(ctx, "update")
	identityOfState(ctx, resp.Identity, req.State, &resp.Diagnostics)
	var state, plan appModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Update(ctx, appUpdateTimeout)
	resp.Diagnostics.Append(diags...)
	secret := r.secretEnv(ctx, req.Config, &resp.Diagnostics)
	keys := loadSecretKeys(ctx, req.Private, &resp.Diagnostics)
	work, _ := loadPrivate[pendingWork](ctx, req.Private, pendingKey, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.mayChange(ctx, req.Private, &resp.Diagnostics) {
		return
	}
	protectAtOnce(ctx, state.DeletionProtection, plan.DeletionProtection, &resp.State, &resp.Diagnostics)
	forgetProtection(ctx, resp.Private, &resp.Diagnostics)
	state.DeletionProtection, state.Timeouts = protectionDuring(state.DeletionProtection, plan.DeletionProtection), plan.Timeouts
	update := appUpdate{appResource: r, prior: state, planned: plan, stored: storedPlan[appModel](ctx, req, &resp.Diagnostics), env: stringMap(ctx, plan.Env, &resp.Diagnostics), secret: secret}
	if work.Creating {
		update.prior = state.unlinked()
	}
	p := appProgress{model: state, secret: keys, work: work}
	err := inTurn(ctx, r.client, plan.InstanceID.ValueString(), timeout, func(ctx context.Context, turn *client.Turn) (err error) {
		p, err = update.run(ctx, turn, p)
		return err
	})
	p.secret.save(ctx, resp.Private, &resp.Diagnostics)
	if err != nil {
		if p.work.unfinished() {
			savePrivate(ctx, resp.Private, pendingKey, p.work, &resp.Diagnostics)
		} else {
			clearPending(ctx, resp.Private, &resp.Diagnostics)
		}
		p.model.DeletionProtection = state.DeletionProtection
		r.setState(ctx, &resp.State, p.model, &resp.Diagnostics)
		addError(&resp.Diagnostics, "Unable to update app "+plan.Name.ValueString(), err)
		return
	}
	clearPending(ctx, resp.Private, &resp.Diagnostics)
	r.setResult(ctx, updating(req, resp), p.model)
}

func (r *appResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	ctx = r.applying(ctx, "delete")
	var state appModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Delete(ctx, appDeleteTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || !r.mayDelete(ctx, resp.Private, state.absent(), r.looksAtInstance(state.InstanceID.ValueString()), &resp.Diagnostics) {
		return
	}
	name := state.Name.ValueString()
	work, _ := loadPrivate[pendingWork](ctx, req.Private, pendingKey, &resp.Diagnostics)
	err := r.delete(ctx, deletion{
		instanceID: state.InstanceID.ValueString(), timeout: timeout, operation: client.OpAppDelete, object: state.protectedObject(),
		isProtected: func(ctx context.Context, turn *client.Turn) (bool, error) {
			return r.isProtected(ctx, turn, state, work)
		},
		send: func(ctx context.Context, turn *client.Turn, permit client.Permit) (client.Pending, error) {
			return turn.DeleteApp(ctx, name, permit)
		},
	}, &resp.Diagnostics)
	if err != nil {
		r.addDeletionError(ctx, state.InstanceID.ValueString(), "Unable to delete app "+name, err, &resp.Diagnostics)
	}
}

// isProtected checks the protection again before a deletion, because ModifyPlan does not
// see the state of a tainted app. Evidence in the state that the app never ran may be
// old. So isProtected waits for the app's import to end, and then reads the record and
// the builds.
func (r *appResource) isProtected(ctx context.Context, turn *client.Turn, state appModel, work pendingWork) (bool, error) {
	creationFailed := state.DeletionProtection.IsNull() // and work is unknown
	if !isProtected(state.DeletionProtection) || !creationFailed && !state.neverRan(work) {
		return isProtected(state.DeletionProtection), nil
	}
	if err := awaitLeft(ctx, turn, work, client.OpAppImport); err != nil && !failed(err) {
		return false, unlessGone(err)
	}
	instanceID, name := state.InstanceID.ValueString(), state.Name.ValueString()
	app, err := r.client.App(ctx, instanceID, name)
	if err != nil {
		return false, unlessGone(err)
	}
	builds, err := r.client.Builds(ctx, instanceID, name)
	if err != nil {
		return false, unlessGone(err)
	}
	state.setRecord(app, secretKeys{})
	state.setBuild(builds)
	if creationFailed {
		work = pendingWork{Creating: true, Failed: true, Build: firstDeployed(builds)}
	}
	return !state.neverRan(work), nil
}

// firstDeployed returns the id of an app's first successful build, or "" if it has none.
func firstDeployed(builds []client.Build) string {
	for _, build := range slices.Backward(builds) { // newest first
		if build.Succeeded() {
			return build.ID
		}
	}
	return ""
}

func (r *appResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id, ok := r.importNamed(ctx, req, resp, importID{"the instance's id and the app's name", "i-4f2a/web", []string{"instance_id", "name"}})
	if !ok || !r.requireInstance(ctx, "instance_id", id[0], &resp.Diagnostics) {
		return
	}
	app, err := r.client.RefreshApp(ctx, id[0], id[1])
	switch {
	case errors.Is(err, client.ErrNotFound):
		resp.Diagnostics.AddAttributeError(path.Root("name"), nothingToImport, fmt.Sprintf("Instance %s has no app %s. %s", id[0], id[1], otherName))
	case err == nil:
		warnOfImportedVariables(id[0], app, &resp.Diagnostics)
	}
}
