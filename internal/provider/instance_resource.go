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
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

var (
	_ resource.ResourceWithConfigure      = &instanceResource{}
	_ resource.ResourceWithImportState    = &instanceResource{}
	_ resource.ResourceWithIdentity       = &instanceResource{}
	_ resource.ResourceWithModifyPlan     = &instanceResource{}
	_ resource.ResourceWithValidateConfig = &instanceResource{}
)

// A creation takes about 8 minutes (service.md, "Limits").
const (
	instanceCreateTimeout = 30 * time.Minute
	instanceUpdateTimeout = 30 * time.Minute
	instanceDeleteTimeout = 20 * time.Minute
)

func newInstanceResource() resource.Resource { return &instanceResource{} }

type instanceResource struct{ resourceBase }

func (r *instanceResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_instance"
}

func (r *instanceResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan instanceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Create(ctx, instanceCreateTimeout)
	resp.Diagnostics.Append(diags...)
	request := plan.newInstance(ctx, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	created, err := r.create(ctx, request, timeout)
	if err != nil {
		addError(&resp.Diagnostics, "Unable to create instance "+request.Name, err)
		return
	}
	if created.Adopted {
		resp.Diagnostics.AddWarning("Instance "+request.Name+" was found after its creation's answer was lost", adoptedText(created.ID))
	}

	// From here on there is a machine. Its id is saved before anything else can
	// fail, and nothing but a failed job may taint it: a tainted instance is
	// destroyed by the next apply.
	plan.ID = types.StringValue(created.ID)
	saved := plan.withoutUnknowns()
	saved.Status = types.StringValue(client.StatusCreating)
	saved.CheckoutURL = stringOrNull(created.CheckoutURL)
	resp.Diagnostics.Append(resp.State.Set(ctx, saved)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, instanceIdentity{ID: saved.ID})...)
	savePrivate(ctx, resp.Private, pendingKey, pendingWork{Job: created.Pending.JobID, Creating: true, Switches: request.Engines}, &resp.Diagnostics)
	if created.CheckoutURL != "" {
		resp.Diagnostics.AddWarning("Instance "+request.Name+" waits for its checkout", checkoutText(created))
		return
	}

	finished := saved
	finished.Engines = engineSwitches(request.Engines)
	err = inTurn(ctx, r.client, created.ID, timeout, func(ctx context.Context, turn *client.Turn) error {
		return r.bring(ctx, turn, &finished, plan, created.Pending.JobID, func() {})
	})
	switch {
	case err != nil && !failed(err):
		resp.Diagnostics.AddWarning("Instance "+request.Name+" is still being created", unfinishedText(created.ID, created.Pending.JobID, err))
		return
	case err != nil:
		addError(&resp.Diagnostics, "Unable to finish creating instance "+request.Name, err)
		return
	}
	clearPending(ctx, resp.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, finished)...)
}

// create asks for the instance. Looking for one whose answer was lost is bounded
// by the create timeout too.
func (r *instanceResource) create(ctx context.Context, request client.NewInstance, timeout time.Duration) (client.Created, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return r.client.CreateInstance(ctx, request)
}

func adoptedText(id string) string {
	return fmt.Sprintf("The service's answer to the creation was lost on the way. Instance %s was not there before and is what was asked for, "+
		"so it is taken for the one that this apply made, and no second one was asked for. "+
		"If somebody else made an equal instance in that very moment, compare it with the portal.", id)
}

func checkoutText(created client.Created) string {
	return fmt.Sprintf("The plan is paid, so the creation of instance %s (job %s) goes on only once this page is opened:\n\n%s\n\n"+
		"The instance is in the state and was asked for once. Open the page, then apply again: the apply waits for the same job.",
		created.ID, created.Pending.JobID, created.CheckoutURL)
}

func unfinishedText(id, job string, err error) string {
	return fmt.Sprintf("%s\n\nInstance %s is in the state and not tainted; its creation is job %s, which the service carries on with. "+
		"Apply again to wait for the same job.", sentence(err.Error()), id, job)
}

