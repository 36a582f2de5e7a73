package reports

import (
	"sync/atomic"
	"testing"
)

// A machine is in a state of its own, and everything below it answers 522.
func TestMachineThatPauses(t *testing.T) {
	all := machine("") + web(onMachine, "") + orders(onMachine, "")
	report(t, "aiven/terraform-provider-aiven#2614", "children that answer 5xx", situations{
		"pausing, destroyed": func(w *world) {
			w.apply(all)
			w.behaves(shows("/instances/*", "status", "pausing"),
				trait{path: "/instances/*/**", before: func(x *exchange) { x.status, x.body = 522, []byte("<html>522</html>") }})
			w.run(all, "destroy").fails("pausing").lacks("Check the base URL")
			w.manages(machineAddress)
		},
		"522 in passing": func(w *world) {
			w.apply(all)
			var n atomic.Int64
			w.behaves(trait{method: "GET", path: app, after: func(x *exchange) {
				if n.Add(1) == 1 {
					x.status, x.answer, x.body = 522, nil, []byte("<html>522</html>")
				}
			}})
			w.quiet(all)
		},
		"the machine is gone, and all below answers 503": func(w *world) {
			w.apply(all + crypto(onMachine))
			w.behaves(trait{path: "/instances/*/**", before: func(x *exchange) { x.status, x.body = 503, []byte("<html>503</html>") }})
			w.fake.RemoveInstance(w.id())
			w.run(all+crypto(onMachine), "destroy").succeeds()
			w.be(len(w.cli.State()) == 0, "left in the state: %v", w.cli.State())
		},
	})
}
