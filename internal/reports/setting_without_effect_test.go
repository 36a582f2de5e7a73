package reports

import (
	"sync"
	"testing"
	"time"
)

// late shows the value that a field had before, for a time after a change was sent.
func late(d time.Duration, method, path, field string, before any) trait {
	var mu sync.Mutex
	var since time.Time
	return trait{after: func(x *exchange) {
		mu.Lock()
		defer mu.Unlock()
		if (trait{method: method, path: path}).matches(x) && x.status < 300 {
			since = time.Now()
		}
		if x.method == "GET" && !since.IsZero() && time.Since(since) < d && x.status == 200 {
			walkObjects(x.answer, func(o map[string]any) {
				if _, there := o[field]; there {
					o[field] = before
				}
			})
		}
	}}
}

// The job of a change is done, and the record keeps its value. That is not another form of
// the value: the change was not made.
func TestSettingWithoutEffect(t *testing.T) {
	const asked = "203.0.113.0/24"
	walls := machine("") + list(`["`+asked+`"]`)
	// unchanged makes a change whose field the service never shows.
	unchanged := func(before, after, address, argument, field string, old any, kept any) func(*world) {
		return func(w *world) {
			w.free("medium")
			w.apply(before)
			w.behaves(shows("", field, old))
			w.run(after, "apply").failsOn(argument).lacks("in effect", "write in the configuration")
			w.holds(kept, address, argument)
		}
	}
	report(t, "stackitcloud/terraform-provider-stackit#1678", "a setting without effect", situations{
		"the first allowlist": func(w *world) {
			w.behaves(shows("", "allowlist", []any{}))
			w.run(walls, "apply").fails(asked).lacks("the change is in effect", "write in the configuration")
			w.be(w.cli.Attribute(listAddress, "cidrs") == nil, "the allowlist is in the state")
			w.run(walls, "apply").fails(asked)
		},
		"another allowlist": func(w *world) {
			w.apply(machine("") + list(`["198.51.100.0/24"]`))
			w.behaves(shows("", "allowlist", []any{"198.51.100.0/24"}))
			w.run(walls, "apply").fails(asked, "198.51.100.0/24").lacks("the change is in effect", "write in the configuration")
			w.holds([]any{"198.51.100.0/24"}, listAddress, "cidrs")
		},
		"an allowlist that is shown after 40 seconds": func(w *world) {
			w.behaves(late(40*time.Second, "PUT", allowlist, "allowlist", []any{}))
			w.apply(walls).lacks("in its own form", "still shows")
			w.settled(walls)
			w.counts(1, "PUT", allowlist)
		},
		"console mode": unchanged(machine("")+resource("hosting_console_mode.c", onMachine, `mode = "ro"`),
			machine("")+resource("hosting_console_mode.c", onMachine, `mode = "off"`),
			"hosting_console_mode.c", "mode", "mode", "ro", "ro"),
		"public": unchanged(machine("")+web(onMachine, ""), machine("")+web(onMachine, "public = true"),
			webAddress, "public", "public", false, false),
		"health path": unchanged(machine("")+web(onMachine, ""), machine("")+web(onMachine, `health_path = "/ready"`),
			webAddress, "health_path", "health_path", "/healthz", "/healthz"),
		"enabled": unchanged(endpoint("https://hooks.example.com/in", "enabled = false"),
			endpoint("https://hooks.example.com/in", "enabled = true"), endpointAddress, "enabled", "enabled", false, false),
		"plan": func(w *world) {
			w.free("medium")
			w.apply(machine(""))
			w.behaves(shows("/instances/*", "plan", "free"))
			w.run(`
resource "hosting_instance" "a" {
  name                = "shop"
  plan                = "medium"
  region              = "eu-central"
  engines             = { postgres = {}, apps = {}, auth = {} }
  deletion_protection = false
}
`, "apply").failsOn("plan", "medium", "free").lacks("in effect")
			w.holds("free", machineAddress, "plan")
		},
	})
}
