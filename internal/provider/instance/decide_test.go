package instance

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"pgregory.net/rapid"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/providertest"
)

// String returns the step as the tables of the tests write it.
func (s step) String() string {
	switch s.do {
	case change:
		var parts []string
		if s.settings.Name.Set {
			parts = append(parts, "name "+s.settings.Name.Value)
		}
		if s.settings.Tags.Set {
			parts = append(parts, "tags "+strings.Join(s.settings.Tags.Value, " "))
		}
		return strings.Join(parts, ", ")
	case setEngines:
		return "engines " + strings.Join(attributes.SortedKeys(s.engines), " ")
	}
	return map[verb]string{
		awaitCreation: "wait", readInstance: "read", readResult: "read back", readCatalogue: "read catalogue", resize: "plan",
		readConnection: "read connection", finish: "finish", refuse: "refuse",
	}[s.do]
}

// requests returns the requests of an apply that nothing disturbs.
func requests(g goal, there instanceModel, kinds map[string]client.EngineKind) (all []string) {
	p, s := progress{have: g.prior, created: true}, seen{there: &there, kinds: kinds, connected: true}
	for {
		switch next := decide(g, p, s); next.do {
		case change, setEngines, resize:
			all = append(all, next.String())
			p.accept(g, next)
			there.instanceSettings, there.TagsAll = p.have.instanceSettings, p.have.TagsAll
			if next.do == setEngines {
				there.Engines = p.have.Engines
			}
			if next.do == resize {
				there.Plan = p.have.Plan
			}
		case refuse:
			return append(all, next.String())
		default:
			return all
		}
	}
}

// sized returns an instance with a plan and engines. A budget of 0 means null, and a
// negative budget means unknown.
func sized(plan string, budgets map[string]int64) instanceModel {
	return instanceModel{ID: types.StringValue("i-one"), instanceSettings: instanceSettings{Name: types.StringValue("test")}, Region: types.StringValue("eu-central"), Plan: types.StringValue(plan), Engines: enginesMap(engines(budgets)), Tags: types.SetNull(types.StringType), TagsAll: providertest.Texts(), DeletionProtection: types.BoolValue(false)}
}

func TestRequestsOfAnApply(t *testing.T) {
	kinds := map[string]client.EngineKind{"postgres": {FloorMB: 256}, "redis": {FloorMB: 32}}
	tagged := func(m instanceModel, name string, tags ...string) instanceModel {
		elements := []attr.Value{}
		for _, tag := range tags {
			elements = append(elements, types.StringValue(tag))
		}
		m.Name, m.Tags = types.StringValue(name), types.SetValueMust(types.StringType, elements)
		m.TagsAll = m.Tags
		return m
	}
	plain := sized("small", map[string]int64{"postgres": 512})
	for name, row := range map[string]struct {
		there, planned instanceModel
		want           string
	}{
		"nothing":                        {plain, plain, "[]"},
		"a budget that is not asked for": {plain, sized("small", map[string]int64{"postgres": 0}), "[]"},
		"a budget that is not known":     {plain, sized("small", map[string]int64{"postgres": -1}), "[]"},
		"no tags, another way":           {plain, tagged(plain, "test"), "[]"},
		"a name":                         {plain, tagged(plain, "web"), "[name web]"},
		"tags":                           {plain, tagged(plain, "test", "b", "a"), "[tags a b]"},
		"name and tags at once":          {tagged(plain, "test", "a"), tagged(plain, "web"), "[name web, tags ]"},
		"a budget":                       {plain, sized("small", map[string]int64{"postgres": 600}), "[engines postgres]"},
		"an engine":                      {plain, sized("small", map[string]int64{"postgres": 0, "redis": 0}), "[engines postgres redis]"},
		"none is left":                   {plain, sized("small", nil), "[engines ]"},
		"a plan":                         {plain, sized("large", map[string]int64{"postgres": 512}), "[plan]"},
		"more on a bigger plan":          {plain, sized("large", map[string]int64{"postgres": 900}), "[plan engines postgres]"},
		"less on a smaller plan":         {plain, sized("free", map[string]int64{"postgres": 300}), "[engines postgres plan]"},
		"more by its floor":              {plain, sized("free", map[string]int64{"postgres": 0, "redis": 0}), "[plan engines postgres redis]"},
		"everything":                     {plain, tagged(sized("large", map[string]int64{"postgres": 900}), "web", "a"), "[name web, tags a plan engines postgres]"},
	} {
		if got := fmt.Sprint(requests(goal{prior: row.there, planned: row.planned}, row.there, kinds)); got != row.want {
			t.Errorf("%s: got %s, want %s", name, got, row.want)
		}
	}
}

