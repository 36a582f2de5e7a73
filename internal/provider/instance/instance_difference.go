package instance

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
)

// An instanceStep is one request, with its job, that brings an instance nearer to its
// plan. Exactly one field is set.
type instanceStep struct {
	label   client.InstanceSettings
	engines map[string]types.Int64 // the complete set; a budget that is null or unknown stays
	plan    string
}

// instanceDifference returns the steps that make the planned changes, the differences
// between prior and planned. there is the instance as it is. Engines and a plan that it
// shows already are not sent again. A name and tags are sent without a comparison, because
// that costs nothing. The order of the steps always fits both plans: the machine is resized before its
// engines need more memory, and after they need less. A step that sends a whole set sends
// the planned one.
func instanceDifference(prior, planned, there instanceModel, kinds map[string]client.EngineKind) []instanceStep {
	changes := partsThatDiffer(prior, planned)
	missing := changes.and(partsThatDiffer(there, planned))
	var steps []instanceStep
	var label client.InstanceSettings
	attributes.Request(&planned.instanceSettings, &label, attributes.Changed(&prior.instanceSettings, &planned.instanceSettings))
	if changes.tags {
		label.Tags = client.Some(attributes.Sorted(attributes.ElementsOf(planned.TagsAll)))
	}
	if !client.IsEmpty(label) {
		steps = append(steps, instanceStep{label: label})
	}
	var sizes []instanceStep
	asked, _ := enginesOf(planned.Engines)
	on, _ := enginesOf(there.Engines)
	if missing.engines {
		sizes = append(sizes, instanceStep{engines: asked})
	}
	if missing.plan {
		sizes = append(sizes, instanceStep{plan: planned.Plan.ValueString()})
	}
	if memorySum(asked, on, kinds) > memorySum(on, nil, kinds) {
		slices.Reverse(sizes)
	}
	return append(steps, sizes...)
}

// instanceParts are the parts of an instance that a plan can change.
type instanceParts struct{ settings, tags, engines, plan bool }

// partsThatDiffer returns the parts in which two models differ. A plan that is not known,
// because an imported object's record lacks it, differs from none.
func partsThatDiffer(a, b instanceModel) instanceParts {
	engines, _ := enginesOf(a.Engines)
	others, _ := enginesOf(b.Engines)
	return instanceParts{
		settings: len(attributes.Differing(&a.instanceSettings, &b.instanceSettings)) > 0,
		tags:     !attributes.SameStrings(a.TagsAll, b.TagsAll),
		engines:  !sameEngines(others, engines),
		plan:     !lacks(a.Plan) && !a.Plan.Equal(b.Plan) && !attributes.IsWord(a.Plan, b.Plan.ValueString()),
	}
}

func (p instanceParts) and(q instanceParts) instanceParts {
	return instanceParts{p.settings && q.settings, p.tags && q.tags, p.engines && q.engines, p.plan && q.plan}
}

// isLike reports whether two steps change the same part of an instance.
func (s instanceStep) isLike(other instanceStep) bool {
	return client.IsEmpty(s.label) == client.IsEmpty(other.label) && (s.engines == nil) == (other.engines == nil)
}

// send sends the step and waits for its job. budgets returns the engines to set, computed
// from the instance's record.
func (s instanceStep) send(ctx context.Context, turn *client.Turn, budgets func(client.Instance) (map[string]client.EngineBudget, error)) error {
	switch {
	case !client.IsEmpty(s.label):
		return turn.Do(ctx, client.OpUpdate, func(ctx context.Context) (client.Pending, error) { return turn.Update(ctx, s.label) })
	case s.engines != nil:
		return turn.Do(ctx, client.OpEngines, func(ctx context.Context) (client.Pending, error) { return turn.SetEngines(ctx, budgets) })
	}
	return turn.Do(ctx, client.OpResize, func(ctx context.Context) (client.Pending, error) { return turn.Resize(ctx, s.plan) })
}

// forget sets to null the budgets that the step changes and the instance's record does not
// show. The instance may have the change or not, so even a plan that reverts it differs
// from the state, and is carried out.
func (s instanceStep) forget(m *instanceModel, there client.Instance) {
	engines, known := enginesOf(m.Engines)
	for name, asked := range s.engines {
		memory, on := engines[name]
		if on && !asked.IsNull() && !asked.IsUnknown() && !asked.Equal(memory) && there.Engines.Value[name].MemoryMB == 0 {
			engines[name] = types.Int64Null()
		}
	}
	if s.engines != nil && known {
		m.Engines = enginesMap(engines)
	}
}

// applyTo changes the model in the same way as the step changes the instance.
func (s instanceStep) applyTo(m *instanceModel, planned instanceModel) {
	switch {
	case !client.IsEmpty(s.label):
		m.instanceSettings, m.Tags, m.TagsAll = planned.instanceSettings, planned.Tags, planned.TagsAll
	case s.engines != nil:
		m.Engines = planned.withoutUnknowns().Engines
	default:
		m.Plan = planned.Plan
	}
}

// shows reports whether a record shows everything that the plan m changes of the prior
// state.
func (m instanceModel) shows(prior instanceModel, i client.Instance) bool {
	return m.missing(prior, i) == instanceParts{}
}

// missing returns the parts that the plan m changes of the prior state and that a record
// does not show.
func (m instanceModel) missing(prior instanceModel, i client.Instance) instanceParts {
	shown := m
	shown.setRecord(i, types.SetNull(types.StringType)) // the difference compares tags_all, so default tags do not matter
	return partsThatDiffer(prior, m).and(partsThatDiffer(shown, m))
}
