package transport

import (
	"math"
	"testing"
	"testing/synctest"
	"time"
)

// After a pause as long as a job, a client searches for a known limit again: without
// requests, the absence of refusals proves nothing.
func TestAnAllowanceIsLookedForAnewAfterAPause(t *testing.T) {
	for _, row := range []struct {
		name  string
		pause time.Duration
	}{
		{"none", 0}, {"a minute", time.Minute}, {"a creation", 8 * time.Minute}, {"ten hours", 10 * time.Hour},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				service := newBucket(20, true)
				c, _ := newTestSender(t, service.serve)
				read := func(records int) (refusals int, took time.Duration) {
					before, begun := service.refusals, time.Now()
					if lost := readMany(t.Context(), records, 50, c); lost > 0 {
						t.Errorf("%d lost", lost)
					}
					return service.refusals - before, time.Since(begun)
				}
				first, _ := read(25) // a few more than the bucket allows
				if first == 0 {
					t.Fatal("nothing was refused in the beginning")
				}
				for range 3 {
					time.Sleep(row.pause)
					refused, took := read(500)
					t.Logf("%d refused at first; then %d in %s", first, refused, took)
					if refused > 60 || took > 40*time.Second {
						t.Errorf("%d of 500 refused in %s", refused, took)
					}
				}
			})
		})
	}
}

// The effect of a refusal depends on the rate of served requests, and on whether it is
// the first refusal for a while.
func TestAllowanceAfterARefusal(t *testing.T) {
	for name, row := range map[string]struct {
		peak        float64       // the last refused rate
		cutBefore   time.Duration // the time since the newest cut; 0 for none
		served      float64       // recent requests per second
		refusedLast time.Duration // the time since the last refusal
		want        float64
	}{
		"the first ever":                           {0, 0, 20, time.Hour, 0},
		"found by looking":                         {0, 2 * time.Second, 200, time.Hour, 200},
		"found by looking, nearly nothing served":  {0, 2 * time.Second, 1, time.Hour, 128},
		"after a pause, not found by looking":      {0, 6 * time.Second, 200, time.Hour, 0},
		"nearly all served":                        {100, plateau, 90, time.Minute, 90},
		"half of it served":                        {100, plateau, 50, time.Minute, 85},
		"others send too much":                     {100, plateau, 20, time.Minute, 40},
		"others send too much, hardly any served":  {100, plateau, 3, time.Minute, firstAllowance},
		"others send too much, a refusal together": {100, plateau, 20, 9 * time.Second, 85},
		"others send too much, 10 seconds later":   {100, plateau, 20, together, 40},
		"little is left":                           {leastAllowance, plateau, 0, time.Second, leastAllowance},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
			opens := now.Add(time.Second)
			a := allowance{peak: row.peak, refused: now.Add(-row.refusedLast), served: recently{perSecond: row.served, at: now}}
			if row.cutBefore > 0 {
				a.begun = now.Add(-row.cutBefore)
			}
			a.refuse(now, opens)
			if math.Abs(a.peak-row.want) > 0.001 {
				t.Errorf("peak: got %g requests per second, want %g", a.peak, row.want)
			}
			if wait := a.take(now); wait != time.Second {
				t.Errorf("wait of the next request: got %s, want %s", wait, time.Second)
			}
		})
	}
}