// A change that is not in the plan is left alone. A change that the instance already
// shows is not sent again. The set of engines is sent whole, as planned.
func TestOnlyWhatIsMissingIsSent(t *testing.T) {
	small, large := sized("small", map[string]int64{"postgres": 512}), sized("large", map[string]int64{"postgres": 512})
	renamed := small
	renamed.Name = types.StringValue("web")
	more := sized("small", map[string]int64{"postgres": 512, "redis": 64})
	largeAndMore := sized("large", map[string]int64{"postgres": 512, "redis": 64})
	for name, row := range map[string]struct {
		prior, planned, there instanceModel
		want                  string
	}{
		"resized by somebody else, and not by the plan": {small, renamed, large, "[name web]"},
		"an engine of somebody else's":                  {small, renamed, more, "[name web]"},
		"resized already":                               {small, large, large, "[]"},
		"resized already, the engines to come":          {small, largeAndMore, large, "[engines postgres redis]"},
		"the engines set already":                       {small, largeAndMore, more, "[plan]"},
		"resized to another plan meanwhile":             {small, large, sized("free", map[string]int64{"postgres": 512}), "[plan]"},
	} {
		if got := fmt.Sprint(requests(goal{prior: row.prior, planned: row.planned}, row.there, map[string]client.EngineKind{})); got != row.want {
			t.Errorf("%s: got %s, want %s", name, got, row.want)
		}
	}
}

