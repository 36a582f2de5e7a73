package reports

import (
	"encoding/json"
	"testing"
)

// Records show a value that stands for none, and unknown fields are shown as values.
func TestValueThatStandsForNone(t *testing.T) {
	stopped := func(field string, value any) func(*world) {
		return func(w *world) {
			hcl := machine("") + web(onMachine, "")
			w.apply(hcl)
			w.fake.EditApp(w.id(), "web", func(a *appRecord) { a.Status = "stopped" })
			w.behaves(apparently(func(o map[string]any) { o[field] = value }))
			o := w.run(hcl, "plan").succeeds()
			w.be(len(o.Changes) == 0 || len(o.Diagnostics) > 0, "the plan changes %v without a word", o.Changes)
			w.run(hcl, "apply")
			w.run(hcl, "apply")
			w.settled(hcl)
		}
	}
	report(t, "digitalocean/terraform-provider-digitalocean#1599", "a value that stands for none", situations{
		"a port of 0":          stopped("port", json.Number("0")),
		"an empty health path": stopped("health_path", ""),
		"public is not recorded": func(w *world) {
			hcl := machine("") + web(onMachine, "public = true") +
				data("hosting_app.web",
					"instance_id = hosting_app.web.instance_id",
					"name = hosting_app.web.name") +
				"output \"public\" { value = data.hosting_app.web.public == null }\n"
			w.behaves(apparently(func(o map[string]any) { delete(o, "public") }))
			w.apply(hcl)
			w.outputs("public", true)
		},
		"engines are not recorded": func(w *world) {
			hcl := "data \"hosting_instances\" \"all\" {}\noutput \"none\" { value = data.hosting_instances.all.instances[0].engines == null }\n"
			w.running()
			w.behaves(lacks(instances, "engines"))
			w.apply(hcl)
			w.outputs("none", true)
		},
	})
}
