package reports

import (
	"sync/atomic"
	"testing"
)

// The key ends in the middle of a long apply.
func TestKeyThatEnds(t *testing.T) {
	ends := func(status int, code string, once bool) func(*world) {
		return func(w *world) {
			hcl := machine("") + web(onMachine, "")
			var polls atomic.Int64
			remove := w.behaves(trait{before: func(x *exchange) {
				n := polls.Load()
				if x.method == "GET" && (trait{path: "/jobs/*"}).matches(x) {
					n = polls.Add(1)
				}
				if n == 3 || n > 3 && !once {
					x.refuses(status, code, "this key has expired")
				}
			}})
			w.run(hcl, "apply")
			remove()
			w.manages(machineAddress)
			w.apply(hcl)
			w.settled(hcl)
			w.counts(1, "POST", instances)
			w.counts(0, "DELETE", "")
		}
	}
	report(t, "hashicorp/terraform-provider-aws#4502", "a key that ends", situations{
		"401": ends(401, "unauthorized", false), "403": ends(403, "forbidden", false), "401 once": ends(401, "unauthorized", true),
	})
}
