package instance

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
)

// This file decides what an apply does next about an instance. It reads and sends nothing. A
// convergence asks decide, carries out the step, notes the result, and asks again until nothing
// is left to do. A creation after its request, a change, and an apply that resumes one of them
// differ only in where they begin.

// A goal is the instance that a plan asks for. prior is the state that the plan was made from;
// values that the plan does not change are left alone. While a creation is unfinished, it has
// the engines that the creation turned on.
type goal struct {
	prior, planned instanceModel
	// creating reports that the provider has not seen the instance run yet. An engine that is
	// neither planned nor in configured was then turned on by the service, and stays on.
	creating bool
	// configured are the engines that the configuration has had.
	configured []string
	// state is what the plan may have seen of the engines, and their protection. It is nil for
	// a creation, which may turn off each engine.
	state *instanceModel
}

// A progress is how far one call has come.
type progress struct {
	have    instanceModel // the state, if the call ended now
	created bool          // the creation is over
	read    bool          // have comes from a record
	sent    bool          // the call has sent something
	done    instanceParts // what it has brought about
}

// seen is what a call has read.
type seen struct {
	there     *instanceModel               // nil if not read since the last request
	kinds     map[string]client.EngineKind // of the catalogue; nil if not read yet
	connected bool                         // the connection record was read
}

// A verb is a kind of step.
type verb int

const (
	awaitCreation  verb = iota // Wait until the instance has been created.
	readInstance               // Wait for other clients' jobs, and read the record.
	readResult                 // Read the record until it shows the plan.
	readCatalogue              // Read the floors of the engines.
	change                     // Send settings or tags.
	setEngines                 // Set the engines.
	resize                     // Change the plan.
	readConnection             // Read the connection record.
	finish                     // Nothing is left to do.
	refuse                     // Send nothing, and end with an error.
)

// A step is what a call does next.
type step struct {
	do       verb
	settings client.InstanceSettings // to send
	engines  map[string]types.Int64  // to set: all of them; a budget that is null or unknown stays
	off      []string                // engines that must not be turned off
	err      error                   // why nothing is sent
}

// decide returns the next step towards a goal.
func decide(g goal, p progress, s seen) step {
	changes := partsThatDiffer(g.prior, g.planned).without(p.done)
	switch {
	case !p.created:
		return step{do: awaitCreation}
	case s.there == nil && p.sent && changes == instanceParts{}:
		return step{do: readResult}
	case s.there == nil:
		return step{do: readInstance}
	}
	size := g.nextSize(s, changes)
	switch {
	case size.do == refuse, size.do == readCatalogue: // before anything is sent
		return size
	case changes.settings, changes.tags:
		return step{do: change, settings: g.settings(changes)}
	case size.do != finish:
		return size
	case !s.connected && (s.there.needsConnection() || s.there.runs() && g.changes()):
		return step{do: readConnection}
	}
	return step{do: finish}
}

// nextSize returns the next step that changes the engines or the plan, if one is missing from the
// record: sending it again could cost data or money. The order always fits both plans: the
// machine is resized before its engines need more memory, and after they need less.
func (g goal) nextSize(s seen, changes instanceParts) step {
	missing := changes.and(partsThatDiffer(*s.there, g.planned))
	if missing.engines && s.there.Engines.IsNull() {
		return step{do: refuse, err: UnknownEnginesError{}}
	}
	on, _ := enginesOf(s.there.Engines)
	wanted := g.planned
	asked, off := g.engines(on)
	wanted.Engines = enginesMap(asked)
	missing = missing.and(partsThatDiffer(*s.there, wanted)).and(partsThatDiffer(g.prior, wanted))
	switch {
	case missing.engines && g.mustKeep(off):
		return step{do: refuse, off: off, err: errRefused}
	case missing.engines && missing.plan && s.kinds == nil:
		return step{do: readCatalogue}
	case missing.plan && (!missing.engines || memorySum(asked, on, s.kinds) > memorySum(on, nil, s.kinds)):
		return step{do: resize}
	case missing.engines:
		return step{do: setEngines, engines: asked}
	}
	return step{do: finish}
}

