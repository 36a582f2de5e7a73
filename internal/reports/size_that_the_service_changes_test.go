package reports

import "testing"

// The service itself changes a budget or the plan of a machine. A change of something else
// does not revert it.
func TestSizeThatTheServiceChanges(t *testing.T) {
	hcl := func(engines, more string) string {
		return `
resource "hosting_instance" "a" {
  name                = "shop"
  plan                = "medium"
  region              = "eu-central"
  engines             = ` + engines + `
  deletion_protection = false
  ` + more + `
}
`
	}
	grows := func(w *world) {
		w.fake.EditInstance(w.id(), func(i *instanceRecord) { i.Engines["postgres"].MemoryMB = 1024 })
	}
	keeps := func(before, after string) func(*world) {
		return func(w *world) {
			w.free("medium")
			w.free("large")
			w.apply(before)
			grows(w)
			w.settled(before)
			w.apply(after)
			i, _ := w.fake.Instance(w.id())
			w.be(i.Engines["postgres"].MemoryMB == 1024, "the budget: got %d, want 1024", i.Engines["postgres"].MemoryMB)
			w.settled(after)
		}
	}
	report(t, "elastic/terraform-provider-ec#462", "a size that the service changes", situations{
		"a budget that is not configured": keeps(hcl("{ postgres = {}, apps = {} }", ""), hcl("{ postgres = {}, apps = {}, redis = {} }", "")),
		"a budget that is ignored": keeps(
			hcl("{ postgres = { memory_mb = 512 }, apps = {} }", ignores(`engines["postgres"]`)),
			hcl("{ postgres = { memory_mb = 512 }, apps = { memory_mb = 640 } }", ignores(`engines["postgres"]`))),
		"a budget that is ignored, of an attribute": keeps(
			hcl("{ postgres = { memory_mb = 512 }, apps = {} }", ignores(`engines["postgres"].memory_mb`)),
			hcl("{ postgres = { memory_mb = 512 }, apps = {}, redis = {} }", ignores(`engines["postgres"].memory_mb`))),
		"a plan that is ignored": func(w *world) {
			w.free("medium")
			w.free("large")
			before, after := hcl("{ postgres = {} }", ignores("plan")), hcl("{ postgres = {}, redis = {} }", ignores("plan"))
			w.apply(before)
			w.fake.EditInstance(w.id(), func(i *instanceRecord) { i.Plan = "large" })
			w.settled(before)
			w.apply(after)
			w.counts(0, "POST", resize)
			w.settled(after)
		},
	})
}
