package reports

import (
	"sync/atomic"
	"testing"
	"time"
)

// A quota is refused with the status of a rate limit, or of a permission.
func TestQuota(t *testing.T) {
	six := `
resource "hosting_instance" "m" {
  count               = 6
  name                = "m-${count.index}"
  plan                = "free"
  region              = "eu-central"
  engines             = {}
  deletion_protection = false
}
`
	refused := func(status int, code string) func(*world) {
		return func(w *world) {
			var made atomic.Int64
			w.behaves(trait{method: "POST", path: instances, before: func(x *exchange) {
				if made.Add(1) > 5 {
					x.refuses(status, code, "at most 5 instances")
				}
			}})
			began := time.Now()
			w.run(six, "apply").fails("at most 5 instances").lacks("parallelism", "Use a key of the account")
			w.be(time.Since(began) < 15*time.Minute, "the apply took %s", time.Since(began))
			w.be(len(w.cli.State()) == 5 && len(w.fake.Instances()) == 5, "in the state: %v", w.cli.State())
		}
	}
	report(t, "hashicorp/terraform#11654", "a quota", situations{
		"429": refused(429, "quota_exceeded"), "402": refused(402, "payment_required"),
		"403": refused(403, "quota_exceeded"), "422": refused(422, "quota_exceeded"),
		"429 of an endpoint": func(w *world) {
			w.behaves(answers("POST", webhooks, 429, "limit_reached", "at most 10 endpoints"))
			began := time.Now()
			w.run(endpoint("https://hooks.example.com/in", ""), "apply").fails("at most 10 endpoints")
			w.be(time.Since(began) < 5*time.Minute, "the apply took %s", time.Since(began))
		},
	})
}
