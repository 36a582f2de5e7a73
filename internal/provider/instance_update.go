package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// An instanceUpdate makes an instance what is planned, from wherever it stands:
// after its creation, when the plan changes it, or where an earlier apply was cut
// short.
type instanceUpdate struct {
	*instanceResource
	// prior is what the plan was made from: what it does not change is left alone.
	prior, planned instanceModel
	// stored is the plan as the service stores it, if that is noted to be another form.
	stored *instanceModel
	// creating tells that the instance was not seen to run yet. What it has beyond its
	// plan and what was configured before, the service has turned on: that stays.
	creating bool
	// configured are the engines that the configuration has had.
	configured []string
	// refuse says why engines must not be turned off. Nil refuses none.
	refuse func(off []string) error
	// save keeps what is true after a step.
	save func(instanceModel)
}

// run makes each change that is missing, and returns what is there in the end, or
// was when it failed.
func (u instanceUpdate) run(ctx context.Context, turn *client.Turn, m instanceModel) (instanceModel, error) {
	reached := u.prior // with the steps that this update has sent
	instance, err := u.current(ctx, turn, reached)
	if err != nil {
		return m, err
	}
	m.setRecord(instance, u.defaultTags)
	u.save(m)
	plans, err := u.client.Plans(ctx)
	if err != nil {
		return m, err
	}
	on, _ := enginesOf(m.Engines)
	wanted := u.planned
	steps := instanceDifference(u.prior, wanted, m, plans.Engines)
	if slices.ContainsFunc(steps, func(s instanceStep) bool { return s.engines != nil }) {
		engines, err := u.engines(on)
		if err != nil {
			return m, err // before anything is changed
		}
		wanted.Engines = enginesMap(engines)
		steps = instanceDifference(u.prior, wanted, m, plans.Engines)
	}
	budgets := func(i client.Instance) (map[string]client.EngineBudget, error) {
		there := recordedEngines(i.Engines.Value, on)
		engines, err := u.engines(there)
		return engineBudgets(engines, there), err
	}
	for i, step := range steps {
		if i > 0 { // somebody may have made the change while the last one was made
			if instance, err = u.current(ctx, turn, reached); err != nil {
				return m, err
			}
			there := m
			there.setRecord(instance, u.defaultTags)
			if !slices.ContainsFunc(instanceDifference(u.prior, wanted, there, plans.Engines), step.isLike) {
				step.applyTo(&m, wanted)
				continue
			}
		}
		begun := time.Now()
		if err := step.send(ctx, turn, budgets); err != nil {
			return m, err
		}
		step.applyTo(&m, wanted)
		step.applyTo(&reached, wanted)
		u.save(m)
		if turn.BusySince(begun) {
			return u.run(ctx, turn, m) // another job may have made the other changes
		}
	}
	if len(steps) > 0 {
		// It has run, but not every replica may know of that.
		instance, err = readBack(ctx, u.instance(turn), func(i client.Instance) bool { return hasRun(i) && u.isShown(wanted, i) })
		if err != nil {
			return m, err
		}
	}
	done := u.planned
	done.setRecord(instance, u.defaultTags)
	if done.needsConnection() || done.runs() && u.changes() {
		connection, err := connectionOf(ctx, u.client, turn.InstanceID(), anything)
		if err != nil {
			return m, err
		}
		done.setConnection(connection)
	}
	return done.withoutUnknowns(), nil
}

// current reads the instance before a step. A record that shows a part of the plan that
// this update has not sent is read again once reads no longer lag: an interrupted apply or
// a person may have made the change, but the read may also show the instance as it was
// before its last change. A creation has nothing before it. reached is the prior state with
// the steps that were sent.
func (u instanceUpdate) current(ctx context.Context, turn *client.Turn, reached instanceModel) (client.Instance, error) {
	instance, err := u.idle(ctx, turn)
	if err != nil || u.creating || !u.planned.isPartlyShown(reached, instance) {
		return instance, err
	}
	if waited, err := turn.AwaitFreshReads(ctx); err != nil || !waited {
		return instance, err
	}
	return u.idle(ctx, turn)
}

// idle reads the instance once no job is at work on it, and it has run. What an
// interrupted apply or a person has begun is seen to its end first, and shows once
// reads no longer lag.
func (u instanceUpdate) idle(ctx context.Context, turn *client.Turn) (client.Instance, error) {
	if !u.changes() {
		return readBack(ctx, u.instance(turn), hasRun)
	}
	instance, foreign, err := turn.AwaitIdle(ctx)
	if err != nil || hasRun(instance) && (!foreign || u.isShown(u.planned, instance)) {
		return instance, err
	}
	return readBack(ctx, u.instance(turn), func(i client.Instance) bool {
		return hasRun(i) && (!foreign || u.isShown(u.planned, i))
	})
}

// isShown reports whether a record shows what is wanted, in the form that the service
// stores.
func (u instanceUpdate) isShown(wanted instanceModel, i client.Instance) bool {
	return wanted.shows(u.prior, i) || u.stored != nil && u.stored.shows(u.prior, i)
}

// changes tells whether the plan changes anything at the service.
func (u instanceUpdate) changes() bool {
	return len(instanceDifference(u.prior, u.planned, u.prior, nil)) > 0
}

func hasRun(i client.Instance) bool { return i.Status != client.StatusCreating }

func (r *instanceResource) instance(turn *client.Turn) func(context.Context) (client.Instance, error) {
	return func(ctx context.Context) (client.Instance, error) { return r.client.Instance(ctx, turn.InstanceID()) }
}

// engines are those to set, given those that are on.
func (u instanceUpdate) engines(on map[string]types.Int64) (map[string]types.Int64, error) {
	engines, _ := enginesOf(u.planned.Engines)
	for _, name := range without(on, engines) {
		if u.creating && !slices.Contains(u.configured, name) {
			engines[name] = on[name]
		}
	}
	if u.refuse == nil {
		return engines, nil
	}
	return engines, u.refuse(without(on, engines))
}

// engineBudgets are engines as they are sent: one without a budget keeps the one
// that it has, or gets its floor where it is new.
func engineBudgets(planned, there map[string]types.Int64) map[string]client.EngineBudget {
	budgets := map[string]client.EngineBudget{}
	for name, memory := range planned {
		if memory.IsNull() || memory.IsUnknown() {
			memory = there[name]
		}
		budgets[name] = client.EngineBudget{MemoryMB: memory.ValueInt64Pointer()}
	}
	return budgets
}

// errRefused ends a change that a diagnostic has refused.
var errRefused = errors.New("refused")

// refuseUnseenLoss looks once more, right before an update sets the engines, at those
// that it would turn off: the plan may not have known which engines stay, and the state
// not which are on. What it refuses is errRefused, with the reason in diags.
func refuseUnseenLoss(state instanceModel, off, configured []string, diags *diag.Diagnostics) error {
	seen, _ := enginesOf(state.Engines)
	if state.refuseEngineLoss(off, configured, diags) {
		return errRefused
	}
	for _, name := range off {
		if !has(seen, name) {
			diags.AddAttributeError(path.Root("engines"), state.title()+" has an engine "+name+" that the plan did not show",
				fmt.Sprintf("The update would turn the %s engine of instance %s off and delete all of its data, but the engine was not in the state when the plan was made. "+
					"Nothing was turned off. Plan again without -refresh=false, and review that plan.", name, state.ID.ValueString()))
			return errRefused
		}
	}
	return nil
}