// Each row is one step. Its instance runs and was read, unless the row says otherwise.
func TestDecide(t *testing.T) {
	small := sized("small", map[string]int64{"postgres": 512})
	small.Status, small.Host, small.CACertificate = types.StringValue("running"), types.StringValue("h"), types.StringValue("ca")
	of := func(from instanceModel, budgets map[string]int64) instanceModel {
		from.Engines = enginesMap(engines(budgets))
		return from
	}
	renamed, protectedOne, hidden, bare := small, small, small, small
	renamed.Name, protectedOne.DeletionProtection = types.StringValue("web"), types.BoolValue(true)
	hidden.Engines, bare.CACertificate = types.MapNull(engineType), types.StringNull()
	redis, large := of(small, map[string]int64{"postgres": 512, "redis": 64}), of(small, map[string]int64{"postgres": 900})
	large.Plan = types.StringValue("large")
	both := []string{"postgres", "redis"}
	for name, row := range map[string]struct {
		goal
		there *instanceModel
		did   func(*progress)
		seen  seen
		want  string
	}{
		"it is being created": {goal: goal{prior: small, planned: small}, did: func(p *progress) { p.created = false }, want: "wait"},
		"nothing is read":     {goal: goal{prior: small, planned: renamed}, want: "read"},
		"something was sent":  {goal: goal{prior: small, planned: large}, did: func(p *progress) { p.sent, p.done.plan = true, true }, want: "read"},
		"sent, the rest was there": {goal: goal{prior: small, planned: large}, did: func(p *progress) {
			p.take(goal{prior: small, planned: large}, of(small, map[string]int64{"postgres": 900}))
			p.sent, p.done.plan = true, true
		}, want: "read back"},
		"all was sent":                    {goal: goal{prior: small, planned: renamed}, did: func(p *progress) { p.sent, p.done.settings = true, true }, want: "read back"},
		"nothing to do":                   {goal: goal{prior: small, planned: small}, there: &small, want: "finish"},
		"its connection is not known":     {goal: goal{prior: small, planned: small}, there: &bare, want: "read connection"},
		"a change, its connection unread": {goal: goal{prior: small, planned: renamed}, there: &renamed, did: func(p *progress) { p.sent, p.done.settings = true, true }, want: "read connection"},
		"a change, its connection read":   {goal: goal{prior: small, planned: renamed}, there: &renamed, did: func(p *progress) { p.sent, p.done.settings = true, true }, seen: seen{connected: true}, want: "finish"},
		"engines and a plan":              {goal: goal{prior: small, planned: large}, there: &small, want: "read catalogue"},
		"engines alone":                   {goal: goal{prior: small, planned: redis}, there: &small, want: "engines postgres redis"},
		"engines that are not known":      {goal: goal{prior: hidden, planned: redis}, there: &hidden, want: "refuse"},
		"engines that a record hides":     {goal: goal{prior: hidden, planned: hidden}, there: &hidden, want: "finish"},

		"an engine that goes":                  {goal: goal{prior: redis, planned: small, state: &redis, configured: both}, there: &redis, want: "engines postgres"},
		"an engine of a protected instance":    {goal: goal{prior: redis, planned: small, state: &protectedOne, configured: both}, there: &redis, want: "refuse"},
		"an engine that was never configured":  {goal: goal{prior: redis, planned: small, state: &redis, configured: []string{"postgres"}}, there: &redis, want: "refuse"},
		"an engine that the plan did not show": {goal: goal{prior: small, planned: large, state: &small, configured: both}, there: &redis, want: "refuse"},
		"the same before a new name":           {goal: goal{prior: redis, planned: of(renamed, map[string]int64{"postgres": 512}), state: &protectedOne, configured: both}, there: &redis, want: "refuse"},
		"an engine that the service turned on": {goal: goal{prior: small, planned: small, creating: true}, there: &redis, want: "finish"},
		"the same, and a budget":               {goal: goal{prior: small, planned: of(small, map[string]int64{"postgres": 600}), creating: true}, there: &redis, want: "engines postgres redis"},
		"one that the configuration had":       {goal: goal{prior: small, planned: of(small, map[string]int64{"postgres": 600}), creating: true, configured: both}, there: &redis, want: "engines postgres"},
	} {
		p := progress{have: row.prior, created: true}
		if row.did != nil {
			row.did(&p)
		}
		row.seen.there = row.there
		if got := decide(row.goal, p, row.seen).String(); got != row.want {
			t.Errorf("%s: got %s, want %s", name, got, row.want)
		}
	}
}

// A budget whose request has an unknown outcome is null in the state, unless the record shows
// it or the request did not change it.
func TestForgottenBudgets(t *testing.T) {
	before := sized("small", map[string]int64{"postgres": 512, "redis": 64, "nats": 64})
	p := progress{have: before}
	asked := engines(map[string]int64{"postgres": 600, "redis": 128, "nats": 64})
	p.forget(step{do: setEngines, engines: asked}, client.Engines{"postgres": {MemoryMB: 512}, "redis": {}, "nats": {}})
	if want := sized("small", map[string]int64{"postgres": 512, "redis": 0, "nats": 64}).Engines; !p.have.Engines.Equal(want) {
		t.Errorf("got %s, want %s", p.have.Engines, want)
	}
	p.have = before
	if p.forget(step{do: resize}, nil); !p.have.Engines.Equal(before.Engines) {
		t.Errorf("after a resize: got %s, want %s", p.have.Engines, before.Engines)
	}
}

