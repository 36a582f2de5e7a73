package settings

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/planning"
)

// A settingModel is the model of an allowlist, a console mode or auth settings. S is the
// setting as the service has it.
type settingModel[M, S any] interface {
	*M

	instance() types.String
	timeouts() timeouts.Value
	// differsFrom reports whether a change from a prior model needs a request.
	differsFrom(prior *M) bool
	// setting returns the parts of the setting that a change from a prior model requests, or
	// the whole setting without one.
	setting(prior *M) S
	// setRecord copies the current setting into the model. A value that is missing from
	// the record is kept.
	setRecord(S)
	// tells reports whether a record contains the setting.
	tells(S) bool
	// matches reports whether the current setting shows what a change from a prior model
	// requests.
	matches(prior *M, current S) bool
	// forget makes the setting null.
	forget()
	// reset changes the model to the setting that Delete sends. It returns false if
	// Delete sends nothing.
	reset() bool
}

// A settingService sends and reads a setting.
type settingService[S any] struct {
	operation string // of the job
	// delay is the time that a change may take to be in effect after its job has ended.
	delay time.Duration
	send  func(*client.Turn, context.Context, S) (client.Pending, error)
	// recorded returns the setting in an instance's record.
	recorded func(client.Instance) S
	// read reads the setting alone. refresh does the same for a refresh, and confirms an
	// absence.
	read, refresh func(*client.Client, context.Context, string) (S, error)
}

// A settingResource manages a setting that every instance has as soon as it exists:
// Create sets it, and Delete resets it if reset says so. Nothing is saved before the
// setting is in effect. An interrupted creation is therefore repeated, and no setting is
// ever tainted: Terraform would reset a tainted one.
type settingResource[M, S any, P settingModel[M, S]] struct {
	base.Resource
	name    string // type name without the provider's prefix
	what    string // the setting in messages, before "of instance"
	engine  string // engine that has the setting, "" if the instance has it
	service settingService[S]
	isSet   func(S) bool // reports whether a setting has a value; nil if it always has
	// lost returns the parts of the current setting that the planned one lacks. It is nil for a
	// setting that is one word.
	lost func(plan P, current S) []string
}

func (r *settingResource[M, S, P]) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + r.name
}

func (r *settingResource[M, S, P]) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"instance_id": identityschema.StringAttribute{RequiredForImport: true, Description: "The instance's id."},
		},
	}
}

// settingIdentity identifies a setting.
type settingIdentity struct {
	InstanceID types.String `tfsdk:"instance_id"`
}

// of returns the name of an instance's setting in messages.
func (r *settingResource[M, S, P]) of(m P) string {
	return r.what + " of instance " + m.instance().ValueString()
}

// object identifies the setting of an instance.
func (r *settingResource[M, S, P]) object(m P) planning.Object {
	return planning.Object{Kind: r.what, Key: m.instance().ValueString()}
}

// ModifyPlan checks that the instance has the engine of a setting that changes, and warns if
// a new setting replaces one that exists.
func (r *settingResource[M, S, P]) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.CheckPlannedAccount(ctx, req, resp)
	defer r.DropRepeatedWarnings(!req.State.Raw.IsNull(), &resp.Diagnostics)
	state, plan, ok := base.Planning[M](ctx, req, &resp.Diagnostics)
	if !ok || plan == nil {
		return
	}
	instanceID, changes := P(plan).instance(), true
	if state != nil {
		replacement := r.PlanReplacement(req, resp, "the "+r.of(state), P(state).instance(), r.replacing(state, plan))
		instanceID, changes = replacement.Settled(P(state).instance(), instanceID), replacement.Replaces() || P(plan).differsFrom(state)
	}
	if r.engine != "" && changes {
		r.CheckEngineOn(r.engine, r.what, instanceID, &resp.Diagnostics)
	}
	if state == nil && r.lost != nil {
		r.warnOfLoss(ctx, plan, &resp.Diagnostics)
	}
}

// warnOfLoss warns if the setting of a new resource lacks parts of the instance's present one.
// Every instance has the setting, so a plan of a new resource does not show what it replaces.
func (r *settingResource[M, S, P]) warnOfLoss(ctx context.Context, plan P, diags *diag.Diagnostics) {
	if r.Client == nil || plan.instance().IsUnknown() || r.Planned.HasApplied() {
		return // an apply that plans again has nothing to add
	}
	id := plan.instance().ValueString()
	there, err := r.present(ctx, id)
	switch {
	case errors.Is(err, client.ErrNotFound):
	case err != nil:
		r.Service.WarnUnchecked(diags, "instance_id", err)
	default:
		if lost := r.lost(plan, there); len(lost) > 0 {
			diags.AddAttributeWarning(path.Root("instance_id"), "The "+r.what+" of the instance will be replaced",
				fmt.Sprintf("Instance %s has %s in its %s. The planned values do not have these. Add what is still needed. "+
					"An import shows the difference in the plan:\n\n%s", id, strings.Join(lost, ", "), r.what,
					diagnostics.ImportBlock("hosting_"+r.name+".NAME", id)))
		}
	}
}

