package reports

import (
	"fmt"
	"testing"
	"time"
)

// While a creation is waited for, reads answer with an error for a time. The object exists,
// so it is neither tainted nor made twice.
func TestErrorInAWait(t *testing.T) {
	all := situations{}
	failing := func(path string, d time.Duration, status int, code string) func(*world) {
		return func(w *world) {
			hcl := machine("") + web(onMachine, "") + orders(onMachine, "")
			w.behaves(w.until(d, answers("GET", path, status, code, "something went wrong")))
			w.run(hcl, "apply").lacks("state rm")
			for _, address := range w.cli.State() {
				w.be(!w.cli.Tainted(address), "%s is tainted", address)
			}
			w.wait(d)
			w.run(hcl, "plan").never("delete", "replace")
			w.apply(hcl)
			w.counts(0, "DELETE", "")
			w.be(len(w.fake.Instances()) == 1 && len(w.fake.Apps(w.id())) == 1, "instances: %d", len(w.fake.Instances()))
			w.settled(hcl)
		}
	}
	for status, code := range map[int]string{500: "internal", 400: "invalid_request", 403: "forbidden", 401: "unauthorized"} {
		for name, path := range map[string]string{"jobs": "/jobs/*", "records": instance, "builds": builds} {
			for _, d := range []time.Duration{time.Minute, 20 * time.Minute} {
				all[fmt.Sprintf("%d of %s for %s", status, name, d)] = failing(path, d, status, code)
			}
		}
	}
	report(t, "mongodb/terraform-provider-mongodbatlas#57", "an error in a wait", all)
}
