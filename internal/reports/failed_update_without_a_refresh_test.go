package reports

import "testing"

// An update fails, and nothing was refreshed before it.
func TestFailedUpdateWithoutARefresh(t *testing.T) {
	report(t, "hashicorp/terraform-provider-aws#44330", "a failed update without a refresh", situations{
		"of a tag": func(w *world) {
			w.apply(machine(""))
			remove := w.behaves(answers("PATCH", instance, 422, "validation_failed", "tags: not allowed"))
			w.run(machine(`tags = ["a"]`), "apply", "-refresh=false").failsOn("tags", "not allowed")
			remove()
			w.settled(machine(""))
			w.apply(machine(`tags = ["a"]`))
			w.settled(machine(`tags = ["a"]`))
		},
		"of an endpoint": func(w *world) {
			w.apply(endpoint("https://hooks.example.com/in", ""))
			remove := w.behaves(answers("PATCH", webhook, 422, "validation_failed", "url: does not answer"))
			w.run(endpoint("https://hooks.example.com/out", ""), "apply", "-refresh=false").failsOn("url")
			remove()
			w.settled(endpoint("https://hooks.example.com/in", ""))
		},
	})
}