// present returns the current setting of an instance, without a request if this process has
// read the instance.
func (r *settingResource[M, S, P]) present(ctx context.Context, instanceID string) (there S, err error) {
	instance, seen := r.Client.SeenInstance(instanceID)
	if !seen {
		instance, err = r.Client.Instance(ctx, instanceID)
	}
	there = r.service.recorded(instance)
	if err == nil && !P(new(M)).tells(there) {
		there, err = r.service.read(r.Client, ctx, instanceID)
	}
	return there, err
}

// replacing returns the argument whose change replaces the setting of a state.
func (r *settingResource[M, S, P]) replacing(state, plan P) base.ReplacingArgument {
	return base.ReplacingArgument{Name: "instance_id", State: state.instance(), Plan: plan.instance()}
}

func (r *settingResource[M, S, P]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	ctx = r.BeginApply(ctx, "create")
	var plan M
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := P(&plan).timeouts().Create(ctx, base.SettingTimeout)
	resp.Diagnostics.Append(diags...)
	if !r.MayCreate(ctx, &resp.Diagnostics) {
		return
	}
	if _, err := r.put(ctx, &plan, nil, timeout, &resp.Diagnostics); err != nil {
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to set the "+r.of(&plan), err)
		return
	}
	r.NoteCreated(ctx, resp.Private, &resp.Diagnostics)
	if r.SetResult(ctx, base.CreatingSetting(req, resp), plan); resp.Diagnostics.HasError() {
		return
	}
	r.SetIdentity(ctx, resp.Identity, settingIdentity{InstanceID: P(&plan).instance()}, &resp.Diagnostics)
}

// put waits for a job that another client has begun, and sends what differs from the prior
// model, which is nil for a new setting. It compares nothing with the record: a read may lag,
// and a request that repeats a setting changes nothing. sent reports whether something was sent.
func (r *settingResource[M, S, P]) put(ctx context.Context, m, prior P, timeout time.Duration, diags *diag.Diagnostics) (sent bool, err error) {
	err = base.InTurn(ctx, r.Client, m.instance().ValueString(), timeout, func(ctx context.Context, turn *client.Turn) error {
		_, _, err := turn.AwaitIdle(ctx)
		if err == nil {
			sent = true
			err = r.send(ctx, turn, m.setting(prior))
		}
		if err == nil {
			r.Planned.HasMade(r.object(m))
		}
		return err
	})
	if err == nil {
		r.readResult(ctx, m, prior, diags)
	}
	return sent, err
}

func (r *settingResource[M, S, P]) send(ctx context.Context, turn *client.Turn, setting S) error {
	return turn.Do(ctx, r.service.operation, func(ctx context.Context) (client.Pending, error) {
		return r.service.send(turn, ctx, setting)
	})
}

// readResult reads the setting back after a change. A failure is a warning, because the
// change is in effect.
func (r *settingResource[M, S, P]) readResult(ctx context.Context, m, prior P, diags *diag.Diagnostics) {
	there, err := client.ReadBackWithin(ctx, r.Client, r.service.delay+r.Client.ReadLag(), func(ctx context.Context) (S, error) {
		return r.service.read(r.Client, ctx, m.instance().ValueString())
	}, func(there S) bool { return m.matches(prior, there) })
	if err != nil {
		diags.AddWarning("The "+r.of(m)+" could not be read back", "The change is in effect. "+diagnostics.Explain(err))
		return
	}
	m.setRecord(there)
}

// refresh reads the current setting into the model. It returns the instance's record, too.
func (r *settingResource[M, S, P]) refresh(ctx context.Context, m P) (client.Instance, error) {
	r.Client.StartReadingAccountID(ctx)
	there, instance, err := r.refreshed(ctx, m.instance().ValueString())
	if err == nil {
		m.setRecord(there)
	}
	return instance, err
}

// refreshed returns the current setting of an instance, from the instance's record if
// that contains it, and the record.
func (r *settingResource[M, S, P]) refreshed(ctx context.Context, instanceID string) (S, client.Instance, error) {
	instance, err := r.Client.RefreshInstance(ctx, instanceID)
	there := r.service.recorded(instance)
	if err == nil && !P(new(M)).tells(there) {
		there, err = r.service.refresh(r.Client, ctx, instanceID)
	}
	return there, instance, err
}

// absent describes the setting as an object that was not found.
func (r *settingResource[M, S, P]) absent(m P) base.AbsentObject {
	return base.AbsentObject{What: "The " + r.of(m), InstanceID: m.instance().ValueString()}
}

func (r *settingResource[M, S, P]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state M
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.SetIdentity(ctx, resp.Identity, settingIdentity{InstanceID: P(&state).instance()}, &resp.Diagnostics)
	if r.Client == nil {
		return
	}
	instance, err := r.refresh(ctx, &state)
	switch {
	case errors.Is(err, client.ErrNotFound):
		r.RemoveGone(ctx, req.Private, &resp.State, r.absent(&state), &resp.Diagnostics)
	case err != nil:
		r.Service.AddReadError(&resp.Diagnostics, "Unable to read the "+r.of(&state), err)
	default:
		r.FoundByRead(ctx, resp.Private, &resp.Diagnostics)
		r.WarnOfJob(ctx, instance, r.service.operation, &resp.Diagnostics)
		r.SetState(ctx, &resp.State, state, &resp.Diagnostics)
	}
}

