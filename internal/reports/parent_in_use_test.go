package reports

import (
	"sync"
	"testing"
	"time"
)

// For a time after its parts are deleted, a machine counts as in use.
func TestParentInUse(t *testing.T) {
	inUse := func(d time.Duration, status int, code string) func(*world) {
		return func(w *world) {
			hcl := machine("") + web(onMachine, "") + orders(onMachine, "")
			w.apply(hcl)
			var mu sync.Mutex
			var since time.Time
			w.behaves(trait{method: "DELETE", path: instance, before: func(x *exchange) {
				mu.Lock()
				defer mu.Unlock()
				if since.IsZero() {
					since = w.fake.Now()
				}
				if w.fake.Now().Sub(since) < d {
					x.refuses(status, code, "the instance still has apps")
				}
			}})
			if o := w.run(hcl, "destroy"); o.Exit == 1 {
				o.fails("the instance still has apps").lacks("state rm", "network problem")
				w.manages(machineAddress)
			}
			w.wait(d)
			w.run(hcl, "destroy").succeeds()
			w.be(len(w.fake.Instances()) == 0, "the machine is still there")
		}
	}
	report(t, "fly-apps/terraform-provider-fly#218", "a parent that is in use", situations{
		"409 for 10 seconds": inUse(10*time.Second, 409, "in_use"),
		"409 for a minute":   inUse(time.Minute, 409, "in_use"),
		"422 for a minute":   inUse(time.Minute, 422, "validation_failed"),
		"400 for a minute":   inUse(time.Minute, 400, "invalid_request"),
	})
}
