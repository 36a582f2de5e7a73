package reports

import (
	"strings"
	"testing"
)

// A smaller plan is refused, or half made.
func TestSmallerPlan(t *testing.T) {
	hcl := func(plan, memory string) string {
		return strings.NewReplacer(`"free"`, `"`+plan+`"`, "postgres = {}", "postgres = { memory_mb = "+memory+" }").Replace(machine(""))
	}
	report(t, "stackitcloud/terraform-provider-stackit#1091", "a smaller plan", situations{
		"the budgets do not fit": func(w *world) {
			w.free("medium")
			w.apply(hcl("medium", "2048"))
			w.run(hcl("free", "2048"), "plan").fails("memory")
		},
		"the service refuses it": func(w *world) {
			w.free("medium")
			w.apply(hcl("medium", "2048"))
			w.behaves(answers("POST", resize, 422, "validation_failed", "plan: the disk does not fit"))
			w.run(hcl("free", "512"), "apply").failsOn("plan", "disk does not fit")
			w.holds("medium", machineAddress, "plan")
		},
		"the job fails": func(w *world) {
			w.free("medium")
			w.apply(hcl("medium", "2048"))
			w.fake.FailJobs(jobMatch{Operation: "resize"}, 1, "no_capacity", "there is no room")
			w.run(hcl("free", "512"), "apply").fails("there is no room")
			w.manages(machineAddress)
			w.apply(hcl("free", "512"))
			w.settled(hcl("free", "512"))
		},
	})
}
