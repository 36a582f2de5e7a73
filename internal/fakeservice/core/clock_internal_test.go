package core

import (
	"testing"
	"testing/synctest"
	"time"
)

// The clock runs for months at its highest speed. It neither jumps nor goes back when its
// base moves.
func TestClockThatRunsForMonths(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		c := newClock(FastestSpeed, start)
		const step, steps = 7 * time.Minute, 20_000 // 97 days
		last := start
		for range steps {
			time.Sleep(step)
			now := c.now()
			if passed := now.Sub(last); passed != step*FastestSpeed {
				t.Fatalf("at %s, the fake's time that passed in %s: got %s, want %s", now, step, passed, step*FastestSpeed)
			}
			if real := c.realTime(now); !real.Equal(time.Now()) {
				t.Fatalf("the real time of %s: got %s, want %s", now, real, time.Now())
			}
			last = now
		}
	})
}
