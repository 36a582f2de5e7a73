package provider

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// read reads the instance, which a service that answers from replicas may still
// show as being created.
func (r *instanceResource) read(ctx context.Context, turn *client.Turn) (client.Instance, error) {
	return readBack(ctx, r.instance(turn), func(i client.Instance) bool { return i.Status != client.StatusCreating })
}

// bring makes an instance what is planned, from what its record says: it makes
// each change that is missing, and reads the result into m. done is called after
// each change, with what is true so far in m. accept may refuse to set the engines
// of an instance that has others by then; nil accepts them.
func (r *instanceResource) bring(ctx context.Context, turn *client.Turn, m *instanceModel, plan instanceModel, instance client.Instance, accept func(client.Instance) error, done func()) error {
	m.setRecord(instance)
	done()
	steps, err := r.changes(ctx, m, plan, accept)
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
	if planned.needsConnection() || planned.runs() && len(steps) > 0 {
		connection, err := r.client.Connection(ctx, turn.InstanceID())
		if err != nil {
			return err
		}
		planned.setConnection(connection)
	}
	*m = planned.withoutUnknowns()
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
func (r *instanceResource) changes(ctx context.Context, m *instanceModel, plan instanceModel, accept func(client.Instance) error) ([]step, error) {
	var steps []step
	if !m.Name.Equal(plan.Name) || !sameStrings(m.Tags, plan.Tags) {
		steps = append(steps, func(ctx context.Context, turn *client.Turn) error { return relabel(ctx, turn, m, plan) })
	}
	var sized []step
	asked, _ := enginesOf(plan.Engines)
	there, _ := enginesOf(m.Engines)
	if !sameEngines(asked, there) {
		sized = append(sized, func(ctx context.Context, turn *client.Turn) error { return setEngines(ctx, turn, m, plan, accept) })
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

// setEngines sets the whole set: those that are planned, and those that the
// provider does not know as they are.
func setEngines(ctx context.Context, turn *client.Turn, m *instanceModel, plan instanceModel, accept func(client.Instance) error) error {
	engines, _ := enginesOf(plan.Engines)
	choose := func(i client.Instance) (map[string]client.EngineBudget, error) {
		if accept != nil {
			if err := accept(i); err != nil {
				return nil, err
			}
		}
		there, _ := enginesOf(m.Engines)
		if i.Engines.Set {
			there, _ = enginesOf(enginesObject(i.Engines.Value, m.Engines))
		}
		budgets := foreignEngines(i.Engines.Value)
		for name, memory := range engines {
			if memory.IsNull() || memory.IsUnknown() {
				memory = there[name] // the present budget; none yet means the floor
			}
			budgets[name] = client.EngineBudget{MemoryMB: memory.ValueInt64Pointer()}
		}
		return budgets, nil
	}
	err := turn.Do(ctx, client.OpEngines, func(ctx context.Context) (client.Pending, error) { return turn.SetEngines(ctx, choose) })
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
