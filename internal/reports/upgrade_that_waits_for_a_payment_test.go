package reports

import (
	"strings"
	"testing"
	"time"
)

// A change to a paid plan waits for its payment.
func TestUpgradeThatWaitsForAPayment(t *testing.T) {
	upgraded := strings.Replace(machine(""), `"free"`, `"medium"`, 1)
	const url = "https://portal.example/checkout/4711"
	report(t, "ovh/terraform-provider-ovh#646", "an upgrade that waits for a payment", situations{
		"paid later": func(w *world) {
			w.apply(machine(""))
			release := w.fake.HoldJobs(jobMatch{Operation: "resize"})
			remove := w.behaves(trait{path: "/instances/**", after: func(x *exchange) {
				_, there := x.object()["checkout_url"]
				if len(w.asked("POST", resize)) > 0 && (there || x.method == "POST" && x.status == 202) {
					x.object()["checkout_url"] = url
				}
			}})
			began := time.Now()
			w.run(upgraded, "apply").says(url)
			w.be(time.Since(began) < 10*time.Minute, "the apply took %s", time.Since(began))
			remove()
			release()
			w.apply(upgraded)
			w.counts(1, "POST", resize)
			w.settled(upgraded)
		},
	})
}
