package core

import (
	"sync"
	"time"
)

// clock is the fake's time. It starts at the real time unless the options set a start. It
// runs speed times as fast as real time, so that a creation of eight minutes can take a
// second.
type clock struct {
	speed float64

	mu   sync.Mutex
	real time.Time // the real time at base, with a monotonic reading
	base time.Time
}

// FastestSpeed is the limit of the clock's speed. At a higher speed, the days would pass
// before their backups and charges could be made.
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

// now returns the fake's time in whole milliseconds. Records, events and the Date header
// all use it.
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

// longCount is the fake time after which now moves the base of its count. A Duration is
// limited to less than three centuries, which pass in eleven days at FastestSpeed.
const longCount = 365 * 24 * time.Hour

// set moves the fake's time to fake, backwards if necessary.
func (c *clock) set(fake time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.real, c.base = time.Now(), fake
}

// startFrom moves the fake's time forward to fake, unless it is later already.
func (c *clock) startFrom(fake time.Time) {
	if fake.After(c.now()) {
		c.set(fake)
	}
}

// advance moves the fake's time forward immediately.
func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.base = c.base.Add(d)
}

// realTime converts a time of the fake's clock to the corresponding real time.
func (c *clock) realTime(fake time.Time) time.Time {
	if fake.IsZero() {
		return time.Time{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.real.Add(time.Duration(float64(fake.Sub(c.base)) / c.speed))
}

// until returns the real time left until the fake's clock reaches fake.
func (c *clock) until(fake time.Time) time.Duration {
	return time.Until(c.realTime(fake))
}
