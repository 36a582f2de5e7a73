package reports

import (
	"sync/atomic"
	"testing"
	"time"
)

// A daily limit is used up, and the service asks to wait until it is renewed.
func TestLimitUntilTomorrow(t *testing.T) {
	limit := ""
	if *realCLI != "" {
		limit = `timeouts = { create = "1m" }` // in place of half an hour of real time
	}
	hcl := machine(limit) + web(onMachine, limit)
	// exhausted refuses requests from the nth one on, until the day is over.
	exhausted := func(w *world, n int64, method, path string) trait {
		var seen atomic.Int64
		return w.until(24*time.Hour, trait{method: method, path: path, before: func(x *exchange) {
			if seen.Add(1) >= n {
				x.refuses(429, "rate_limited", "the daily limit is used up")
				x.header.Set("Retry-After", "72000")
			}
		}})
	}
	report(t, "waynerobinson/xeroizer#585", "a limit until tomorrow", situations{
		"before a creation": func(w *world) {
			w.behaves(exhausted(w, 1, "POST", instances))
			w.run(hcl, "apply").fails("asked to wait for 20h", "apply again after that").lacks("set a longer timeout")
			w.counts(1, "POST", instances)
			w.wait(25 * time.Hour)
			w.apply(hcl)
			w.settled(hcl)
		},
		"during a creation": func(w *world) {
			w.behaves(exhausted(w, 2, "GET", "/jobs/*"))
			w.run(hcl, "apply").warns("asked to wait for 20h").lacks("set a longer timeout")
			w.manages(machineAddress)
			w.wait(25 * time.Hour)
			w.apply(hcl)
			w.settled(hcl)
			w.counts(1, "POST", instances)
			w.counts(0, "DELETE", "")
		},
		"before a refresh": func(w *world) {
			w.apply(hcl)
			w.behaves(exhausted(w, 1, "GET", ""))
			began := time.Now()
			w.run(hcl, "plan").fails("asks to wait for 20h").lacks("parallelism").never("create", "delete", "replace")
			w.be(time.Since(began) < time.Minute, "the plan took %s", time.Since(began))
			w.manages(machineAddress, webAddress)
		},
	})
}
