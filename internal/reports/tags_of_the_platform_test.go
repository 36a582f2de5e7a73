package reports

import "testing"

// The platform adds a tag that cannot be removed.
func TestTagsOfThePlatform(t *testing.T) {
	adds := everyObject("", "", func(o map[string]any) {
		if tags, ok := o["tags"].([]any); ok {
			o["tags"] = append(tags, "svc:backup")
		}
	})
	const defaults = "provider \"hosting\" {\n  default_tags = [\"team-a\"]\n}\n"
	report(t, "newrelic/terraform-provider-newrelic#766", "tags of the platform", situations{
		"without ignore_changes": func(w *world) {
			hcl := machine(`tags = ["shop"]`)
			w.behaves(adds)
			w.run(hcl, "apply")
			w.run(hcl, "apply").warns("svc:backup", "ignore_changes = [tags]")
			advised := machine("tags = [\"shop\"]\n  lifecycle {\n    ignore_changes = [tags]\n  }")
			w.apply(advised)
			w.quiet(advised)
		},
		"with ignore_changes": func(w *world) {
			hcl := machine("tags = [\"shop\"]\n  lifecycle {\n    ignore_changes = [tags]\n  }")
			w.behaves(adds)
			w.apply(hcl)
			w.settled(hcl)
		},
		"with default_tags": func(w *world) {
			hcl := defaults + machine(`tags = ["shop"]`)
			w.behaves(adds)
			w.run(hcl, "apply")
			w.run(hcl, "apply").warns("svc:backup")
		},
		"a tag in both lists": func(w *world) {
			hcl := defaults + machine(`tags = ["team-a"]`)
			w.apply(hcl)
			w.quiet(hcl)
			w.apply(machine(`tags = ["team-a"]`))
			w.apply(defaults + machine(""))
			w.counts(0, "PATCH", instance)
			w.quiet(defaults + machine(""))
		},
	})
}
