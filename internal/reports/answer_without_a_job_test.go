package reports

import "testing"

// Changes are answered 202 without a job.
func TestAnswerWithoutAJob(t *testing.T) {
	jobless := trait{after: func(x *exchange) {
		if x.status == 202 {
			delete(x.object(), "job_id")
		}
	}}
	report(t, "Qovery/terraform-provider-qovery#20", "an answer without a job", situations{
		"below a machine": func(w *world) {
			hcl := machine("") + orders(onMachine, "") + list(`["203.0.113.0/24"]`) + crypto(onMachine)
			w.apply(machine(""))
			w.behaves(jobless)
			w.apply(hcl)
			w.settled(hcl)
			w.run(hcl, "destroy").succeeds()
			w.counts(1, "DELETE", databases+"/*")
			w.be(len(w.fake.Instances()) == 0, "the machine is left")
		},
		"the creation of a machine": func(w *world) {
			w.behaves(jobless)
			w.apply(machine(""))
			w.settled(machine(""))
			w.counts(1, "POST", instances)
		},
		"an app": func(w *world) {
			hcl := machine("") + web(onMachine, "")
			w.apply(machine(""))
			w.behaves(jobless)
			w.apply(hcl)
			w.settled(hcl)
			w.counts(1, "POST", appImport)
		},
	})
}
