package app

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/privatestate"
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

// NewResource returns the resource hosting_app.
func NewResource() resource.Resource { return &appResource{} }

type appResource struct{ base.Resource }

func (r *appResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_app"
}

func (r *appResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	ctx = r.BeginApply(ctx, "create")
	var plan appModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Create(ctx, appCreateTimeout)
	resp.Diagnostics.Append(diags...)
	env, secret := stringMap(ctx, plan.Env, &resp.Diagnostics), r.secretEnv(ctx, req.Config, &resp.Diagnostics)
	if !r.MayCreate(ctx, &resp.Diagnostics) {
		return
	}
	instanceID, name := plan.InstanceID.ValueString(), plan.Name.ValueString()
	saved := plan.withoutUnknowns()
	saved.Status = types.StringValue(client.AppBuilding)
	var work base.PendingWork
	var p appProgress
	accepted, rebuilt, kept := false, false, (*client.KeptNameError)(nil)
	err := base.InTurn(ctx, r.Client, instanceID, timeout, func(ctx context.Context, turn *client.Turn) error {
		pending, err := turn.ImportApp(ctx, plan.newApp(merged(env, secret)))
		if err != nil {
			return err
		}
		// The app exists. It is saved before its build, which takes minutes.
		r.Planned.HasMade(plan.object().Managed())
		accepted, work = true, base.PendingWork{Job: pending.JobID, Build: pending.BuildID, Creating: true, Deploying: true}
		r.SetState(ctx, &resp.State, saved, &resp.Diagnostics)
		r.SetIdentity(ctx, resp.Identity, base.ChildIdentity{InstanceID: plan.InstanceID, Name: plan.Name}, &resp.Diagnostics)
		r.NoteCreated(ctx, resp.Private, &resp.Diagnostics)
		keys := secretKeysOf(secret)
		keys.save(ctx, resp.Private, &resp.Diagnostics)
		privatestate.Save(ctx, resp.Private, privatestate.PendingKey, work, &resp.Diagnostics)
		update := appUpdate{appResource: r, prior: saved.unlinked(), planned: plan, env: env, secret: secret, imported: &pending}
		p, err = update.run(ctx, turn, appProgress{model: update.prior, secret: keys, work: work})
		if !update.builtUnlinked(err) {
			return err
		}
		rebuilt = true
		p, err = update.buildLinked(ctx, p)
		work = p.work
		work.Creating = true
		privatestate.Save(ctx, resp.Private, privatestate.PendingKey, work, &resp.Diagnostics)
		return err
	})
	switch {
	case err == nil:
		base.ClearPending(ctx, resp.Private, &resp.Diagnostics)
		r.SetResult(ctx, base.Creating(req, resp), p.model)
	case errors.As(err, &kept):
		r.SaveKept(ctx, resp, "Unable to create app "+name, kept)
	case !accepted:
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to create app "+name, r.orExisting(ctx, plan, sentFromSecret(secret, err)))
	case p.stage == appChanging && rebuilt:
		resp.Diagnostics.AddWarning("App "+name+" is not deployed yet",
			diagnostics.Explain(err)+"\n\nIts first build began before the app was linked, and has failed. "+
				"The app is linked now, in the state and not tainted. The next apply builds it again.")
	case p.stage == appChanging:
		privatestate.Save(ctx, resp.Private, privatestate.PendingKey, p.work, &resp.Diagnostics)
		resp.Diagnostics.AddWarning("App "+name+" was created, but not linked as planned",
			diagnostics.Explain(err)+"\n\nThe app is in the state and not tainted, and its first build continues. The next apply links it and waits for the same build.")
	case errors.As(err, new(*OtherCommitError)):
		base.ClearPending(ctx, resp.Private, &resp.Diagnostics)
		r.SetResult(ctx, base.Creating(req, resp), p.model)
		resp.Diagnostics.AddWarning("App "+name+" was deployed from a different commit",
			diagnostics.Explain(err)+"\n\nThe app is in the state and not tainted, and it runs.")
	case p.stage == appReading:
		resp.Diagnostics.AddWarning("App "+name+" was deployed, but could not be read",
			diagnostics.Explain(err)+"\n\nThe app is in the state and not tainted, and it runs. The next apply reads it.")
	case diagnostics.StillInProgress(err):
		resp.Diagnostics.AddWarning("App "+name+" is not deployed yet", diagnostics.Unfinished("The app", err))
	default:
		work, saved.DeletionProtection = work.CreationFailed(saved.DeletionProtection)
		saved.Status = p.model.Status
		privatestate.Save(ctx, resp.Private, privatestate.PendingKey, work, &resp.Diagnostics)
		r.SetState(ctx, &resp.State, saved, &resp.Diagnostics)
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to deploy app "+name, err)
	}
}

