package reports

import (
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// A page of a list is empty, and another one follows.
func TestEmptyPage(t *testing.T) {
	// begins puts an empty page before a list.
	begins := func(path, member string) trait {
		return trait{method: "GET", path: path, before: func(x *exchange) {
			if strings.Contains(x.query, "cursor") {
				x.query = ""
			} else {
				x.status, x.answer = 200, map[string]any{member: []any{}, "next_cursor": "more"}
			}
		}}
	}
	hcl := machine("") + web(onMachine, "") + orders(onMachine, "") + crypto(onMachine) + endpoint("https://hooks.example.com/in", "")
	pages := func(w *world) {
		for path, member := range map[string]string{
			instances: "instances", apps: "apps", builds: "builds", databases: "databases", extensions: "extensions", webhooks: "webhooks",
		} {
			w.behaves(begins(path, member))
		}
	}
	// late builds what the first redeploy asked for after its apply has ended. It counts for the triggers
	// that asked for it, and not for later ones.
	late := func(next string, more int) func(*world) {
		return func(w *world) {
			with := func(v string) string { return machine("") + web(onMachine, "redeploy_triggers = { v = \""+v+"\" }") }
			w.apply(with("1"))
			pages(w)
			remove := w.behaves(answers("POST", app+"/actions/redeploy", 502, "bad_gateway", "no answer"))
			w.run(with("2"), "apply").fails("unknown")
			remove()
			w.fake.EditApp(w.id(), "web", func(a *fakeservice.App) {
				a.Builds = append([]fakeservice.Build{{ID: "bld-late", Status: "successful", Commit: a.Builds[0].Commit}}, a.Builds...)
			})
			w.apply(with(next))
			w.settled(with(next))
			w.counts(1+more, "POST", app+"/actions/redeploy")
		}
	}
	report(t, "databricks/databricks-sdk-java#818", "an empty page that is not the last", situations{
		"all lists": func(w *world) {
			pages(w)
			w.apply(hcl)
			w.quiet(hcl)
			w.run(hcl, "destroy").succeeds()
		},
		"a lost creation": func(w *world) {
			pages(w)
			w.behaves(loses("POST", instances))
			w.apply(machine(""))
			w.settled(machine(""))
			w.counts(1, "POST", instances)
		},
		"a lost redeploy": func(w *world) {
			before, after := machine("")+web(onMachine, `redeploy_triggers = { v = "1" }`), machine("")+web(onMachine, `redeploy_triggers = { v = "2" }`)
			w.apply(before)
			pages(w)
			w.behaves(loses("POST", "/instances/*/apps/*/actions/redeploy"))
			w.apply(after)
			w.settled(after)
			w.be(w.builds() == 2, "builds: got %d, want 2", w.builds())
		},
		"a redeploy that comes late":                      late("2", 0),
		"a redeploy that comes late, and another trigger": late("3", 1),
		"something is gone": func(w *world) {
			w.apply(hcl)
			pages(w)
			w.fake.RemoveApp(w.id(), "web")
			w.run(hcl, "plan").changes(map[string]string{webAddress: "create"})
		},
	})
}
