package reports

import "testing"

// A key may do the work, but not list.
func TestKeyThatMayNotList(t *testing.T) {
	forbidden := func(paths ...string) []trait {
		var all []trait
		for _, path := range paths {
			all = append(all, answers("GET", path, 403, "forbidden", "this key may not list"))
		}
		return all
	}
	report(t, "PagerDuty/terraform-provider-pagerduty#855", "a key that may not list", situations{
		"endpoints": func(w *world) {
			hcl := endpoint("https://hooks.example.com/in", "")
			w.behaves(forbidden(webhooks, "/me", "/plans", instances)...)
			o := w.run(hcl, "apply").lacks("Use a key of the account that owns the instance")
			if o.Exit == 1 {
				o.fails("this key may not list")
				return
			}
			w.settled(hcl)
			w.run(hcl, "destroy").succeeds()
		},
		"below a machine": func(w *world) {
			id := w.running()
			hcl := web("instance_id = \""+id+"\"", "")
			w.behaves(forbidden(webhooks, "/me", "/plans", instances)...)
			w.apply(hcl)
			w.settled(hcl)
			w.run(hcl, "destroy").succeeds()
		},
	})
}
