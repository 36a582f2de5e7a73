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
	c := convergence{appResource: r, goal: goal{prior: saved, planned: plan, env: env, secret: secret}}
	err := base.InTurn(ctx, r.Client, instanceID, timeout, func(ctx context.Context, turn *client.Turn) error {
		pending, err := turn.ImportApp(ctx, plan.newApp(merged(env, secret)))
		if err != nil {
			return err
		}
		// The app exists. It is saved before its build, which takes minutes.
		r.Planned.HasMade(plan.object().Managed())
		r.SetState(ctx, &resp.State, saved, &resp.Diagnostics)
		r.SetIdentity(ctx, resp.Identity, base.ChildIdentity{InstanceID: plan.InstanceID, Name: plan.Name}, &resp.Diagnostics)
		r.NoteCreated(ctx, resp.Private, &resp.Diagnostics)
		c.turn, c.progress = turn, imported(saved, secretKeysOf(secret), pending)
		return c.run(ctx)
	})
	kept := (*client.KeptNameError)(nil)
	if !c.imported {
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to create app "+name, r.orExisting(ctx, plan, sentFromSecret(secret, err)))
		return
	}
	switch {
	case err == nil:
		r.SetResult(ctx, base.Creating(req, resp), c.have)
	case errors.As(err, &kept):
		r.SaveKept(ctx, resp, "Unable to create app "+name, kept)
	case c.unlinked:
		resp.Diagnostics.AddWarning("App "+name+" is not deployed yet",
			diagnostics.Explain(err)+"\n\nIts first build began before the app was linked, and has failed. "+
				"The app is linked now, in the state and not tainted. The next apply builds it again.")
	case c.at == send:
		resp.Diagnostics.AddWarning("App "+name+" was created, but not linked as planned",
			diagnostics.Explain(err)+"\n\nThe app is in the state and not tainted, and its first build continues. The next apply links it and waits for the same build.")
	case errors.As(err, new(*OtherCommitError)):
		r.SetResult(ctx, base.Creating(req, resp), c.have)
		resp.Diagnostics.AddWarning("App "+name+" was deployed from a different commit",
			diagnostics.Explain(err)+"\n\nThe app is in the state and not tainted, and it runs.")
	case c.at == finish:
		resp.Diagnostics.AddWarning("App "+name+" was deployed, but could not be read",
			diagnostics.Explain(err)+"\n\nThe app is in the state and not tainted, and it runs. The next apply reads it.")
	case diagnostics.StillInProgress(err):
		resp.Diagnostics.AddWarning("App "+name+" is not deployed yet", diagnostics.Unfinished("The app", err))
	default:
		c.note.Phase = failed
		if base.IsProtected(saved.DeletionProtection) {
			saved.DeletionProtection = base.ProtectionAfterFailure(false)
		}
		saved.Status = c.have.Status
		r.SetState(ctx, &resp.State, saved, &resp.Diagnostics)
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to deploy app "+name, err)
	}
	c.save(ctx, resp.Private, &resp.Diagnostics)
}

// save saves what the next call must know: the names of the secret variables, and the note.
func (c *convergence) save(ctx context.Context, private privatestate.Writer, diags *diag.Diagnostics) {
	c.keys.save(ctx, private, diags)
	saveNote(ctx, private, c.note, diags)
}

func saveNote(ctx context.Context, private privatestate.Writer, n note, diags *diag.Diagnostics) {
	if n.isZero() {
		base.ClearPending(ctx, private, diags)
		return
	}
	privatestate.Save(ctx, private, privatestate.PendingKey, n, diags)
}

