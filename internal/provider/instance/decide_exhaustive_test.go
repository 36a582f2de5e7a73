package instance

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// A world is a small model of the service with one instance, and of Terraform with its state.
// Only decide and the changes of a progress drive its calls.
type world struct {
	name, plan string
	engines    map[string]int64 // budgets in MB
	creation   string           // "running", "done" or "failed"
	// other is what another client does during the first call: "", or what it changes.
	other string

	state      instanceModel
	configured []string
	creating   bool // the note of a creation

	requests int
	problem  string
}

// kinds are the floors of the engines, and memory is what the plans have.
var (
	kinds  = map[string]client.EngineKind{"postgres": {FloorMB: 256}, "redis": {FloorMB: 64}}
	memory = map[string]int64{"small": 600, "large": 1200}
)

// An end is how a call ends before it is finished.
type end struct {
	at      int  // the number of the step before which it ends; -1 for never
	killed  bool // nothing is saved
	lost    bool // the step is a request, and no answer comes
	dropped bool // that request is not carried out
	fails   bool // each job fails
}

var calm, errCut = end{at: -1}, errors.New("the call was cut short")

func (w *world) clone() *world {
	c := *w
	c.engines = maps.Clone(w.engines)
	return &c
}

func (w *world) problemOf(format string, args ...any) {
	if w.problem == "" {
		w.problem = fmt.Sprintf(format, args...)
	}
}

// record returns the instance as the service shows it.
func (w *world) record() client.Instance {
	i := client.Instance{ID: "i-one", Plan: w.plan, Region: "eu-central", Status: client.StatusRunning, Host: "h"}
	i.Name, i.Tags = client.Some(w.name), client.Some([]string{})
	on := client.Engines{}
	for name, budget := range w.engines {
		on[name] = client.Engine{MemoryMB: client.Whole(budget)}
	}
	i.Engines = client.Some(on)
	switch w.creation {
	case "running":
		i.Status, i.Host = client.StatusCreating, ""
	case "failed":
		i.Status, i.Host = client.StatusFailed, ""
	}
	return i
}

// apply plays a call that makes the instance as planned. isNew reports that the same call has
// created it.
func (w *world) apply(planned instanceModel, isNew bool, e end) error {
	g := goal{prior: w.state, planned: planned, creating: w.creating, configured: w.configured}
	if state := w.state; !isNew {
		g.state = &state
	}
	if w.creating {
		g.prior.Engines = enginesMap(engines(map[string]int64{"postgres": 0})) // as the creation turned it on
	}
	p, s := progress{have: g.prior, created: !w.state.unfinished(w.creating)}, seen{}
	for n := 0; ; n++ {
		if n > 16 {
			w.problemOf("a call never ends")
			return errors.New("it never ends")
		}
		next := decide(g, p, s)
		isRequest := next.do == change || next.do == setEngines || next.do == resize
		err := error(nil)
		switch {
		case n == e.at && (!isRequest || !e.lost):
			err = errCut
		case isRequest:
			err = w.request(next, g, &p, n == e.at, e)
			s.there = nil
		default:
			err = w.step(next, g, &p, &s, e)
		}
		switch {
		case errors.Is(err, errCut) && e.killed:
			return err
		case err != nil:
			if p.read {
				w.state = p.have
			}
			return err
		case next.do == finish:
			w.state, w.creating = planned, false
			w.state.setRecord(w.record(), types.SetNull(types.StringType))
			asked, _ := enginesOf(planned.Engines)
			w.configured = slices.Collect(maps.Keys(asked))
			return nil
		}
	}
}