func (r *settingResource[M, S, P]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	ctx = r.BeginApply(ctx, "update")
	base.IdentityOfState(ctx, resp.Identity, req.State, &resp.Diagnostics)
	var plan, state M
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := P(&plan).timeouts().Update(ctx, base.SettingTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || !base.KeepsObject("the "+r.of(&state), &resp.Diagnostics, r.replacing(&state, &plan)) || !r.MayChange(ctx, req.Private, &resp.Diagnostics) {
		return
	}
	if P(&plan).differsFrom(&state) {
		sent, err := r.put(ctx, &plan, &state, timeout, &resp.Diagnostics)
		if err != nil {
			diagnostics.AddClientError(&resp.Diagnostics, "Unable to update the "+r.of(&plan), err)
			if sent {
				r.forgetUnknown(ctx, err, &state, &resp.State, &resp.Diagnostics)
			}
			return
		}
	}
	r.SetResult(ctx, base.Updating(req, resp), plan)
}

func (r *settingResource[M, S, P]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	ctx = r.BeginApply(ctx, "delete")
	var state M
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := P(&state).timeouts().Delete(ctx, base.SettingTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() ||
		!r.MayDelete(ctx, resp.Private, r.absent(&state), r.LooksAtInstance(P(&state).instance().ValueString()), &resp.Diagnostics) || !P(&state).reset() {
		return
	}
	sent := false
	err := base.InTurn(ctx, r.Client, P(&state).instance().ValueString(), timeout, func(ctx context.Context, turn *client.Turn) error {
		if r.Planned.IsMadeAnew(r.object(&state)) {
			return nil
		}
		sent = true
		return r.send(ctx, turn, P(&state).setting(nil))
	})
	switch {
	case err == nil:
		return
	case errors.Is(err, client.ErrNotFound):
		// If the refresh does not find the setting, it is gone with its instance or
		// engine.
		_, lookErr := r.refresh(ctx, &state)
		if errors.Is(lookErr, client.ErrNotFound) {
			return
		}
		err = errors.Join(err, lookErr)
	case r.RefusesChanges(ctx, P(&state).instance().ValueString(), err):
		resp.Diagnostics.AddWarning("The "+r.of(&state)+" was not reset",
			diagnostics.Sentence(err.Error())+" The instance has failed, or its deletion has, so it accepts no change, and the setting was removed from the state. "+
				"It goes with the instance. If the instance is repaired, the setting is as it was.")
		return
	}
	diagnostics.AddClientError(&resp.Diagnostics, "Unable to reset the "+r.of(&state), err)
	if sent {
		r.forgetUnknown(ctx, err, &state, &resp.State, &resp.Diagnostics)
	}
}

// forgetUnknown makes the setting null in the state if a change that was sent may have
// taken effect despite its error. If the service does not report the setting, only this
// makes the next plan send it again.
func (r *settingResource[M, S, P]) forgetUnknown(ctx context.Context, err error, m P, state *tfsdk.State, diags *diag.Diagnostics) {
	if client.NothingDone(err) || diagnostics.Failed(err) {
		return
	}
	m.forget()
	r.SetState(ctx, state, *m, diags)
}

func (r *settingResource[M, S, P]) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id, ok := r.ImportNamed(ctx, req, resp, base.ImportByInstance("instance_id"))
	if !ok {
		return
	}
	// The setting is read first: most settings are in the instance's record, so that is
	// the only request.
	setting, _, err := r.refreshed(ctx, id[0])
	if m := P(new(M)); err == nil && r.isSet != nil && m.tells(setting) && !r.isSet(setting) {
		resp.Diagnostics.AddAttributeError(path.Root("instance_id"), base.NothingToImport,
			fmt.Sprintf("The %s of instance %s were never set. Remove the import; the resource sets them.", r.what, id[0]))
		return
	}
	if errors.Is(err, client.ErrNotFound) && r.RequireInstance(ctx, "instance_id", id[0], &resp.Diagnostics) {
		resp.Diagnostics.AddAttributeError(path.Root("instance_id"), base.NothingToImport,
			fmt.Sprintf("Instance %s has no %s: the engine that has them is off. Turn it on in engines of the instance first.", id[0], r.what))
	}
}

func settingTimeouts(ctx context.Context) schema.Attribute {
	return attributes.ResourceTimeouts(ctx, timeouts.Opts{
		Create: true, CreateDescription: "How long to wait for the setting to take effect. Default `20m`.",
		Update: true, UpdateDescription: "How long to wait for a change. Default `20m`.",
		Delete: true, DeleteDescription: "How long to wait for the deletion. Default `20m`.",
	})
}
