package instance

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/privatestate"
)

var (
	_ resource.ResourceWithConfigure      = &instanceResource{}
	_ resource.ResourceWithImportState    = &instanceResource{}
	_ resource.ResourceWithIdentity       = &instanceResource{}
	_ resource.ResourceWithModifyPlan     = &instanceResource{}
	_ resource.ResourceWithValidateConfig = &instanceResource{}
)

// A creation takes about 8 minutes (SERVICE.md#instances).
const (
	instanceCreateTimeout = 30 * time.Minute
	instanceUpdateTimeout = 30 * time.Minute
	instanceDeleteTimeout = 20 * time.Minute
)

// NewResource returns the resource hosting_instance.
func NewResource() resource.Resource { return &instanceResource{} }

type instanceResource struct{ base.Resource }

func (r *instanceResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_instance"
}

func (r *instanceResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	ctx = r.BeginApply(ctx, "create")
	var plan instanceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	ctx = base.WithInstanceName(ctx, plan.Name.ValueString())
	timeout, diags := plan.Timeouts.Create(ctx, instanceCreateTimeout)
	resp.Diagnostics.Append(diags...)
	plan.TagsAll = tagsAll(plan.Tags, r.DefaultTags)
	request := plan.newInstance(ctx, &resp.Diagnostics)
	if !r.MayCreate(ctx, &resp.Diagnostics) {
		return
	}
	created, err := r.create(ctx, request, timeout)
	if err != nil {
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to create instance "+request.Name.Value, err)
		return
	}
	if created.Adopted {
		resp.Diagnostics.AddWarning("Adopted existing instance "+request.Name.Value+": the response to the create request was lost", diagnostics.AdoptedText("Instance "+created.ID))
	}

	// From here on the machine exists. Its id is saved before anything else can fail.
	// Only a failed job may taint the instance, because the next apply destroys a tainted
	// one.
	plan.ID = types.StringValue(created.ID)
	saved := plan.withoutUnknowns()
	saved.Status = types.StringValue(client.StatusCreating)
	saved.CheckoutURL = attributes.StringOrNull(created.CheckoutURL)
	r.SetState(ctx, &resp.State, saved, &resp.Diagnostics)
	r.SetIdentity(ctx, resp.Identity, instanceIdentity{ID: saved.ID}, &resp.Diagnostics)
	work := base.PendingWork{Job: created.Pending.JobID, Creating: true, Switches: request.Engines}
	privatestate.Save(ctx, resp.Private, privatestate.PendingKey, work, &resp.Diagnostics)
	noteConfigured(ctx, resp.Private, plan.Engines, nil, &resp.Diagnostics)
	defer r.NoteCreated(ctx, resp.Private, &resp.Diagnostics)
	if created.CheckoutURL != "" {
		r.Planned.LeavesUnfinished(created.ID, request.Name.Value)
		resp.Diagnostics.AddWarning("Instance "+request.Name.Value+" waits for its checkout", checkoutText(created))
		return
	}

	begun := saved
	begun.Engines = enginesMap(engineSwitches(request.Engines))
	c := convergence{instanceResource: r, job: created.Pending.JobID, goal: goal{prior: begun, planned: plan, creating: true}, progress: progress{have: begun}}
	err = base.InTurn(ctx, r.Client, created.ID, timeout, func(ctx context.Context, turn *client.Turn) error {
		c.turn = turn
		return c.run(ctx)
	})
	switch {
	case err != nil && c.created:
		resp.Diagnostics.AddWarning("Instance "+request.Name.Value+" was created, but not all of it is as planned", incompleteText(c.have, plan, err))
		return
	case err != nil && !diagnostics.Failed(err):
		r.Planned.LeavesUnfinished(created.ID, request.Name.Value)
		resp.Diagnostics.AddWarning("Instance "+request.Name.Value+" is still being created", diagnostics.Unfinished("Instance "+created.ID, err))
		return
	case err != nil:
		work, saved.DeletionProtection = work.CreationFailed(saved.DeletionProtection)
		privatestate.Save(ctx, resp.Private, privatestate.PendingKey, work, &resp.Diagnostics)
		r.SetState(ctx, &resp.State, saved, &resp.Diagnostics)
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to finish creating instance "+request.Name.Value, err)
		return
	}
	base.ClearPending(ctx, resp.Private, &resp.Diagnostics)
	r.SetResult(ctx, base.Creating(req, resp), c.have)
}

