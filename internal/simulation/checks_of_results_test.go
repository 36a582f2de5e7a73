package simulation

import (
	"fmt"
	"maps"
	"slices"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// checkConfigured checks that the service has what the configuration says, after an apply
// that has emptied the plan. skip says which addresses to leave out.
func (w *world) checkConfigured(c *cli, skip func(address string) bool) {
	for _, b := range c.blocks() {
		if c.get(b.address) == nil || skip(b.address) {
			continue
		}
		for _, other := range w.differs(c, b) {
			w.violate(inForce, "the plan of %s is empty, and %s", b.address, other)
		}
	}
}

// differs describes the differences between the service and a block.
func (w *world) differs(c *cli, b block) []string {
	unseen := w.unseenValues()
	switch b.kind {
	case "hosting_instance":
		i, _ := w.fake.Instance(c.text(b.address, "id"))
		return instanceDiffers(b, i, unseen)
	case "hosting_app":
		a, _ := w.fake.App(c.text(b.address, "instance_id"), c.text(b.address, "name"))
		return appDiffers(b, a, unseen, c.imported(c.importID(b.address)) || w.scenario.Begin == adopted)
	case "hosting_webhook_endpoint":
		for _, e := range w.fake.Webhooks() {
			if e.ID == c.text(b.address, "id") {
				return endpointDiffers(b, e, unseen)
			}
		}
		return []string{"there is no such endpoint"}
	}
	return nil
}

// unseenChanges are values that may have changed without a trace in a record or a state.
// builds is set if a failed build may be that of an action, which has reported it, or of the
// first variables of an imported app: its state has none of them, so the plan after a killed
// apply cannot be told from one that repeats the existing variables.
type unseenChanges struct{ secrets, env, links, budgets, plan, builds bool }

// unseenValues returns the values that Terraform cannot know: those that no record shows,
// if somebody else or a killed apply may have changed them. No record shows which values of
// secrets are in effect.
func (w *world) unseenValues() unseenChanges {
	killed := slices.ContainsFunc(w.scenario.Steps, func(s step) bool { return s.Cut.At > 0 && s.Cut.Kind != interrupt })
	late := slices.ContainsFunc(w.scenario.Steps, func(s step) bool {
		return slices.ContainsFunc(s.Strikes, func(k strike) bool { return k.Kind == lateCommit || k.Kind == timedOut })
	})
	changes := killed || late || w.othersAct()
	shapes, hides := w.scenario.Shapes, w.scenario.Hides
	return unseenChanges{
		secrets: changes,
		env:     changes && w.hidesVariables(),
		links:   changes && hides&hidesLinks != 0,
		budgets: changes && shapes&(engineNames|engineFlags) != 0,
		// A resize whose end was not seen and that is reverted stays, too: no second one is
		// sent, because the service refuses the plan that a machine has.
		plan:   hides&hidesPlan != 0,
		builds: killed && w.scenario.Begin == adopted || slices.ContainsFunc(w.scenario.Steps, func(s step) bool { return s.Verb == redeploy }),
	}
}

func instanceDiffers(b block, i fakeservice.Instance, unseen unseenChanges) []string {
	var all []string
	for _, name := range []string{"name", "plan", "region"} {
		if got := map[string]string{"name": i.Name, "plan": i.Plan, "region": i.Region}[name]; got != b.arguments[name] && (name != "plan" || !unseen.plan) {
			all = append(all, fmt.Sprintf("its %s is %s, not %s", name, got, b.arguments[name]))
		}
	}
	engines, _ := b.arguments["engines"].(map[string]any)
	for _, name := range sortedNames(engines) {
		engine := i.Engines[name]
		memory, asked := engines[name].(map[string]any)["memory_mb"].(int)
		switch {
		case engine == nil:
			all = append(all, "it has no engine "+name)
		case asked && engine.MemoryMB != memory && !unseen.budgets:
			all = append(all, fmt.Sprintf("the engine %s has %d MB, not %d", name, engine.MemoryMB, memory))
		}
	}
	return all
}

func appDiffers(b block, a fakeservice.App, unseen unseenChanges, imported bool) []string {
	var all []string
	if a.Branch != b.arguments["branch"] || a.Port != b.arguments["port"] || a.Public != b.arguments["public"] {
		all = append(all, fmt.Sprintf("it is built from %s, on port %d, public %t", a.Branch, a.Port, a.Public))
	}
	if links, _ := b.arguments["links"].([]string); !slices.Equal(slices.Sorted(slices.Values(a.Links)), links) && !unseen.links {
		all = append(all, fmt.Sprintf("its links are %v, not %v", a.Links, links))
	}
	env, given := b.arguments["env"].(map[string]any)
	secret, _ := b.arguments["secret_env_wo"].(map[string]any)
	for name, want := range env {
		if a.Env[name] != want && !unseen.env {
			all = append(all, fmt.Sprintf("its variable %s is %q, not %q", name, a.Env[name], want))
		}
	}
	for name, want := range secret {
		if got, there := a.Env[name]; !there && !unseen.env || there && got != want && !unseen.secrets {
			all = append(all, fmt.Sprintf("its secret variable %s is %q, not %q", name, got, want))
		}
	}
	for name := range maps.Keys(a.Env) {
		// An imported app keeps its variables until the configuration sets env.
		if env[name] == nil && secret[name] == nil && !unseen.env && (given || !imported) {
			all = append(all, fmt.Sprintf("it has the variable %s, which is not configured", name))
		}
	}
	if len(a.Builds) > 0 && a.Builds[0].Status != fakeservice.StatusSuccessful && !unseen.builds {
		all = append(all, fmt.Sprintf("its newest build %s is %s", a.Builds[0].ID, a.Builds[0].Status))
	}
	slices.Sort(all)
	return all
}

func endpointDiffers(b block, e fakeservice.Webhook, unseen unseenChanges) []string {
	var all []string
	if e.URL != b.arguments["url"] || e.Enabled != b.arguments["enabled"] {
		all = append(all, fmt.Sprintf("it posts to %s, enabled %t", e.URL, e.Enabled))
	}
	for _, name := range []string{"secret", "secret_wo"} {
		if want, given := b.arguments[name]; given && e.Secret != want && !unseen.secrets {
			all = append(all, fmt.Sprintf("its secret is %q, not %q", e.Secret, want))
		}
	}
	return all
}
