package reports

import "testing"

// A creation is accepted, and cancelled at once.
func TestOrderThatIsCancelled(t *testing.T) {
	report(t, "ovh/terraform-provider-ovh#554", "an order that is cancelled", situations{
		"one creation for each apply": func(w *world) {
			w.fake.FailJobs(jobMatch{Operation: "create"}, -1, "fraud_check", "order cancelled by fraud check")
			for n := 1; n <= 3; n++ {
				w.run(machine(""), "apply").fails("cancelled by fraud check")
				w.counts(n, "POST", instances)
			}
		},
		"the record vanishes": func(w *world) {
			remove := w.fake.FailJobs(jobMatch{Operation: "create"}, 1, "fraud_check", "order cancelled by fraud check")
			w.run(machine(""), "apply").fails("cancelled by fraud check")
			remove()
			w.fake.RemoveInstance(w.id())
			w.apply(machine(""))
			w.counts(2, "POST", instances)
			w.settled(machine(""))
		},
	})
}
