package reports

import (
	"maps"
	"sync"
	"testing"
)

// A service stores the first answer to a request, and gives it again to the same request, even
// if it was a refusal.
func TestStoredRefusal(t *testing.T) {
	// stores answers each repeated POST as it answered the first one, by its body, until the end
	// of the run.
	stores := func(w *world, path string, first func(*exchange)) (remove func()) {
		var mu sync.Mutex
		var stored *exchange
		return w.behaves(trait{method: "POST", path: path, before: func(x *exchange) {
			mu.Lock()
			defer mu.Unlock()
			if stored == nil {
				first(x)
				stored = &exchange{status: x.status, answer: x.answer, header: maps.Clone(x.header)}
				return
			}
			x.status, x.answer = stored.status, stored.answer
			maps.Copy(x.header, stored.header)
		}})
	}
	// ends runs an apply that the stored answer refuses, and one that it does not.
	ends := func(path, hcl string, status int, code string) func(*world) {
		return func(w *world) {
			w.apply(machine(""))
			remove := stores(w, path, func(x *exchange) { x.refuses(status, code, "not at the moment") })
			w.run(hcl, "apply").fails("not at the moment")
			remove()
			w.manages(machineAddress)
			w.apply(hcl)
			w.settled(hcl)
			w.counts(1, "POST", instances)
		}
	}
	app, database := machine("")+web(onMachine, ""), machine("")+orders(onMachine, "")
	report(t, "KeeperHub/keeperhub#1849", "a stored refusal", situations{
		"an app, 503":      ends(appImport, app, 503, "unavailable"),
		"an app, 429":      ends(appImport, app, 429, "rate_limited"),
		"a database, 503":  ends(databases, database, 503, "unavailable"),
		"a database, 422":  ends(databases, database, 422, "validation_failed"),
		"an endpoint, 503": ends(webhooks, machine("")+endpoint("https://hooks.example.com/in", ""), 503, "unavailable"),
	})
}
