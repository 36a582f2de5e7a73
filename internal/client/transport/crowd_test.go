package transport

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"
)

// A crowd is a number of processes that share one request limit. The service answers a
// request for which it has a token after 20 ms. It answers others with 429 and a
// Retry-After in whole seconds, rounded up.
type crowd struct {
	processes, workers, records int
	perSecond                   float64
	burst                       int
}

// run lets each process read its records. It returns the ratio between the time that
// takes and the time in which the service could serve as many requests. It also returns
// the number of refused and of lost requests.
func (c crowd) run(t *testing.T) (ratio float64, refused, lost int64) {
	synctest.Test(t, func(t *testing.T) {
		limit := rate.NewLimiter(rate.Limit(c.perSecond), c.burst)
		var refusals, losses atomic.Int64
		serve := func(w http.ResponseWriter, _ *http.Request) {
			slot := limit.Reserve()
			if wait := slot.Delay(); wait > 0 {
				slot.Cancel()
				refusals.Add(1)
				w.Header().Set("Retry-After", fmt.Sprint(math.Ceil(wait.Seconds())))
				refuse(w, 429, "rate_limited")
				return
			}
			time.Sleep(20 * time.Millisecond)
			respond(w, 200, object{"id": "me"})
		}
		begun := time.Now()
		var all sync.WaitGroup
		for k := range c.processes {
			sender, _ := newTestSender(t, serve, func(o *Options) { o.Random = NewRandom(rand.NewPCG(1, uint64(k))) })
			var next atomic.Int64
			for range c.workers {
				all.Go(func() {
					for next.Add(1) <= int64(c.records) {
						if err := readMe(t.Context(), sender); err != nil {
							losses.Add(1)
						}
					}
				})
			}
		}
		all.Wait()
		ideal := float64(c.processes*c.records-c.burst) / c.perSecond
		ratio, refused, lost = time.Since(begun).Seconds()/ideal, refusals.Load(), losses.Load()
	})
	return ratio, refused, lost
}

// Processes that share a limit use nearly all of it and lose nothing. One process alone
// loses more, because nobody uses what it leaves. If the limit allows no burst, concurrent
// requests hinder each other.
func TestCrowdUsesNearlyAllOfALimit(t *testing.T) {
	for _, row := range []struct {
		burst, processes int
		ratio            float64 // maximum, relative to the ideal time
	}{
		{50, 1, 1.2}, {50, 2, 1.2}, {50, 4, 1.1}, {50, 8, 1.1},
		{10, 1, 1.4}, {10, 2, 1.3}, {10, 4, 1.2}, {10, 8, 1.1},
		{1, 1, 2}, {1, 4, 6},
	} {
		const runs = 2 // the mean counts
		ratio, refused := 0.0, int64(0)
		for k := range runs {
			r, n, lost := crowd{row.processes, []int{10, 50}[k%2], 1000, 50, row.burst}.run(t)
			if lost > 0 {
				t.Errorf("burst %d, %d processes: got %d lost, want none", row.burst, row.processes, lost)
			}
			ratio, refused = ratio+r/runs, refused+n
		}
		t.Logf("burst %2d, %d processes: %.2f times the ideal time, %d answers 429", row.burst, row.processes, ratio, refused/runs)
		if ratio > row.ratio {
			t.Errorf("burst %d, %d processes: got %.2f times the ideal time, want at most %g", row.burst, row.processes, ratio, row.ratio)
		}
	}
}