// step carries out a step that sends nothing.
func (w *world) step(next step, g goal, p *progress, s *seen, e end) error {
	switch next.do {
	case awaitCreation:
		if w.creation == "running" {
			w.creation = map[bool]string{false: "done", true: "failed"}[e.fails]
		}
		if p.created = w.creation == "done"; !p.created {
			return &client.JobError{}
		}
	case readInstance, readResult:
		if next.do == readInstance && w.other != "" { // as AwaitIdle does
			w.another(w.other)
			w.other = ""
		}
		there := p.have
		there.setRecord(w.record(), types.SetNull(types.StringType))
		p.take(g, there)
		s.there = &there
	case readCatalogue:
		s.kinds = kinds
	case readConnection:
		s.connected = true
	case refuse:
		return next.err
	}
	return nil
}

// another carries out the change of another client.
func (w *world) another(what string) {
	switch what {
	case "a name":
		w.name = "other"
	case "a plan":
		w.plan = "large"
	case "an engine":
		w.engines["redis"] = 64
	}
}

// request carries out a request.
func (w *world) request(next step, g goal, p *progress, isLost bool, e end) error {
	if w.creation != "done" {
		w.problemOf("a request was sent before the instance was created")
	}
	if isLost && e.dropped || e.fails {
		if isLost {
			p.forget(next, w.record().Engines.Value)
			return errCut
		}
		return &client.JobError{}
	}
	w.requests++
	switch next.do {
	case change:
		if next.settings.Name.Set {
			w.name = next.settings.Name.Value
		}
	case resize:
		if w.plan == g.planned.Plan.ValueString() {
			w.problemOf("a resize was sent that the record shows")
		}
		w.plan = g.planned.Plan.ValueString()
	case setEngines:
		w.setEngines(next, g)
	}
	var sum int64
	for _, budget := range w.engines {
		sum += budget
	}
	if sum > memory[w.plan] {
		w.problemOf("the engines need %d MB on plan %s", sum, w.plan)
	}
	if isLost {
		p.forget(next, w.record().Engines.Value)
		return errCut
	}
	p.accept(g, next)
	return nil
}

// setEngines replaces the engines. An engine loses its data only if the plan asks for that.
func (w *world) setEngines(next step, g goal) {
	before := w.engines
	w.engines = map[string]int64{}
	for name, budget := range next.engines {
		w.engines[name] = max(budget.ValueInt64(), before[name]*(1-min(1, budget.ValueInt64())), int64(kinds[name].FloorMB)*(1-min(1, before[name]+budget.ValueInt64())))
	}
	planned, _ := enginesOf(g.planned.Engines)
	shown, _ := enginesOf(w.state.Engines)
	for name := range before {
		_, stays := w.engines[name]
		switch {
		case stays:
		case has(planned, name), !slices.Contains(g.configured, name), !has(shown, name) && !w.creating, w.state.DeletionProtection.ValueBool() && g.state != nil:
			w.problemOf("the data of %s was lost", name)
		}
	}
	if maps.Equal(before, w.engines) {
		w.problemOf("engines were set that the record shows")
	}
}

// TestDecideExhaustively plays an apply from each beginning, for each plan: undisturbed, and cut
// short before each of its steps in each way. Applies that nothing disturbs follow.
func TestDecideExhaustively(t *testing.T) {
	t.Parallel()
	plays := 0
	found := map[string]bool{}
	sizes := []map[string]int64{
		{"postgres": 512}, {"postgres": 300}, {"postgres": 256, "redis": 64}, {"postgres": 0}, {"postgres": 0, "redis": 0}, {"postgres": 1000}, {"postgres": 900, "redis": 300},
	}
	fits := func(plan string, m instanceModel) bool {
		asked, _ := enginesOf(m.Engines)
		return memorySum(asked, nil, kinds) <= memory[plan]
	}
	for _, plan := range []string{"small", "large"} {
		for _, beginning := range sizes[:3] {
			for _, asked := range sizes {
				for _, plannedPlan := range []string{"small", "large"} {
					for _, name := range []string{"test", "web"} {
						for _, other := range []string{"", "a name", "a plan", "an engine"} {
							for _, protected := range []bool{false, true} {
								from := &world{name: "test", plan: plan, engines: maps.Clone(beginning), creation: "done", other: other, state: sized(plan, beginning)}
								from.state.DeletionProtection, from.state.Status, from.state.Host = types.BoolValue(protected), types.StringValue("running"), types.StringValue("h")
								from.state.CACertificate = types.StringValue("ca")
								from.configured = slices.Collect(maps.Keys(beginning))
								planned := from.state
								planned.Name, planned.Plan, planned.Engines = types.StringValue(name), types.StringValue(plannedPlan), enginesMap(engines(asked))
								if !fits(plannedPlan, planned) {
									continue
								}
								plays += play(t, found, fmt.Sprint(plan, beginning, " to ", plannedPlan, asked, name, " other: ", other, " protected: ", protected), from, planned, false)
								if other == "" && !protected && name == "test" && plan == plannedPlan {
									from = &world{name: "test", plan: plan, engines: map[string]int64{"postgres": 256}, creation: "running", creating: true, state: planned}
									from.state.Status, from.state.Host, from.state.CACertificate = types.StringValue("creating"), types.StringNull(), types.StringNull()
									plays += play(t, found, fmt.Sprint("creation of ", plannedPlan, asked), from, planned, true)
								}
							}
						}
					}
				}
			}
		}
	}
	t.Logf("%d plays", plays)
}