// sizes draws an instance with a plan and with engines that fit it.
func sizes(plans client.Plans) *rapid.Generator[instanceModel] {
	return rapid.Custom(func(t *rapid.T) instanceModel {
		plan := rapid.SampledFrom(plans.Plans).Draw(t, "plan")
		budgets, left := map[string]int64{}, int64(plan.MemoryMB)
		for _, name := range []string{"postgres", "redis", "couchdb", "nats", "apps", "auth"} { // auth needs postgres and apps, so it comes after them
			floor := int64(plans.Engines[name].FloorMB)
			needs := name == "auth" && (budgets["postgres"] == 0 || budgets["apps"] == 0)
			if needs || floor > left || !rapid.Bool().Draw(t, name) {
				continue
			}
			budgets[name] = floor + rapid.Int64Range(0, left-floor).Draw(t, name+" budget")
			left -= budgets[name]
		}
		m := sized(plan.ID, budgets)
		m.Name = types.StringValue(rapid.SampledFrom([]string{"test", "web"}).Draw(t, "name"))
		m.Tags = attributes.SetOf(rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 3, rapid.ID[string]).Draw(t, "tags"), types.SetNull(types.StringType))
		m.TagsAll = tagsAll(m.Tags, types.SetNull(types.StringType))
		return m
	})
}

// For any two valid states of an instance, the service accepts every step from one to the
// other, and the result is as planned.
func TestInstanceStepsLeadToThePlan(t *testing.T) {
	tier.Change.Only(t)
	t.Parallel()
	const together = 100
	for first := 0; first < *providertest.Pairs; first += together {
		t.Run(fmt.Sprint("from pair ", first), func(t *testing.T) { stepsLeadToThePlan(t, first, first+together) })
	}
}

func stepsLeadToThePlan(t *testing.T, first, last int) {
	synctest.Test(t, func(t *testing.T) {
		fake := fakeservice.New(fakeservice.Options{APIKey: "key", RequestsKept: 1})
		defer func() { _ = fake.Close() }()
		refused := 0
		served := providertest.CountRefusals(fake, &refused)
		c, err := client.New(client.Options{BaseURL: "https://hosting.test/api/v1", APIKey: "key", Transport: gateway.Transport{Handler: served}})
		if err != nil {
			t.Fatal(err)
		}
		plans, err := c.Plans(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		draw := sizes(plans)
		for n := first; n < last; n++ {
			before, planned := draw.Example(2*n), draw.Example(2*n+1)
			id := fmt.Sprint("i-", n)
			before.ID, planned.ID = types.StringValue(id), types.StringValue(id)
			record := fakeservice.Instance{ID: id, Name: before.Name.ValueString(), Plan: before.Plan.ValueString(), Region: "eu-central",
				Tags: attributes.ElementsOf(before.Tags), Engines: map[string]*fakeservice.Engine{}}
			on, _ := enginesOf(before.Engines)
			for name, memory := range on {
				record.Engines[name] = &fakeservice.Engine{MemoryMB: int(memory.ValueInt64())}
			}
			fake.AddInstance(record)
			turn, err := c.Enter(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			done, err := converge(t, c, turn, before, planned)
			turn.Leave()
			if err != nil || refused > 0 {
				t.Fatalf("pair %d: from %s to %s: got %d refused and error %v, want none", n, shape(before), shape(planned), refused, err)
			}
			there, _ := fake.Instance(id)
			if partsThatDiffer(done, planned) != (instanceParts{}) || shape(done) != shape(planned) || there.Plan != planned.Plan.ValueString() || there.Name != planned.Name.ValueString() {
				t.Fatalf("pair %d: from %s: got %s, want %s", n, shape(before), shape(done), shape(planned))
			}
			fake.RemoveInstance(id)
		}
	})
}

// shape formats the name, tags, plan and engines of a model.
func shape(m instanceModel) string { return fmt.Sprint(m.Name, m.Tags, m.Plan, m.Engines) }
