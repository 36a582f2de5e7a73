package reports

import (
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

// A rate limit comes with another status or header than 429 and Retry-After.
func TestLimitInOtherWords(t *testing.T) {
	many := machine("") + `
resource "hosting_postgres_database" "d" {
  count               = 12
  instance_id         = hosting_instance.a.id
  name                = "d${count.index}"
  deletion_protection = false
}
`
	// every refuses each nth request, six times.
	every := func(n int64, refuse func(*exchange)) trait {
		var seen atomic.Int64
		return trait{before: func(x *exchange) {
			if k := seen.Add(1); k%n == 0 && k <= 6*n {
				refuse(x)
			}
		}}
	}
	done := func(w *world, within time.Duration) {
		w.t.Helper()
		began := time.Now()
		w.apply(many)
		w.be(time.Since(began) < within, "the apply took %s", time.Since(began))
		w.be(len(w.fake.Databases(w.id())) == 13, "databases: got %d, want 12 and its own", len(w.fake.Databases(w.id())))
		w.settled(many)
	}
	all := situations{
		"403 with Retry-After": func(w *world) {
			w.behaves(every(10, func(x *exchange) {
				x.refuses(403, "rate_limited", "secondary rate limit")
				x.header.Set("Retry-After", "5")
			}))
			done(w, time.Hour)
		},
		"Retry-After: a date in five seconds": func(w *world) {
			w.apply(machine(""))
			w.behaves(every(4, func(x *exchange) {
				x.refuses(429, "rate_limited", "too many requests")
				x.header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
				x.header.Set("Retry-After", time.Now().Add(5*time.Second).UTC().Format(http.TimeFormat))
			}))
			done(w, time.Hour)
		},
		"Retry-After: a point in time": func(w *world) {
			w.apply(machine(""))
			w.behaves(every(4, func(x *exchange) {
				x.refuses(429, "rate_limited", "too many requests")
				x.header.Set("Retry-After", strconv.FormatInt(time.Now().Add(5*time.Second).Unix(), 10))
			}))
			done(w, time.Hour)
		},
		"503 with RateLimit-Reset": func(w *world) {
			var posts atomic.Int64
			w.behaves(trait{method: "POST", before: func(x *exchange) {
				if posts.Add(1)%3 == 0 {
					x.status, x.body = 503, []byte("")
					x.header.Set("RateLimit-Remaining", "0")
					x.header.Set("RateLimit-Reset", "12")
				}
			}})
			w.run(many, "apply")
			w.run(many, "apply")
			w.be(len(w.fake.Databases(w.id())) <= 13, "databases: got %d, want 12 and its own", len(w.fake.Databases(w.id())))
			w.counts(1, "POST", instances)
		},
	}
	for name, header := range map[string][]string{
		"zero": {"0"}, "negative": {"-5"}, "a fraction": {"1.5"}, "two values": {"2, 2"}, "two headers": {"2", "2"},
		"a date in the past": {"Wed, 21 Oct 1998 07:28:00 GMT"}, "words": {"soon"},
	} {
		all["Retry-After: "+name] = func(w *world) {
			w.apply(machine(""))
			w.behaves(every(4, func(x *exchange) {
				x.refuses(429, "rate_limited", "too many requests")
				x.header["Retry-After"] = header
			}))
			done(w, time.Hour)
		}
	}
	report(t, "hashicorp/go-retryablehttp#144", "a limit in other words", all)
}
