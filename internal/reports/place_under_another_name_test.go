package reports

import (
	"strings"
	"testing"
)

// The service names a location, or a plan, otherwise than it was asked for.
func TestPlaceUnderAnotherName(t *testing.T) {
	hcl := machine("")
	loss := func(w *world, hcl string, texts ...string) {
		w.t.Helper()
		o := w.run(hcl, "plan")
		w.be(o.Exit == 1 || len(o.Diagnostics) > 0 || len(o.Changes) == 0, "the plan %v is without a word", o.Changes)
		o.never("replace")
		w.run(hcl, "apply")
		w.run(hcl, "apply")
		w.counts(1, "POST", instances)
		w.counts(0, "DELETE", instance)
	}
	report(t, "hetznercloud/terraform-provider-hcloud#16", "a place under another name", situations{
		"from the first day": func(w *world) {
			w.behaves(keeps("region", func(string) string { return "eu-central-1" }))
			w.run(hcl, "apply").says("region", "eu-central-1", "eu-central")
			w.manages(machineAddress)
			loss(w, hcl)
			advised := strings.Replace(hcl, `"eu-central"`, `"eu-central-1"`, 1)
			w.run(advised, "apply").succeeds().never("replace")
			w.quiet(advised)
			w.counts(1, "POST", instances)
		},
		"and the answer to the creation is lost": func(w *world) {
			w.behaves(keeps("region", func(string) string { return "eu-central-1" }), loses("POST", instances))
			w.run(hcl, "apply")
			w.run(hcl, "apply")
			w.counts(1, "POST", instances)
			w.manages(machineAddress)
		},
		"after a migration": func(w *world) {
			w.apply(hcl)
			w.behaves(keeps("region", func(string) string { return "fsn" }))
			loss(w, hcl)
		},
		"in another letter case": func(w *world) {
			w.behaves(keeps("region", strings.ToUpper))
			w.run(hcl, "apply")
			loss(w, hcl)
		},
		"the plan in another letter case": func(w *world) {
			w.behaves(shows("", "plan", "FREE"))
			w.run(hcl, "apply")
			w.run(hcl, "apply")
			w.counts(0, "POST", resize)
		},
		"imported in another letter case": func(w *world) {
			w.behaves(shows("", "plan", "FREE"), keeps("region", strings.ToUpper))
			w.adopts(hcl, machineAddress, w.running())
			w.run(hcl, "apply").never("replace")
			w.counts(0, "POST", "")
			w.quiet(hcl)
		},
	})
}