func (r *instanceResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state instanceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	work, pending := loadPrivate[pendingWork](ctx, req.Private, pendingKey, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, instanceIdentity{ID: state.ID})...)
	if r.client == nil {
		return
	}
	r.client.Claim(state.ID.ValueString())
	instance, err := r.client.RefreshInstance(ctx, state.ID.ValueString())
	if errors.Is(err, client.ErrNotFound) && pending && r.inProgress(ctx, work.Job) {
		return // not shown yet; it is being created all the same
	}
	if errors.Is(err, client.ErrNotFound) {
		resp.Diagnostics.AddWarning("Instance "+state.Name.ValueString()+" is gone",
			fmt.Sprintf("The service does not know instance %s any more, so it is removed from the state. Apply creates a new one while the configuration has it.", state.ID.ValueString()))
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		addError(&resp.Diagnostics, "Unable to read instance "+state.ID.ValueString(), err)
		return
	}
	state.setRecord(instance)
	r.setConnection(ctx, &state, &resp.Diagnostics)
	if !state.unfinished() {
		clearPending(ctx, resp.Private, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// setConnection reads the connection record where the model needs it.
func (r *instanceResource) setConnection(ctx context.Context, m *instanceModel, diags *diag.Diagnostics) {
	if !m.needsConnection() {
		return
	}
	connection, err := r.client.Connection(ctx, m.ID.ValueString())
	if err != nil {
		addError(diags, "Unable to read the connection record of instance "+m.ID.ValueString(), err)
		return
	}
	m.setConnection(connection)
}

func (r *instanceResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	setIdentity(ctx, resp.Identity, req.State, &resp.Diagnostics)
	var state, plan instanceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Update(ctx, instanceUpdateTimeout)
	resp.Diagnostics.Append(diags...)
	pending, _ := loadPrivate[pendingWork](ctx, req.Private, pendingKey, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	id := state.ID.ValueString()
	r.client.Claim(id)
	if state.unfinished() && pending.Switches != nil {
		state.Engines = engineSwitches(pending.Switches) // the others are still to be set
	}
	state.DeletionProtection, state.Timeouts = plan.DeletionProtection, plan.Timeouts
	err := inTurn(ctx, r.client, id, timeout, func(ctx context.Context, turn *client.Turn) error {
		return r.bring(ctx, turn, &state, plan, pending.Job, func() {
			resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
		})
	})
	if err != nil {
		addError(&resp.Diagnostics, "Unable to update instance "+id, err)
		return
	}
	clearPending(ctx, resp.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// bring makes an instance what is planned, from wherever it stands: it waits for
// a creation that still runs, then makes each change that is missing, and reads
// the result into m. done is called after each change, with what is true so far
// in m.
func (r *instanceResource) bring(ctx context.Context, turn *client.Turn, m *instanceModel, plan instanceModel, job string, done func()) error {
	if m.unfinished() {
		if err := r.client.WaitCreated(ctx, turn.InstanceID(), job); err != nil {
			return err
		}
	}
	instance, err := readBack(ctx, r.instance(turn), func(i client.Instance) bool { return i.Status != client.StatusCreating })
	if err != nil {
		return err
	}
	m.setRecord(instance)
	done()
	steps, err := r.changes(ctx, m, plan)
	if err != nil {
		return err
	}
	for _, step := range steps {
		if err := step(ctx, turn); err != nil {
			return err
		}
		done()
	}
	instance, err = readBack(ctx, r.instance(turn), func(i client.Instance) bool { return m.shownBy(i) })
	if err != nil {
		return err
	}
	planned := plan
	planned.setRecord(instance)
	connection, err := r.client.Connection(ctx, turn.InstanceID())
	if err != nil {
		return err
	}
	planned.setConnection(connection)
	*m = planned
	return nil
}

func (r *instanceResource) instance(turn *client.Turn) func(context.Context) (client.Instance, error) {
	return func(ctx context.Context) (client.Instance, error) { return r.client.Instance(ctx, turn.InstanceID()) }
}

// A step is one change of an instance, its job included.
type step func(context.Context, *client.Turn) error

// changes are the steps from what is there to what is planned, in an order that
// always fits: to a bigger plan the machine grows before its engines do, to a
// smaller one the engines shrink first.
func (r *instanceResource) changes(ctx context.Context, m *instanceModel, plan instanceModel) ([]step, error) {
	var steps []step
	if !m.Name.Equal(plan.Name) || !sameStrings(m.Tags, plan.Tags) {
		steps = append(steps, func(ctx context.Context, turn *client.Turn) error { return relabel(ctx, turn, m, plan) })
	}
	var sized []step
	asked, _ := enginesOf(plan.Engines)
	there, _ := enginesOf(m.Engines)
	if !sameEngines(asked, there) {
		sized = append(sized, func(ctx context.Context, turn *client.Turn) error { return setEngines(ctx, turn, m, plan) })
	}
	if !m.Plan.Equal(plan.Plan) {
		sized = append(sized, func(ctx context.Context, turn *client.Turn) error { return resize(ctx, turn, m, plan) })
	}
	if len(sized) == 2 {
		shrinks, err := r.shrinks(ctx, m.Plan.ValueString(), plan.Plan.ValueString())
		if err != nil {
			return nil, err
		}
		if !shrinks {
			slices.Reverse(sized)
		}
	}
	return append(steps, sized...), nil
}

func (r *instanceResource) shrinks(ctx context.Context, from, to string) (bool, error) {
	plans, err := r.client.Plans(ctx)
	if err != nil {
		return false, err
	}
	before, _ := plans.Plan(from)
	after, _ := plans.Plan(to)
	return after.MemoryMB < before.MemoryMB, nil
}

func relabel(ctx context.Context, turn *client.Turn, m *instanceModel, plan instanceModel) error {
	var change client.InstanceChange
	var diags diag.Diagnostics // strings make strings
	if !m.Name.Equal(plan.Name) {
		change.Name = plan.Name.ValueStringPointer()
	}
	if !sameStrings(m.Tags, plan.Tags) {
		tags := stringsOf(ctx, plan.Tags, &diags)
		change.Tags = &tags
	}
	err := turn.Do(ctx, client.OpUpdate, func(ctx context.Context) (client.Pending, error) { return turn.Update(ctx, change) })
	if err == nil {
		m.Name, m.Tags = plan.Name, plan.Tags
	}
	return err
}

func resize(ctx context.Context, turn *client.Turn, m *instanceModel, plan instanceModel) error {
	err := turn.Do(ctx, client.OpResize, func(ctx context.Context) (client.Pending, error) {
		return turn.Resize(ctx, plan.Plan.ValueString())
	})
	if err == nil {
		m.Plan = plan.Plan
	}
	return err
}

func setEngines(ctx context.Context, turn *client.Turn, m *instanceModel, plan instanceModel) error {
	engines, _ := enginesOf(plan.Engines)
	there, _ := enginesOf(m.Engines)
	budgets := map[string]client.EngineBudget{}
	for name, memory := range engines {
		if memory.IsNull() || memory.IsUnknown() {
			memory = there[name] // the present budget; none yet means the floor
		}
		budgets[name] = client.EngineBudget{MemoryMB: memory.ValueInt64Pointer()}
	}
	err := turn.Do(ctx, client.OpEngines, func(ctx context.Context) (client.Pending, error) { return turn.SetEngines(ctx, budgets) })
	if err == nil {
		m.Engines = plan.withoutUnknowns().Engines
	}
	return err
}

// sameStrings tells whether two sets hold the same, where null is empty.
func sameStrings(a, b types.Set) bool {
	return a.Equal(b) || len(a.Elements()) == 0 && len(b.Elements()) == 0
}

// shownBy tells whether a record shows what was changed.
func (m *instanceModel) shownBy(i client.Instance) bool {
	shown := *m
	shown.setRecord(i)
	asked, _ := enginesOf(m.Engines)
	there, _ := enginesOf(shown.Engines)
	return shown.Name.Equal(m.Name) && shown.Plan.Equal(m.Plan) && sameStrings(shown.Tags, m.Tags) && sameEngines(asked, there)
}

func (r *instanceResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state instanceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Delete(ctx, instanceDeleteTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	// ModifyPlan is not asked about every deletion (-replace, a tainted
	// instance), so the protection is looked at here as well.
	if state.protected() {
		addProtected(&resp.Diagnostics, path.Root("deletion_protection"), state)
		return
	}
	id := state.ID.ValueString()
	err := r.change(ctx, id, timeout, client.OpDelete, func(ctx context.Context, turn *client.Turn) (client.Pending, error) { return turn.Delete(ctx) })
	if err != nil {
		addError(&resp.Diagnostics, "Unable to delete instance "+id, err)
	}
}
