package instance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
)

// An instanceUpdate changes an instance into the planned one. It works after the
// creation, for a change of the plan, and after an interrupted apply.
type instanceUpdate struct {
	*instanceResource
	// prior is the state that the plan was made from. Values that the plan does not
	// change are left alone.
	prior, planned instanceModel
	// creating is true if the provider has not seen the instance run yet. In that case an
	// engine that is neither planned nor in configured was turned on by the service, and
	// stays on.
	creating bool
	// configured are the engines that the configuration has had.
	configured []string
	// refuse returns an error if engines must not be turned off. If nil, all may be.
	refuse func(off []string) error
	// save saves the model as it is after a step.
	save func(instanceModel)
}

// run makes each missing change. It returns the final model, or on an error the model as
// far as run got.
func (u instanceUpdate) run(ctx context.Context, turn *client.Turn, m instanceModel) (instanceModel, error) {
	instance, err := u.idle(ctx, turn)
	if err != nil {
		return m, err
	}
	m.setRecord(instance, u.DefaultTags)
	u.save(m)
	plans, err := u.Client.Plans(ctx)
	if err != nil {
		return m, err
	}
	on, _ := enginesOf(m.Engines)
	wanted := u.planned
	steps := instanceDifference(u.prior, wanted, m, plans.Engines)
	if slices.ContainsFunc(steps, func(s instanceStep) bool { return s.engines != nil }) {
		if m.Engines.IsNull() {
			return m, UnknownEnginesError{}
		}
		engines, err := u.engines(on)
		if err != nil {
			return m, err // nothing has been changed yet
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
		if i > 0 { // another client may have made this change during the last step
			if instance, err = u.idle(ctx, turn); err != nil {
				return m, err
			}
			there := m
			there.setRecord(instance, u.DefaultTags)
			if !slices.ContainsFunc(instanceDifference(u.prior, wanted, there, plans.Engines), step.isLike) {
				step.applyTo(&m, wanted)
				continue
			}
		}
		if err := step.send(ctx, turn, budgets); err != nil {
			if !client.NothingDone(err) && !errors.Is(err, errRefused) {
				step.forget(&m, instance)
				u.save(m)
			}
			return m, err
		}
		step.applyTo(&m, wanted)
		u.save(m)
	}
	if len(steps) > 0 {
		// The instance has run, but some replicas may not show it yet.
		instance, err = client.ReadBack(ctx, u.Client, u.instance(turn), func(i client.Instance) bool { return base.HasRun(i) && wanted.shows(u.prior, i) })
		if err != nil {
			return m, err
		}
	}
	done := u.planned
	done.setRecord(instance, u.DefaultTags)
	attributes.SetRecordedWord(&done.Region, instance.Region) // SetResult reports another one
	done.Engines = u.withoutForeign(done.Engines)
	if done.needsConnection() || done.runs() && u.changes() {
		connection, err := u.Client.CompleteConnection(ctx, turn.InstanceID(), func(record client.Connection) bool {
			return record.Host != "" || !lacks(done.Host)
		})
		if err != nil {
			return m, err
		}
		done.setConnection(connection)
	}
	return done.withoutUnknowns(), nil
}

// idle reads the instance once it has run and no job is in progress. If another client or
// an interrupted apply has begun a change, idle waits for that job's end. The job may have
// made the planned engines or plan, so idle then waits until reads show them or can no
// longer lag.
func (u instanceUpdate) idle(ctx context.Context, turn *client.Turn) (client.Instance, error) {
	if !u.changes() {
		return client.ReadBack(ctx, u.Client, u.instance(turn), base.HasRun)
	}
	instance, waited, err := turn.AwaitIdle(ctx)
	isCurrent := func(i client.Instance) bool {
		missing := u.planned.missing(u.prior, i)
		return base.HasRun(i) && (!waited || !missing.engines && !missing.plan)
	}
	if err != nil || isCurrent(instance) {
		return instance, err
	}
	return client.ReadBack(ctx, u.Client, u.instance(turn), isCurrent)
}

// changes reports whether the plan changes anything at the service.
func (u instanceUpdate) changes() bool {
	return partsThatDiffer(u.prior, u.planned) != instanceParts{}
}

func (r *instanceResource) instance(turn *client.Turn) func(context.Context) (client.Instance, error) {
	return func(ctx context.Context) (client.Instance, error) { return r.Client.Instance(ctx, turn.InstanceID()) }
}

// engines returns the engines to set, including those in on that must stay on.
func (u instanceUpdate) engines(on map[string]types.Int64) (map[string]types.Int64, error) {
	engines, _ := enginesOf(u.planned.Engines)
	for _, name := range without(on, engines) {
		if u.isForeign(name) {
			engines[name] = on[name]
		}
	}
	if u.refuse == nil {
		return engines, nil
	}
	return engines, u.refuse(without(on, engines))
}

// isForeign reports whether the service itself turned on an engine that is not planned. It
// stays on.
func (u instanceUpdate) isForeign(engine string) bool {
	planned, _ := enginesOf(u.planned.Engines)
	return u.creating && !has(planned, engine) && !slices.Contains(u.configured, engine)
}

// withoutForeign returns the engines of a record that the plan can have asked for.
func (u instanceUpdate) withoutForeign(recorded types.Map) types.Map {
	engines, known := enginesOf(recorded)
	if !known {
		return recorded
	}
	maps.DeleteFunc(engines, func(name string, _ types.Int64) bool { return u.isForeign(name) })
	return enginesMap(engines)
}

// engineBudgets returns the engines in the form of a request. An engine without a budget
// keeps its current one, or gets the minimum if it is new.
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

// errRefused ends a change that was refused with a diagnostic.
var errRefused = errors.New("refused")

// refuseUnseenLoss checks again, right before an update sets the engines, which of them
// it would turn off. The plan may not have known which engines stay, and the state may
// not have shown which are on. On refusal it returns errRefused and puts the reason in
// diags.
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
