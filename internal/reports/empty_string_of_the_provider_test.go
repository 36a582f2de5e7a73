package reports

import "testing"

// The provider block has an empty string in place of nothing.
func TestEmptyStringOfTheProvider(t *testing.T) {
	report(t, "jackall3n/terraform-provider-render#4", "an empty string in the provider block", situations{
		"api_key": func(w *world) {
			o := w.run("provider \"hosting\" {\n  api_key = \"\"\n}\n"+machine(""), "plan")
			if o.Exit == 1 {
				o.fails("empty")
			}
		},
		"base_url": func(w *world) {
			o := w.run("provider \"hosting\" {\n  base_url = \"\"\n}\n"+machine(""), "plan")
			if o.Exit == 1 {
				o.fails("empty")
			}
		},
	})
}