// orExisting adds what to import to the error that an app exists already, if it is found.
func (r *appResource) orExisting(ctx context.Context, m appModel, err error) error {
	if _, notFound := r.Client.App(ctx, m.InstanceID.ValueString(), m.Name.ValueString()); notFound != nil {
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
	noted, pending := privatestate.Load[note](ctx, req.Private, privatestate.PendingKey, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	r.SetIdentity(ctx, resp.Identity, base.ChildIdentity{InstanceID: state.InstanceID, Name: state.Name}, &resp.Diagnostics)
	if r.Client == nil {
		return
	}
	name := state.Name.ValueString()
	mayAppear := r.MayAppear(ctx, noted.Job)
	noteLost := !pending && base.WasUnprotected(state.DeletionProtection, state.Status)
	app, builds, err, buildsErr := r.ask(ctx, state, noted, noteLost)
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
	protection, branch, repo := state.DeletionProtection, state.Branch, state.Repo
	unprotected := base.WasUnprotected(protection, state.Status)
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
		if moved && !noted.awaitsBuild() {
			noted.Phase, noted.Build = deploying, "" // the next apply reads the builds
			saveNote(ctx, resp.Private, noted, &resp.Diagnostics)
		}
		warnOfUnreadBuilds(&resp.Diagnostics, name, buildsErr)
		r.SetState(ctx, &resp.State, state, &resp.Diagnostics)
		return
	}
	state.setBuild(builds)
	if unprotected {
		ofCreation := noted
		if noteLost {
			ofCreation = note{Phase: failed, Build: firstDeployed(builds)}
		}
		state.DeletionProtection = base.ProtectionAfterFailure(!state.neverRan(ofCreation))
	}
	found := refreshed{app: app, builds: builds, moved: moved, lacksSecrets: app.Env.Set && !keys.areIn(app.Env.Value)}
	if found.lacksSecrets {
		state.SecretEnvWOVersion = types.Int64Null()
	}
	if n := noted.refresh(found); !reflect.DeepEqual(n, noted) {
		saveNote(ctx, resp.Private, n, &resp.Diagnostics)
	}
	r.SetState(ctx, &resp.State, state, &resp.Diagnostics)
}

// ask reads the app's record and its builds for a refresh, both at the same time. It
// reads the builds back to the deployed one and the noted one, or all of them if it must be
// known whether the app has ever run.
func (r *appResource) ask(ctx context.Context, m appModel, noted note, all bool) (app client.App, builds []client.Build, appErr, buildsErr error) {
	r.Client.StartReadingAccountID(ctx)
	instanceID, name := m.InstanceID.ValueString(), m.Name.ValueString()
	listBuilds := base.InBackground(func() ([]client.Build, error) {
		if all {
			return r.Client.Builds(ctx, instanceID, name)
		}
		return r.Client.RecentBuilds(ctx, instanceID, name, showDeployed(noted.Build))
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
	noted, _ := privatestate.Load[note](ctx, req.Private, privatestate.PendingKey, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !base.KeepsObject("app "+state.Name.ValueString(), &resp.Diagnostics, replacingArguments(state, plan)...) ||
		!r.MayChange(ctx, req.Private, &resp.Diagnostics) {
		return
	}
	base.ForgetProtection(ctx, resp.Private, &resp.Diagnostics)
	base.ForgetKept(ctx, resp.Private, &resp.Diagnostics)
	state.adoptTriggers(ctx, req.Private, plan, &resp.Diagnostics)
	state.DeletionProtection, state.Timeouts = base.ProtectionDuring(state.DeletionProtection, plan.DeletionProtection), plan.Timeouts
	c := convergence{
		appResource: r, goal: goal{prior: state, planned: plan, env: stringMap(ctx, plan.Env, &resp.Diagnostics), secret: secret},
		progress: progress{have: state, keys: keys, note: noted},
	}
	if !c.changesArguments(noted) {
		// A build that cannot succeed must not keep the app from being destroyed.
		c.have.DeletionProtection = plan.DeletionProtection
	}
	err := base.InTurn(ctx, r.Client, plan.InstanceID.ValueString(), timeout, func(ctx context.Context, turn *client.Turn) error {
		c.turn = turn
		return c.run(ctx)
	})
	c.save(ctx, resp.Private, &resp.Diagnostics)
	if err != nil {
		r.SetState(ctx, &resp.State, c.have, &resp.Diagnostics)
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to update app "+plan.Name.ValueString(), sentFromSecret(secret, err))
		return
	}
	r.SetResult(ctx, base.Updating(req, resp), c.have)
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
	noted, _ := privatestate.Load[note](ctx, req.Private, privatestate.PendingKey, &resp.Diagnostics)
	err := r.DeleteObject(ctx, base.Deletion{
		InstanceID: state.InstanceID.ValueString(), Timeout: timeout, Operation: client.OpAppDelete, Object: state.protectedObject(), Managed: state.object().Managed(),
		IsProtected: func(ctx context.Context, turn *client.Turn) (bool, error) {
			return r.isProtected(ctx, turn, state, noted)
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
func (r *appResource) isProtected(ctx context.Context, turn *client.Turn, state appModel, noted note) (bool, error) {
	creationFailed := state.DeletionProtection.IsNull() // and the note is unknown
	if !base.IsProtected(state.DeletionProtection) || !creationFailed && !state.neverRan(noted) {
		return base.IsProtected(state.DeletionProtection), nil
	}
	if err := base.AwaitPending(ctx, turn, base.PendingWork{Job: noted.Job}, client.OpAppImport); err != nil && !diagnostics.Failed(err) {
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
		noted = note{Phase: failed, Build: firstDeployed(builds)}
	}
	return !state.neverRan(noted), nil
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
