package reports

import (
	"sync"
	"testing"
	"time"
)

// hostless shows a running instance without its host for a time.
func hostless(d time.Duration) trait {
	var mu sync.Mutex
	var since time.Time
	return everyObject("GET", "", func(o map[string]any) {
		if _, there := o["host"]; !there || o["status"] != "running" {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if since.IsZero() {
			since = time.Now()
		}
		if time.Since(since) < d {
			o["host"] = nil
		}
	})
}

// An instance is running before its record has a host.
func TestHostThatComesLate(t *testing.T) {
	hcl := machine("") + "output \"host\" { value = hosting_instance.a.host }\n"
	after := func(d time.Duration) func(*world) {
		return func(w *world) {
			w.behaves(hostless(d))
			w.apply(hcl)
			w.be(w.cli.Output("host") != nil, "the output host is null")
			w.quiet(hcl)
		}
	}
	report(t, "scaleway/terraform-provider-scaleway#4003", "a host that comes late", situations{
		"after 5 seconds": after(5 * time.Second), "after 20 seconds": after(20 * time.Second), "after 30 seconds": after(30 * time.Second),
		"never in the record of an unfinished machine": func(w *world) {
			unfinished := machine(`timeouts = { create = "1m" }`)
			w.apply(unfinished).warns("timeout")
			w.wait(time.Hour)
			w.behaves(hostless(24 * time.Hour))
			w.apply(unfinished)
			w.settled(unfinished)
			w.counts(1, "POST", instances)
		},
	})
}