// create requests the instance. If the response is lost, the create timeout also limits
// the search for the instance.
func (r *instanceResource) create(ctx context.Context, request client.NewInstance, timeout time.Duration) (client.Created, error) {
	ctx, cancel := base.WithTimeout(ctx, timeout)
	defer cancel()
	return r.Client.CreateInstance(ctx, request)
}

func checkoutText(created client.Created) string {
	return fmt.Sprintf("The plan is paid, so the creation of instance %s continues only once this page has been opened:\n\n%s\n\n"+
		"The instance is in the state and was requested once. Open the page, then apply again: the apply waits for the same instance.",
		created.ID, created.CheckoutURL)
}

// incompleteText states what a created instance still lacks.
func incompleteText(m, plan instanceModel, err error) string {
	missing := "its connection record was not read"
	asked, _ := enginesOf(plan.Engines)
	if there, _ := enginesOf(m.Engines); !sameEngines(asked, there) {
		missing = "its engines, or their budgets, are not all set"
	}
	return fmt.Sprintf("Instance %s was created, but %s. %s\n\n"+
		"The instance is in the state and not tainted. The next apply does what is missing.", m.ID.ValueString(), missing, diagnostics.Explain(err))
}

func (r *instanceResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state instanceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	work, pending := privatestate.Load[base.PendingWork](ctx, req.Private, privatestate.PendingKey, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	r.SetIdentity(ctx, resp.Identity, instanceIdentity{ID: state.ID}, &resp.Diagnostics)
	if r.Client == nil {
		return
	}
	mayAppear := r.MayAppear(ctx, work.Job)
	instance, err := r.record(ctx, state)
	if errors.Is(err, client.ErrNotFound) && mayAppear() && !r.IsElsewhere(ctx, req.Private, &resp.Diagnostics) {
		return // not listed yet, but it is being created
	}
	if errors.Is(err, client.ErrNotFound) {
		r.RemoveGone(ctx, req.Private, &resp.State, r.absent(state), &resp.Diagnostics)
		return
	}
	if err != nil {
		r.Service.AddReadError(&resp.Diagnostics, "Unable to read instance "+state.ID.ValueString(), err)
		return
	}
	r.FoundByRead(ctx, resp.Private, &resp.Diagnostics)
	given := state
	before, _ := enginesOf(state.Engines)
	host := state.Host
	unprotected := work.Protected || base.WasUnprotected(state.DeletionProtection, state.Status)
	state.setRecord(instance, r.DefaultTags)
	noteRegion(ctx, resp.Private, state, instance, &resp.Diagnostics)
	after, _ := enginesOf(state.Engines)
	changed := !slices.Equal(attributes.SortedKeys(before), attributes.SortedKeys(after)) || !state.Host.Equal(host)
	_, movedOn := privatestate.Load[bool](ctx, req.Private, privatestate.ConnectionKey, &resp.Diagnostics)
	if state.needsConnection() || state.runs() && (movedOn || changed) {
		r.setConnection(ctx, &state, &resp.Diagnostics)
	}
	if movedOn && !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, privatestate.ConnectionKey, nil)...)
	}
	creating := pending && work.Creating
	if creating && !state.ran() && !state.unfinished(creating) && r.wasCreated(ctx, work) {
		creating = false
		state.Engines = afterCreation(instance, work, state.Engines)
		base.ClearPending(ctx, resp.Private, &resp.Diagnostics)
	}
	if unprotected {
		state.DeletionProtection = base.ProtectionAfterFailure(state.ran())
	}
	switch {
	case creating && state.ran() && !state.unfinished(creating):
		state.Engines = afterCreation(instance, work, state.Engines)
		base.ClearPending(ctx, resp.Private, &resp.Diagnostics)
	case !pending && state.unfinished(creating):
		r.noteCreation(ctx, instance, resp.Private, &resp.Diagnostics)
	}
	if state.runs() {
		r.WarnOfJob(ctx, instance, "", &resp.Diagnostics)
	}
	if !reflect.DeepEqual(state, given) {
		r.SetState(ctx, &resp.State, state, &resp.Diagnostics)
	}
}

