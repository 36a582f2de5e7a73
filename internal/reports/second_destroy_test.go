package reports

import (
	"testing"
	"time"
)

// A deletion takes longer than its timeout, and a second one is refused.
func TestSecondDestroy(t *testing.T) {
	hcl := machine(`timeouts = { delete = "1m" }`)
	again := func(status int, code string) func(*world) {
		return func(w *world) {
			w.apply(hcl)
			release := w.fake.HoldJobs(jobMatch{Operation: "delete"})
			w.behaves(shows("/instances/*", "job_id", nil), trait{method: "DELETE", path: instance, before: func(x *exchange) {
				if len(w.asked("DELETE", instance)) > 0 {
					x.refuses(status, code, "already marked for deletion")
				}
			}})
			w.run(hcl, "destroy").fails()
			w.manages(machineAddress)
			go func() {
				time.Sleep(30 * time.Second) // of real time, as the CLI takes some
				release()
			}()
			w.run(hcl, "destroy").succeeds().lacks("state rm")
			w.be(len(w.fake.Instances()) == 0 && len(w.cli.State()) == 0, "something is left")
		}
	}
	report(t, "stackitcloud/terraform-provider-stackit#290", "a second destroy", situations{
		"400": again(400, "invalid_request"), "409 job_running": again(409, "job_running"),
		"409 with another code": again(409, "already_deleting"),
	})
}
