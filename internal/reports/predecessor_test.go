package reports

import "testing"

// An object is made again under the name of an earlier one, and the service gives it the
// settings of that one.
func TestPredecessor(t *testing.T) {
	inherits := func(w *world, change func(app map[string]any)) (remove func()) {
		gone := false
		return w.behaves(trait{after: func(x *exchange) {
			if x.method == "PATCH" && x.status < 300 {
				gone = true
			}
			if !gone && x.status < 300 {
				walkObjects(x.answer, func(o map[string]any) {
					if _, there := o["repo"]; there {
						change(o)
					}
				})
			}
		}})
	}
	hcl := machine("") + web(onMachine, `env = { A = "1" }`)
	report(t, "terraform-community-providers/terraform-provider-railway#89", "the settings of a predecessor", situations{
		"variables": func(w *world) {
			inherits(w, func(o map[string]any) { o["env"] = map[string]any{"A": "1", "OLD_TOKEN": "canary"} })
			w.run(hcl, "apply").says("OLD_TOKEN").lacks("canary")
			w.manages(webAddress)
		},
		"links": func(w *world) {
			inherits(w, func(o map[string]any) { o["links"] = []any{"auth"} })
			w.apply(hcl)
			w.apply(hcl)
			w.settled(hcl)
		},
		"open to everybody": func(w *world) {
			inherits(w, func(o map[string]any) { o["public"] = true })
			w.run(hcl, "apply").says("public")
			w.apply(hcl)
			w.settled(hcl)
		},
	})
}