// orExisting adds what to import to the error that an app exists already, if it is found.
func (r *appResource) orExisting(ctx context.Context, m appModel, err error) error {
	if _, notFound := r.app(m)(ctx); notFound != nil {
		return err
	}
	return diagnostics.OrExisting(err, "hosting_app", m.InstanceID.ValueString()+"/"+m.Name.ValueString())
}

// sentFromSecret lets the refusal of a write-only variable stand on its argument.
func sentFromSecret(secret map[string]string, err error) error {
	for key := range secret {
		err = diagnostics.SentFrom("secret_env_wo", "env."+key, err)
	}
	return err
}

// secretEnv reads the write-only build variables, which are only in the configuration. It
// also hides them in later logs and errors.
func (r *appResource) secretEnv(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) map[string]string {
	var secret types.Map
	diags.Append(config.GetAttribute(ctx, path.Root("secret_env_wo"), &secret)...)
	entries := stringMap(ctx, secret, diags)
	for _, value := range entries {
		r.Client.HideVariable(value)
	}
	return entries
}

func (r *appResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state appModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	keys := loadSecretKeys(ctx, req.Private, &resp.Diagnostics)
	work, pending := privatestate.Load[base.PendingWork](ctx, req.Private, privatestate.PendingKey, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	r.SetIdentity(ctx, resp.Identity, base.ChildIdentity{InstanceID: state.InstanceID, Name: state.Name}, &resp.Diagnostics)
	if r.Client == nil {
		return
	}
	name := state.Name.ValueString()
	mayAppear := r.MayAppear(ctx, work.Job)
	app, builds, err, buildsErr := r.ask(ctx, state, work, pending)
	switch {
	case errors.Is(err, client.ErrNotFound) && mayAppear() && !r.IsElsewhere(ctx, req.Private, &resp.Diagnostics):
		return // not shown yet; the next apply waits for it
	case errors.Is(err, client.ErrNotFound):
		r.RemoveGone(ctx, req.Private, &resp.State, state.absent(), &resp.Diagnostics)
		return
	case err != nil:
		r.Service.AddReadError(&resp.Diagnostics, "Unable to read app "+name, err)
		return
	}
	r.FoundByRead(ctx, resp.Private, &resp.Diagnostics)
	r.NoteKept(ctx, req.Private, "app", state.InstanceID, state.Name, &resp.Diagnostics)
	protection, branch, repo, noted := state.DeletionProtection, state.Branch, state.Repo, work
	unprotected := work.Protected || base.WasUnprotected(protection, state.Status)
	state.setRecord(app, keys)
	noteFormerRepo(ctx, resp.Private, repo, state.Repo, &resp.Diagnostics)
	moved := !branch.IsNull() && !branch.Equal(state.Branch)
	if buildsErr != nil {
		// Keep the protection and the pending work, because it is unknown whether the app
		// has run.
		if unprotected {
			state.DeletionProtection = protection
		}
		state.setBuild(nil)
		if moved && !noted.Creating && !noted.Deploying {
			noted.Deploying, noted.Build = true, "" // the next apply reads the builds
			privatestate.Save(ctx, resp.Private, privatestate.PendingKey, noted, &resp.Diagnostics)
		}
		warnOfUnreadBuilds(&resp.Diagnostics, name, buildsErr)
		r.SetState(ctx, &resp.State, state, &resp.Diagnostics)
		return
	}
	if unprotected && !pending {
		work = base.PendingWork{Creating: true, Failed: true, Build: firstDeployed(builds)}
	}
	state.setBuild(builds)
	if unprotected {
		state.DeletionProtection = base.ProtectionAfterFailure(!state.neverRan(work))
	}
	found := refreshedApp{app: app, builds: builds, moved: moved, lacksSecrets: app.Env.Set && !keys.areIn(app.Env.Value)}
	note := noteAfterRead(noted, found)
	if noted.Creating && firstBuildRuns(noted, found) && !app.Links.Set && len(state.Links.Elements()) > 0 {
		state = state.unlinked() // as it was created, for the next apply to link it
	}
	if found.lacksSecrets {
		state.SecretEnvWOVersion = types.Int64Null()
	}
	switch {
	case reflect.DeepEqual(note, noted):
	case note.Unfinished():
		privatestate.Save(ctx, resp.Private, privatestate.PendingKey, note, &resp.Diagnostics)
	default:
		base.ClearPending(ctx, resp.Private, &resp.Diagnostics)
	}
	r.SetState(ctx, &resp.State, state, &resp.Diagnostics)
}

// ask reads the app's record and its builds for a refresh, both at the same time. It
// reads the builds back to the deployed one and the pending one. It reads all of them if
// it must be known whether the app has ever run.
func (r *appResource) ask(ctx context.Context, m appModel, work base.PendingWork, pending bool) (app client.App, builds []client.Build, appErr, buildsErr error) {
	r.Client.StartReadingAccountID(ctx)
	instanceID, name := m.InstanceID.ValueString(), m.Name.ValueString()
	listBuilds := base.InBackground(func() ([]client.Build, error) {
		if !pending && base.WasUnprotected(m.DeletionProtection, m.Status) {
			return r.Client.Builds(ctx, instanceID, name)
		}
		return r.Client.RecentBuilds(ctx, instanceID, name, showDeployed(work.Build))
	})
	app, appErr = r.Client.RefreshApp(ctx, instanceID, name)
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
	diags.AddWarning("The builds of app "+app+" could not be read", "Its build_id and commit are those that were known before. "+diagnostics.Explain(err))
}

// deployed reports whether the build with the given id, or the newest one if id is "",
// has succeeded, or the one that replaced it.
func deployed(builds []client.Build, id string) bool {
	build, found := client.PickBuild(builds, id)
	return found && build.Succeeded()
}

func (r *appResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	ctx = r.BeginApply(ctx, "update")
	base.IdentityOfState(ctx, resp.Identity, req.State, &resp.Diagnostics)
	var state, plan appModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Update(ctx, appUpdateTimeout)
	resp.Diagnostics.Append(diags...)
	secret := r.secretEnv(ctx, req.Config, &resp.Diagnostics)
	keys := loadSecretKeys(ctx, req.Private, &resp.Diagnostics)
	work, _ := privatestate.Load[base.PendingWork](ctx, req.Private, privatestate.PendingKey, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !base.KeepsObject("app "+state.Name.ValueString(), &resp.Diagnostics, replacingArguments(state, plan)...) ||
		!r.MayChange(ctx, req.Private, &resp.Diagnostics) {
		return
	}
	base.ForgetProtection(ctx, resp.Private, &resp.Diagnostics)
	base.ForgetKept(ctx, resp.Private, &resp.Diagnostics)
	state.adoptTriggers(ctx, req.Private, plan, &resp.Diagnostics)
	state.DeletionProtection, state.Timeouts = base.ProtectionDuring(state.DeletionProtection, plan.DeletionProtection), plan.Timeouts
	update := appUpdate{appResource: r, prior: state, planned: plan, env: stringMap(ctx, plan.Env, &resp.Diagnostics), secret: secret}
	p := appProgress{model: state, secret: keys, work: work}
	if work.Creating {
		p.model = state.unlinked()
	}
	update.prior = p.model.withUnknown(work.Unsure)
	if !update.changesArguments() {
		// A build that cannot succeed must not keep the app from being destroyed.
		state.DeletionProtection = plan.DeletionProtection
	}
	err := base.InTurn(ctx, r.Client, plan.InstanceID.ValueString(), timeout, func(ctx context.Context, turn *client.Turn) (err error) {
		p, err = update.run(ctx, turn, p)
		return err
	})
	p.secret.save(ctx, resp.Private, &resp.Diagnostics)
	if err != nil {
		if p.work.Unfinished() {
			privatestate.Save(ctx, resp.Private, privatestate.PendingKey, p.work, &resp.Diagnostics)
		} else {
			base.ClearPending(ctx, resp.Private, &resp.Diagnostics)
		}
		p.model.DeletionProtection = state.DeletionProtection
		r.SetState(ctx, &resp.State, p.model, &resp.Diagnostics)
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to update app "+plan.Name.ValueString(), sentFromSecret(secret, err))
		return
	}
	base.ClearPending(ctx, resp.Private, &resp.Diagnostics)
	r.SetResult(ctx, base.Updating(req, resp), p.model)
}

func (r *appResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	ctx = r.BeginApply(ctx, "delete")
	var state appModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Delete(ctx, appDeleteTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || !r.MayDelete(ctx, resp.Private, state.absent(), r.LooksAtInstance(state.InstanceID.ValueString()), &resp.Diagnostics) {
		return
	}
	name := state.Name.ValueString()
	work, _ := privatestate.Load[base.PendingWork](ctx, req.Private, privatestate.PendingKey, &resp.Diagnostics)
	err := r.DeleteObject(ctx, base.Deletion{
		InstanceID: state.InstanceID.ValueString(), Timeout: timeout, Operation: client.OpAppDelete, Object: state.protectedObject(), Managed: state.object().Managed(),
		IsProtected: func(ctx context.Context, turn *client.Turn) (bool, error) {
			return r.isProtected(ctx, turn, state, work)
		},
		Send: func(ctx context.Context, turn *client.Turn, guard client.DeleteGuard) (client.Pending, error) {
			return turn.DeleteApp(ctx, name, guard)
		},
	}, &resp.Diagnostics)
	if err != nil {
		r.AddDeletionError(ctx, state.InstanceID.ValueString(), "Unable to delete app "+name, err, &resp.Diagnostics)
	}
}

// isProtected checks the protection again before a deletion, because ModifyPlan does not
// see the state of a tainted app. Evidence in the state that the app never ran may be
// old. So isProtected waits for the app's import to end, and then reads the record and
// the builds.
func (r *appResource) isProtected(ctx context.Context, turn *client.Turn, state appModel, work base.PendingWork) (bool, error) {
	creationFailed := state.DeletionProtection.IsNull() // and work is unknown
	if !base.IsProtected(state.DeletionProtection) || !creationFailed && !state.neverRan(work) {
		return base.IsProtected(state.DeletionProtection), nil
	}
	if err := base.AwaitPending(ctx, turn, work, client.OpAppImport); err != nil && !diagnostics.Failed(err) {
		return false, base.IgnoreNotFound(err)
	}
	instanceID, name := state.InstanceID.ValueString(), state.Name.ValueString()
	app, err := r.Client.App(ctx, instanceID, name)
	if err != nil {
		return false, base.IgnoreNotFound(err)
	}
	builds, err := r.Client.Builds(ctx, instanceID, name)
	if err != nil {
		return false, base.IgnoreNotFound(err)
	}
	state.setRecord(app, secretKeys{})
	state.setBuild(builds)
	if creationFailed {
		work = base.PendingWork{Creating: true, Failed: true, Build: firstDeployed(builds)}
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
	id, ok := r.ImportNamed(ctx, req, resp, base.ImportID{What: "the instance's id and the app's name", Sample: "i-4f2a/web", Names: []string{"instance_id", "name"}})
	if !ok || !r.RequireInstance(ctx, "instance_id", id[0], &resp.Diagnostics) {
		return
	}
	app, err := r.Client.RefreshApp(ctx, id[0], id[1])
	switch {
	case errors.Is(err, client.ErrNotFound):
		resp.Diagnostics.AddAttributeError(path.Root("name"), base.NothingToImport, fmt.Sprintf("Instance %s has no app %s. %s", id[0], id[1], base.OtherName))
	case err == nil:
		warnOfImportedVariables(id[0], app, &resp.Diagnostics)
	}
}
