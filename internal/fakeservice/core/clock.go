package core

import (
	"sync"
	"time"
)

// clock is the fake's time. It starts at the real time, unless another was asked
// for, and runs speed times as fast, so that a creation of eight minutes can
// take a second.
type clock struct {
	speed float64

	mu   sync.Mutex
	real time.Time // when base was right; holds a monotonic reading
	base time.Time
}

// FastestSpeed is how fast the clock can run. Faster, the days would pass before what
// belongs to them can be done.
const FastestSpeed = 10_000

func newClock(speed float64, start time.Time) *clock {
	if speed <= 0 {
		speed = 1
	}
	speed = min(speed, FastestSpeed)
	now := time.Now()
	if start.IsZero() {
		start = now
	}
	return &clock{speed: speed, real: now, base: start.UTC().Round(0)}
}

// now is the fake's time, in whole milliseconds: records, events and the Date
// header are all made from it.
func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	since := time.Since(c.real)
	passed := time.Duration(float64(since) * c.speed)
	now := c.base.Add(passed)
	if passed > longCount {
		c.real, c.base = c.real.Add(since), now
	}
	return now.Truncate(time.Millisecond)
}

// longCount is after how much of the fake's time the count begins anew. A duration
// holds less than three centuries, which pass in eleven days at the fastest.
const longCount = 365 * 24 * time.Hour

// set moves the fake's time to a moment, back if need be.
func (c *clock) set(fake time.Time) { c.advance(fake.Sub(c.now())) }

// startFrom moves the fake's time on to a moment, if it is not there yet.
func (c *clock) startFrom(fake time.Time) {
	if behind := fake.Sub(c.now()); behind > 0 {
		c.advance(behind)
	}
}

// advance moves the fake's time forward at once.
func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.base = c.base.Add(d)
}

// realTime converts a moment of the fake's time to the real time at which it
// was or will be.
func (c *clock) realTime(fake time.Time) time.Time {
	if fake.IsZero() {
		return time.Time{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.real.Add(time.Duration(float64(fake.Sub(c.base)) / c.speed))
}

// until is how long it really takes until the fake's time reaches a moment.
func (c *clock) until(fake time.Time) time.Duration {
	return time.Until(c.realTime(fake))
}