// afterCreation returns the engines of an instance that the provider has not seen run until
// now. The other engines and the budgets are set after the creation. So those that the
// record does not show have not been set, and are null for the next plan to set them.
func afterCreation(instance client.Instance, work base.PendingWork, planned types.Map) types.Map {
	switch {
	case work.Switches == nil: // imported
		return planned
	case instance.Engines.Set:
		return enginesMap(recordedEngines(instance.Engines.Value, nil))
	}
	return enginesMap(engineSwitches(work.Switches))
}

// wasCreated reports whether the job of a pending creation ended well. The instance has run
// then, even if its record shows no host.
func (r *instanceResource) wasCreated(ctx context.Context, work base.PendingWork) bool {
	if work.Job == "" {
		return false
	}
	job, err := r.Client.Job(ctx, work.Job)
	return err == nil && job.Done()
}

// absent describes the instance to RemoveGone and MayDelete.
func (r *instanceResource) absent(m instanceModel) base.AbsentObject {
	return base.AbsentObject{
		What: fmt.Sprintf("Instance %s (%s)", m.Name.ValueString(), m.ID.ValueString()),
		IsValuable: func(ctx context.Context) bool {
			plans, err := r.Client.Plans(ctx)
			plan, listed := plans.Plan(m.Plan.ValueString())
			protected := base.IsProtected(m.DeletionProtection) && !base.WasUnprotected(m.DeletionProtection, m.Status)
			return protected || err != nil || !listed || plan.PriceCents > 0
		},
	}
}

// record reads the instance's record for a refresh. That an instance has no engines or no
// tags any more counts only if its own record says so: a list may leave them out.
func (r *instanceResource) record(ctx context.Context, m instanceModel) (client.Instance, error) {
	r.Client.StartReadingAccountID(ctx)
	r.Client.Claim(m.ID.ValueString())
	instance, err := r.Client.RefreshInstance(ctx, m.ID.ValueString())
	hides := instance.Engines.Set && len(instance.Engines.Value) == 0 && len(m.Engines.Elements()) > 0 ||
		instance.Tags.Set && len(instance.Tags.Value) == 0 && len(m.TagsAll.Elements()) > 0
	if err == nil && hides {
		return r.Client.RefreshUnlistedInstance(ctx, m.ID.ValueString())
	}
	return instance, err
}

// noteCreation notes the creation of an instance that was imported while being created.
// Only the job proves that the instance has not run yet.
func (r *instanceResource) noteCreation(ctx context.Context, instance client.Instance, private privatestate.Writer, diags *diag.Diagnostics) {
	if instance.JobID == "" {
		return
	}
	job, err := r.Client.Job(ctx, instance.JobID)
	if err == nil && job.Operation == client.OpCreate {
		privatestate.Save(ctx, private, privatestate.PendingKey, base.PendingWork{Job: job.ID, Creating: true}, diags)
	}
}

// setConnection reads the connection record into the model.
func (r *instanceResource) setConnection(ctx context.Context, m *instanceModel, diags *diag.Diagnostics) {
	connection, err := r.Client.Connection(ctx, m.ID.ValueString())
	if err != nil {
		diagnostics.AddClientError(diags, "Unable to read the connection record of instance "+m.ID.ValueString(), err)
		return
	}
	m.setConnection(connection)
}