// play plays the first call in all ways, and what follows. It reports each problem once.
func play(t *testing.T, found map[string]bool, name string, from *world, planned instanceModel, isNew bool) (plays int) {
	t.Helper()
	for _, e := range []end{{}, {killed: true}, {lost: true}, {killed: true, lost: true}, {lost: true, dropped: true}, {killed: true, lost: true, dropped: true}, {fails: true}} {
		for e.at = -1; ; e.at++ {
			plays++
			w := from.clone()
			err := w.apply(planned, isNew, e)
			if problem := w.settles(planned, from, err); problem != "" && !found[problem] {
				found[problem] = true
				t.Errorf("%s. %s, %+v: the first call ends with %v", problem, name, e, err)
			}
			if e.at >= 0 && !errors.Is(err, errCut) || e.at < 0 && (e.killed || e.lost) { // the call has no such step
				break
			}
		}
	}
	return plays
}

// settles plays what follows a call, and returns what is wrong.
func (w *world) settles(planned instanceModel, before *world, first error) string {
	asked := partsThatDiffer(before.state, planned)
	refresh := func() { w.state.setRecord(w.record(), types.SetNull(types.StringType)) }
	for range 2 {
		if refresh(); w.creation == "failed" || errors.Is(first, errRefused) {
			return w.problem // it is replaced, or nothing was turned off
		}
		if first != nil {
			plan := planned
			plan.Status, plan.Host = w.state.Status, w.state.Host
			asked = asked.or(partsThatDiffer(w.state, plan))
			first = w.apply(plan, false, calm)
		}
	}
	engines, _ := enginesOf(planned.Engines)
	on, _ := enginesOf(w.state.Engines)
	foreign := without(on, engines)
	switch {
	case w.problem != "":
		return w.problem
	case first != nil && !errors.Is(first, errRefused):
		return "It does not converge: " + first.Error()
	case first != nil:
		return ""
	case asked.settings && w.name != planned.Name.ValueString(), asked.plan && w.plan != planned.Plan.ValueString():
		return "The plan is not in effect"
	case (asked.engines || before.creating) && (!sameEngines(engines, on) && len(foreign) == 0 || len(foreign) > 0 && before.other != "an engine"):
		return "The engines are not as planned"
	case !asked.plan && before.other == "a plan" && w.plan != "large", !asked.settings && before.other == "a name" && w.name != "other":
		return "A change was undone that no plan contains"
	}
	requests := w.requests
	if refresh(); w.apply(w.state, false, calm) != nil || w.requests != requests {
		return "An apply without changes sends something"
	}
	return w.problem
}

func (p instanceParts) or(q instanceParts) instanceParts {
	return instanceParts{p.settings || q.settings, p.tags || q.tags, p.engines || q.engines, p.plan || q.plan}
}