// engines returns the engines to set, including those in on that stay on, and the names of
// those that are turned off.
func (g goal) engines(on map[string]types.Int64) (asked map[string]types.Int64, off []string) {
	asked, _ = enginesOf(g.planned.Engines)
	for _, name := range without(on, asked) {
		if g.isForeign(name) {
			asked[name] = on[name]
		}
	}
	return asked, without(on, asked)
}

// isForeign reports whether the service itself turned on an engine that is not planned. It
// stays on.
func (g goal) isForeign(engine string) bool {
	planned, _ := enginesOf(g.planned.Engines)
	return g.creating && !has(planned, engine) && !slices.Contains(g.configured, engine)
}

// mustKeep reports whether any of the engines must not be turned off.
func (g goal) mustKeep(off []string) bool {
	return slices.ContainsFunc(off, func(name string) bool { return g.state != nil && g.state.whyKept(name, g.configured) != "" })
}

// changes reports whether the plan changes anything at the service.
func (g goal) changes() bool { return partsThatDiffer(g.prior, g.planned) != instanceParts{} }

// settings returns the name and the tags to send. They are sent without a comparison, because
// that costs nothing.
func (g goal) settings(changes instanceParts) (request client.InstanceSettings) {
	attributes.Request(&g.planned.instanceSettings, &request, attributes.Changed(&g.prior.instanceSettings, &g.planned.instanceSettings))
	if changes.tags {
		request.Tags = client.Some(attributes.Sorted(attributes.ElementsOf(g.planned.TagsAll)))
	}
	return request
}

// take notes a record that was read. Engines and a plan that it shows already are not sent.
func (p *progress) take(g goal, there instanceModel) {
	if !p.read {
		p.have, p.read = there, true
	}
	changes, missing := partsThatDiffer(g.prior, g.planned), partsThatDiffer(there, g.planned)
	p.done.engines = p.done.engines || changes.engines && !missing.engines
	p.done.plan = p.done.plan || changes.plan && !missing.plan
}

// accept notes that a request has taken effect.
func (p *progress) accept(g goal, a step) {
	p.sent = true
	switch a.do {
	case change:
		p.done.settings, p.done.tags = true, true
		p.have.instanceSettings, p.have.Tags, p.have.TagsAll = g.planned.instanceSettings, g.planned.Tags, g.planned.TagsAll
	case setEngines:
		p.done.engines = true
		wanted := g.planned
		wanted.Engines = enginesMap(a.engines)
		p.have.Engines = wanted.withoutUnknowns().Engines
	case resize:
		p.done.plan = true
		p.have.Plan = g.planned.Plan
	}
}

// forget sets to null the budgets that a request of unknown outcome changes and the record does
// not show. The instance may have the change or not, so even a plan that reverts it differs
// from the state, and is carried out.
func (p *progress) forget(a step, shown client.Engines) {
	engines, known := enginesOf(p.have.Engines)
	for name, asked := range a.engines {
		memory, on := engines[name]
		if on && !asked.IsNull() && !asked.IsUnknown() && !asked.Equal(memory) && shown[name].MemoryMB == 0 {
			engines[name] = types.Int64Null()
		}
	}
	if a.engines != nil && known {
		p.have.Engines = enginesMap(engines)
	}
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

func (p instanceParts) without(q instanceParts) instanceParts {
	return instanceParts{p.settings && !q.settings, p.tags && !q.tags, p.engines && !q.engines, p.plan && !q.plan}
}

// missing returns the parts that the plan m changes of the prior state and that a record
// does not show.
func (m instanceModel) missing(prior instanceModel, i client.Instance) instanceParts {
	shown := m
	shown.setRecord(i, types.SetNull(types.StringType)) // the difference compares tags_all, so default tags do not matter
	return partsThatDiffer(prior, m).and(partsThatDiffer(shown, m))
}
