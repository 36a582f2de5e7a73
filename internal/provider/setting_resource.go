package provider

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

const settingTimeout = 20 * time.Minute

// A settingModel is the model of a setting: what differs between the allowlist,
// the console's mode and the auth engine's settings. S is the setting as the
// service has it.
type settingModel[M, S any] interface {
	*M

	instance() types.String
	timeouts() timeouts.Value
	// differsFrom tells whether the service has to be asked for anything, coming from a
	// prior model.
	differsFrom(prior *M) bool
	// setting is what the model asks for.
	setting() S
	// setRecord takes over what is in force. What is not told keeps its value.
	setRecord(S)
	// matches tells whether what is in force is what the model asks for.
	matches(S) bool
	// reset makes the model what destroying it leaves in force. It is false when
	// that needs nothing to be sent.
	reset() bool
}

// A settingService is where a setting is sent and read.
type settingService[S any] struct {
	operation string // of the job
	send      func(*client.Turn, context.Context, S) (client.Pending, error)
	// refresh reads what is in force on an instance, of the instance's record where
	// that holds it.
	refresh func(context.Context, *client.Client, string) (S, error)
	// read reads it alone.
	read func(*client.Client, context.Context, string) (S, error)
}

// A settingResource is a setting that an instance has as soon as it exists: to
// create it is to set it, to destroy it is to set it back. Nothing of one is
// saved before it is in force, so one that was interrupted is simply set again,
// and none is ever tainted and set back for that.
type settingResource[M, S any, P settingModel[M, S]] struct {
	resourceBase
	name    string // without the provider's prefix
	what    string // in messages, before "of instance"
	service settingService[S]
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

// of names the setting of an instance in messages.
func (r *settingResource[M, S, P]) of(m P) string {
	return r.what + " of instance " + m.instance().ValueString()
}

// object is the setting of an instance, whichever resource manages it.
func (r *settingResource[M, S, P]) object(m P) managedObject {
	return managedObject{r.what, m.instance().ValueString()}
}

// ModifyPlan refuses a second resource for the one setting of an instance: the two
// would overwrite each other with every apply. Where the instance's id is not known
// when planning, the apply plans again and refuses the second one then.
func (r *settingResource[M, S, P]) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.withoutRepeats(!req.State.Raw.IsNull(), &resp.Diagnostics)
	state, plan, ok := planning[M](ctx, req, &resp.Diagnostics)
	if !ok || plan == nil || !firstPlanned(ctx, req, resp, &resp.Diagnostics) {
		return
	}
	id := P(plan).instance()
	changes := state == nil || !id.Equal(P(state).instance()) || P(plan).differsFrom(state)
	if !id.IsUnknown() && r.planned.manages(r.object(plan), changes) {
		resp.Diagnostics.AddAttributeError(path.Root("instance_id"), "Two resources manage the "+r.of(plan),
			fmt.Sprintf("The configuration has another hosting_%s with the same instance_id. They manage the same setting and would overwrite each other with every apply. "+
				"Keep one of them, and remove the other from the configuration. If that one is already in the state, this command makes Terraform forget it without changing anything at the service:\n\n"+
				"terraform state rm hosting_%s.NAME", r.name, r.name))
	}
}

func (r *settingResource[M, S, P]) planUnchanged(ctx context.Context, m *M, private privateState, diags *diag.Diagnostics) bool {
	notePlanned(ctx, private, diags)
	return r.planned.keepsManaged(r.object(m))
}

func (r *settingResource[M, S, P]) readRecord(ctx context.Context, m *M, _ privateState, _ *diag.Diagnostics) bool {
	return r.refresh(ctx, m) == nil
}

func (r *settingResource[M, S, P]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	ctx = r.applying(ctx, "create")
	var plan M
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := P(&plan).timeouts().Create(ctx, settingTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.planned.makes(r.object(&plan))
	if err := r.put(ctx, &plan, timeout, &resp.Diagnostics); err != nil {
		addError(&resp.Diagnostics, "Unable to set the "+r.of(&plan), err)
		return
	}
	setResult(ctx, &resp.State, req.Plan, plan, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, settingIdentity{InstanceID: P(&plan).instance()})...)
}