func (r *instanceResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	ctx = r.BeginApply(ctx, "update")
	base.IdentityOfState(ctx, resp.Identity, req.State, &resp.Diagnostics)
	var state, plan instanceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	ctx = base.WithInstanceName(ctx, plan.Name.ValueString())
	plan.TagsAll = tagsAll(plan.Tags, r.DefaultTags)
	timeout, diags := plan.Timeouts.Update(ctx, instanceUpdateTimeout)
	resp.Diagnostics.Append(diags...)
	pending, _ := privatestate.Load[base.PendingWork](ctx, req.Private, privatestate.PendingKey, &resp.Diagnostics)
	configured, _ := privatestate.Load[[]string](ctx, req.Private, privatestate.ConfiguredKey, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !base.KeepsObject("instance "+state.Name.ValueString(), &resp.Diagnostics, plan.replacing(state, keptRegion(ctx, req.Private, &resp.Diagnostics))) ||
		!r.MayChange(ctx, req.Private, &resp.Diagnostics) {
		return
	}
	id := state.ID.ValueString()
	r.Client.Claim(id)
	base.ProtectAtOnce(ctx, state.DeletionProtection, plan.DeletionProtection, &resp.State, &resp.Diagnostics)
	base.ForgetProtection(ctx, resp.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, privatestate.PlannedKey, nil)...)
	creating := pending.Creating
	m := state
	if m.unfinished(creating) && pending.Switches != nil {
		m.Engines = enginesMap(engineSwitches(pending.Switches)) // the other engines are still to be set
	}
	m.DeletionProtection, m.Timeouts = base.ProtectionDuring(state.DeletionProtection, plan.DeletionProtection), plan.Timeouts
	c := convergence{
		instanceResource: r, job: pending.Job, diags: &resp.Diagnostics,
		goal:     goal{prior: m, planned: plan, creating: creating, configured: configured, state: &state},
		progress: progress{have: m, created: !m.unfinished(creating)},
	}
	err := base.InTurn(ctx, r.Client, id, timeout, func(ctx context.Context, turn *client.Turn) error {
		c.turn = turn
		return c.run(ctx)
	})
	if err != nil && c.read {
		r.SetState(ctx, &resp.State, c.have, &resp.Diagnostics)
	}
	addUpdateError(&resp.Diagnostics, state, err)
	if err != nil || resp.Diagnostics.HasError() {
		noteConfigured(ctx, resp.Private, enginesAfter(err, plan, c.have), configured, &resp.Diagnostics)
		return
	}
	base.ClearPending(ctx, resp.Private, &resp.Diagnostics)
	noteConfigured(ctx, resp.Private, plan.Engines, nil, &resp.Diagnostics)
	if c.have.connectionMovedOn(plan) {
		privatestate.Save(ctx, resp.Private, privatestate.ConnectionKey, true, &resp.Diagnostics)
	}
	r.SetResult(ctx, base.Updating(req, resp), c.have)
}

// enginesAfter returns the planned engines that may be on after an update that ended in an
// error: all of them, but if the last change was refused or has failed, only those of the
// instance.
func enginesAfter(err error, planned, there instanceModel) types.Map {
	if !client.NothingDone(err) && !diagnostics.Failed(err) && !errors.Is(err, errRefused) {
		return planned.Engines
	}
	engines, _ := enginesOf(planned.Engines)
	on, _ := enginesOf(there.Engines)
	for _, name := range without(engines, on) {
		delete(engines, name)
	}
	return enginesMap(engines)
}

// addUpdateError reports the error of an update, unless a diagnostic has reported it.
func addUpdateError(diags *diag.Diagnostics, state instanceModel, err error) {
	switch {
	case err == nil, errors.Is(err, errRefused):
	case errors.As(err, new(*client.CheckoutError)):
		diagnostics.AddClientError(diags, state.title()+" still waits for its checkout", err)
	default:
		diagnostics.AddClientError(diags, "Unable to update instance "+state.ID.ValueString(), err)
	}
}

