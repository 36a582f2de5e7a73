package provider

import (
	"context"
	"errors"
	"maps"
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

// The first build takes several minutes (service.md, "Limits"), later ones too.
const (
	appCreateTimeout = 30 * time.Minute
	appUpdateTimeout = 30 * time.Minute
	appDeleteTimeout = 20 * time.Minute
)

// secretKeysKey keeps the names of the keys in secret_env_wo in private state.
const secretKeysKey = "secret_env_keys"

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
	if resp.Diagnostics.HasError() {
		return
	}
	instanceID, name := plan.InstanceID.ValueString(), plan.Name.ValueString()
	turn, err := r.client.Enter(ctx, instanceID)
	if err != nil {
		addError(&resp.Diagnostics, "Unable to create app "+name, err)
		return
	}
	defer turn.Leave()
	ctx, cancel := withTimeout(ctx, timeout)
	defer cancel()
	pending, err := turn.ImportApp(ctx, plan.newApp(merged(env, secret)))
	if err != nil {
		addError(&resp.Diagnostics, "Unable to create app "+name, orExisting(err, "hosting_app", instanceID+"/"+name))
		return
	}

	// The app exists; it is saved before the minutes of its build.
	work := pendingWork{Job: pending.JobID, Build: pending.BuildID, Creating: true, Deploying: true}
	saved := plan.withoutUnknowns()
	saved.Status = types.StringValue(client.AppBuilding)
	resp.Diagnostics.Append(resp.State.Set(ctx, saved)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, childIdentity{InstanceID: plan.InstanceID, Name: plan.Name})...)
	savePrivate(ctx, resp.Private, secretKeysKey, sorted(sortedKeys(secret)), &resp.Diagnostics)
	savePrivate(ctx, resp.Private, pendingKey, work, &resp.Diagnostics)

	finished := saved
	err = r.awaitImport(ctx, turn, &finished, pending, sortedKeys(secret))
	if err == nil {
		if err := r.link(ctx, turn, finished, plan); err != nil {
			resp.Diagnostics.AddWarning("App "+name+" was created, but not linked as planned",
				explain(err)+"\n\nThe app is in the state and not tainted, and its first build continues. The next apply links it and waits for the same build.")
			return
		}
		turn.Leave()
		err = r.client.WaitDeployed(ctx, instanceID, name, pending.BuildID, "")
	}
	deployed := err == nil
	if deployed {
		finished, err = r.readDeployed(ctx, plan, sortedKeys(secret), true)
	}
	switch {
	case err != nil && deployed:
		resp.Diagnostics.AddWarning("App "+name+" was deployed, but could not be read",
			explain(err)+"\n\nThe app is in the state and not tainted, and it runs. The next apply reads it.")
		return
	case stillInProgress(err):
		resp.Diagnostics.AddWarning("App "+name+" is not deployed yet",
			sentence(err.Error())+"\n\nThe app is in the state and not tainted, and the service continues with it. Apply again to wait for the same build.")
		return
	case err != nil:
		work, saved.DeletionProtection = work.creationFailed(saved.DeletionProtection)
		if failed(err) {
			saved.Status = types.StringValue(client.AppFailed)
		}
		savePrivate(ctx, resp.Private, pendingKey, work, &resp.Diagnostics)
		resp.Diagnostics.Append(resp.State.Set(ctx, saved)...)
		addError(&resp.Diagnostics, "Unable to deploy app "+name, err)
		return
	}
	clearPending(ctx, resp.Private, &resp.Diagnostics)
	setResult(ctx, &resp.State, req.Plan, finished, &resp.Diagnostics)
}

// awaitImport waits for the job of an import and reads the app.
func (r *appResource) awaitImport(ctx context.Context, turn *client.Turn, m *appModel, pending client.Pending, secretKeys []string) error {
	if err := turn.Wait(ctx, pending, client.OpAppImport); err != nil {
		return err
	}
	app, err := readBack(ctx, r.app(m), anything)
	if err != nil {
		return err
	}
	m.setRecord(app, secretKeys, true)
	return nil
}

// link sets the links of a new app, which an import does not apply.
func (r *appResource) link(ctx context.Context, turn *client.Turn, m, plan appModel) error {
	if sameStrings(m.Links, plan.Links) {
		return nil
	}
	var diags diag.Diagnostics // strings make strings
	links := stringsOf(ctx, plan.Links, &diags)
	return turn.Do(ctx, client.OpAppUpdate, func(ctx context.Context) (client.Pending, error) {
		return turn.UpdateApp(ctx, m.Name.ValueString(), client.AppChange{Links: &links})
	})
}

// readDeployed is the planned app with what its record and its builds tell after
// a change. While the keys of secret variables are not known, env stays as
// planned.
func (r *appResource) readDeployed(ctx context.Context, plan appModel, secretKeys []string, keysKnown bool) (appModel, error) {
	m := plan
	var diags diag.Diagnostics // strings make strings
	env := stringMap(ctx, plan.Env, &diags)
	app, err := readBack(ctx, r.app(&m), func(a client.App) bool {
		return plan.shownBy(a) && (!keysKnown || !a.Env.Set || maps.Equal(withoutKeys(a.Env.Value, secretKeys), env))
	})
	if err != nil {
		return m, err
	}
	m.setRecord(app, secretKeys, keysKnown)
	builds, err := r.client.Builds(ctx, m.InstanceID.ValueString(), m.Name.ValueString())
	if err != nil {
		return m, err
	}
	m.setBuild(builds)
	return m, nil
}