// put sends what the model says, waits for its job and reads back what is then
// in force. That it could not be read back is a warning: it is in force.
func (r *settingResource[M, S, P]) put(ctx context.Context, m P, timeout time.Duration, diags *diag.Diagnostics) error {
	id := m.instance().ValueString()
	err := r.change(ctx, id, timeout, r.service.operation, func(ctx context.Context, turn *client.Turn) (client.Pending, error) {
		return r.service.send(turn, ctx, m.setting())
	})
	if err != nil {
		return err
	}
	there, err := readBack(ctx, func(ctx context.Context) (S, error) { return r.service.read(r.client, ctx, id) }, m.matches)
	if err != nil {
		diags.AddWarning("The "+r.of(m)+" could not be read back", "The change is in effect. "+explain(err))
		return nil
	}
	m.setRecord(there)
	return nil
}

// refresh reads what is in force into the model.
func (r *settingResource[M, S, P]) refresh(ctx context.Context, m P) error {
	there, err := once(ctx, func() (S, error) { return r.service.refresh(ctx, r.client, m.instance().ValueString()) })
	if err == nil {
		m.setRecord(there)
	}
	return err
}

func (r *settingResource[M, S, P]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state M
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, settingIdentity{InstanceID: P(&state).instance()})...)
	if r.client == nil {
		return
	}
	err := r.refresh(ctx, &state)
	switch {
	case errors.Is(err, client.ErrNotFound):
		removeGone(ctx, &resp.State, &resp.Diagnostics, "The "+r.of(&state))
	case err != nil:
		addError(&resp.Diagnostics, "Unable to read the "+r.of(&state), err)
	default:
		resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	}
}

func (r *settingResource[M, S, P]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	ctx = r.applying(ctx, "update")
	setIdentity(ctx, resp.Identity, req.State, &resp.Diagnostics)
	var plan, state M
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := P(&plan).timeouts().Update(ctx, settingTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if P(&plan).differsFrom(&state) {
		if err := r.put(ctx, &plan, timeout, &resp.Diagnostics); err != nil {
			addError(&resp.Diagnostics, "Unable to update the "+r.of(&plan), err)
			return
		}
	}
	setResult(ctx, &resp.State, req.Plan, plan, &resp.Diagnostics)
}

func (r *settingResource[M, S, P]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	ctx = r.applying(ctx, "delete")
	var state M
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := P(&state).timeouts().Delete(ctx, settingTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || r.planned.isMadeAnew(r.object(&state)) || !P(&state).reset() {
		return
	}
	err := r.put(ctx, &state, timeout, &resp.Diagnostics)
	if errors.Is(err, client.ErrNotFound) {
		// It is gone with its instance, or its engine, once that is confirmed.
		lookErr := r.refresh(ctx, &state)
		if errors.Is(lookErr, client.ErrNotFound) {
			return
		}
		err = errors.Join(err, lookErr)
	}
	if err != nil {
		addError(&resp.Diagnostics, "Unable to reset the "+r.of(&state), err)
	}
}

func (r *settingResource[M, S, P]) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id, ok := r.importNamed(ctx, req, resp, "instance_id")
	if !ok {
		return
	}
	// Not the instance first: most settings are in its record, which is read once.
	_, err := r.service.refresh(ctx, r.client, id[0])
	if errors.Is(err, client.ErrNotFound) && r.requireInstance(ctx, "instance_id", id[0], &resp.Diagnostics) {
		resp.Diagnostics.AddAttributeError(path.Root("instance_id"), nothingToImport,
			fmt.Sprintf("Instance %s has no %s: the engine that has them is off. Turn it on in engines of the instance first.", id[0], r.what))
	}
}

func settingTimeouts(ctx context.Context) schema.Attribute {
	return timeouts.Attributes(ctx, timeouts.Opts{
		Create: true, CreateDescription: "How long to wait for the setting to take effect. Default `20m`.",
		Update: true, UpdateDescription: "How long to wait for a change. Default `20m`.",
		Delete: true, DeleteDescription: "How long to wait when it is set back. Default `20m`.",
	})
}