func (r *instanceResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	ctx = r.BeginApply(ctx, "delete")
	var state instanceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	ctx = base.WithInstanceName(ctx, state.Name.ValueString())
	timeout, diags := state.Timeouts.Delete(ctx, instanceDeleteTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	id := state.ID.ValueString()
	if !r.MayDelete(ctx, resp.Private, r.absent(state), r.LooksAtInstance(id), &resp.Diagnostics) {
		return
	}
	if successor := r.Planned.Unfinished(state.Name.ValueString()); successor != "" && !r.runs(ctx, successor) {
		resp.Diagnostics.AddError("Instance "+state.Name.ValueString()+" is kept until its successor runs",
			fmt.Sprintf("This apply has created instance %s of the same name, which does not run yet. "+
				"With create_before_destroy, the old instance %s would be destroyed now, and no machine would run. "+
				"It was not deleted. Once instance %s runs, apply again: that destroys the old one.", successor, id, successor))
		return
	}
	work, _ := privatestate.Load[base.PendingWork](ctx, req.Private, privatestate.PendingKey, &resp.Diagnostics)
	err := r.DeleteObject(ctx, base.Deletion{
		InstanceID: id, Timeout: timeout, Operation: client.OpDelete, Object: state.protectedObject(),
		IsProtected: func(ctx context.Context, _ *client.Turn) (bool, error) { return r.isProtected(ctx, state, work) },
		Send: func(ctx context.Context, turn *client.Turn, guard client.DeleteGuard) (client.Pending, error) {
			return turn.Delete(ctx, guard)
		},
	}, &resp.Diagnostics)
	if err != nil {
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to delete instance "+id, err)
	}
}

// runs reports whether the record of an instance shows that it runs.
func (r *instanceResource) runs(ctx context.Context, id string) bool {
	i, err := r.Client.Instance(ctx, id)
	return err == nil && i.Status == client.StatusRunning
}

// isProtected checks the protection again before a deletion, because ModifyPlan does not
// receive the state of a tainted instance. A state that shows that the instance never ran
// or is being deleted may be old. So the record is read too: a failed machine may have
// been repaired, and a deletion may have failed. If the creation is still in
// progress, isProtected waits for its end: the deletion would have to wait anyway, and
// would then destroy a running machine.
func (r *instanceResource) isProtected(ctx context.Context, state instanceModel, work base.PendingWork) (bool, error) {
	creating := work.Creating || state.DeletionProtection.IsNull()
	if !base.IsProtected(state.DeletionProtection) || state.protected(creating) {
		return base.IsProtected(state.DeletionProtection), nil
	}
	id := state.ID.ValueString()
	instance, err := r.Client.Instance(ctx, id)
	if err != nil {
		return false, base.IgnoreNotFound(err)
	}
	state.setRecord(instance, r.DefaultTags)
	creating = creating && !r.wasCreated(ctx, work)
	if instance.Status == client.StatusDeleting {
		return !state.neverRan(creating), nil // the deletion must have failed, or no second one would be sent
	}
	if state.protected(creating) || !state.unfinished(creating) {
		return state.protected(creating), nil
	}
	err = r.Client.WaitCreated(ctx, id, work.Job)
	switch {
	case errors.As(err, new(*client.CheckoutError)), diagnostics.Failed(err):
		return false, nil
	case errors.As(err, new(*client.MissingJobError)):
		// No wait could end. A status that is not listed may be one of a machine that runs.
		instance, readErr := r.Client.Instance(ctx, id)
		if readErr != nil {
			return false, base.IgnoreNotFound(readErr)
		}
		if state.setRecord(instance, r.DefaultTags); instance.Status == client.StatusCreating {
			return state.protected(creating), nil
		}
	}
	return err == nil, base.IgnoreNotFound(err)
}