func (r *appResource) app(m *appModel) func(context.Context) (client.App, error) {
	return func(ctx context.Context) (client.App, error) {
		return r.client.App(ctx, m.InstanceID.ValueString(), m.Name.ValueString())
	}
}

// shownBy tells whether a record shows what was planned.
func (m appModel) shownBy(a client.App) bool {
	shown := m
	shown.setRecord(a, nil, false)
	_, differs := shown.changeTo(context.Background(), m, nil, &diag.Diagnostics{})
	return !differs
}

// secretEnv reads the write-only build variables, which are in the configuration
// alone, and keeps them out of logs and errors from then on.
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
	secretKeys, secretsKnown := loadPrivate[[]string](ctx, req.Private, secretKeysKey, &resp.Diagnostics)
	work, pending := loadPrivate[pendingWork](ctx, req.Private, pendingKey, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, childIdentity{InstanceID: state.InstanceID, Name: state.Name})...)
	if r.client == nil {
		return
	}
	instanceID, name := state.InstanceID.ValueString(), state.Name.ValueString()
	app, err := r.client.RefreshApp(ctx, instanceID, name)
	switch {
	case errors.Is(err, client.ErrNotFound) && pending && r.inProgress(ctx, work.Job):
		return // it is not there yet; the next apply waits for it
	case errors.Is(err, client.ErrNotFound):
		removeGone(ctx, &resp.State, &resp.Diagnostics, "App "+name+" of instance "+instanceID)
		return
	case err != nil:
		addError(&resp.Diagnostics, "Unable to read app "+name, err)
		return
	}
	state.setRecord(app, secretKeys, secretsKnown)
	if pending || state.BuildID.IsNull() {
		builds, err := r.client.Builds(ctx, instanceID, name)
		if err != nil {
			addError(&resp.Diagnostics, "Unable to read the builds of app "+name, err)
			return
		}
		state.setBuild(builds)
		if work.Protected && !state.neverRan(work) {
			state.DeletionProtection = types.BoolValue(true)
		}
		if pending && app.Status == client.AppRunning && deployed(builds, work.Build) {
			clearPending(ctx, resp.Private, &resp.Diagnostics)
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// deployed tells whether a build, or the newest one for "", has succeeded.
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
	setIdentity(ctx, resp.Identity, req.State, &resp.Diagnostics)
	var state, plan appModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Update(ctx, appUpdateTimeout)
	resp.Diagnostics.Append(diags...)
	secret := r.secretEnv(ctx, req.Config, &resp.Diagnostics)
	keysBefore, keysKnown := loadPrivate[[]string](ctx, req.Private, secretKeysKey, &resp.Diagnostics)
	work, _ := loadPrivate[pendingWork](ctx, req.Private, pendingKey, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	forgetProtection(ctx, resp.Private, &resp.Diagnostics)
	state.DeletionProtection, state.Timeouts = plan.DeletionProtection, plan.Timeouts
	update := &appUpdate{
		appResource: r,
		model:       state,
		plan:        plan,
		env:         stringMap(ctx, plan.Env, &resp.Diagnostics),
		secret:      secret,
		secretKeys:  keysBefore,
		keysKnown:   keysKnown,
		work:        work,
	}
	err := update.run(ctx, timeout, &resp.Diagnostics)
	if update.keysKnown {
		savePrivate(ctx, resp.Private, secretKeysKey, sorted(update.secretKeys), &resp.Diagnostics)
	}
	if err != nil {
		update.noteFailure(err)
		if update.work.unfinished() {
			savePrivate(ctx, resp.Private, pendingKey, update.work, &resp.Diagnostics)
		}
		resp.Diagnostics.Append(resp.State.Set(ctx, update.model)...)
		addError(&resp.Diagnostics, "Unable to update app "+plan.Name.ValueString(), err)
		return
	}
	clearPending(ctx, resp.Private, &resp.Diagnostics)
	setResult(ctx, &resp.State, req.Plan, update.model, &resp.Diagnostics)
}

func (r *appResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	ctx = r.applying(ctx, "delete")
	var state appModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Delete(ctx, appDeleteTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
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
		addError(&resp.Diagnostics, "Unable to delete app "+name, err)
	}
}

// isProtected looks at the protection once more before a deletion: ModifyPlan is
// not asked about a tainted app. Evidence in the state that the app never ran may
// be old, so the record and the builds are looked at as well, once its import is
// over.
func (r *appResource) isProtected(ctx context.Context, turn *client.Turn, state appModel, work pendingWork) (bool, error) {
	if !isProtected(state.DeletionProtection) || !state.neverRan(work) {
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
	state.setRecord(app, nil, false)
	state.setBuild(builds)
	return !state.neverRan(work), nil
}

func (r *appResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	r.importChild(ctx, req, resp)
}
