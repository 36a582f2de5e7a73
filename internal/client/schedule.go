package client

import (
	"math/rand/v2"
	"time"
)

const (
	// firstPoll is the delay of the first poll and the minimum delay between two polls.
	firstPoll = 250 * time.Millisecond
	// longestDelay is the maximum delay between two polls.
	longestDelay = 60 * time.Second
	// longestStart is the maximum delay between two polls at the beginning, when the
	// estimate could still be wrong by any factor.
	longestStart = 2 * time.Second
)

// A Schedule determines when a wait polls. It polls often near the likely end and rarely
// otherwise, based on an estimate of the total duration.
type Schedule struct {
	random   *random
	estimate estimator
}

// NewSchedule returns the schedule of a wait for work that has just begun. usual is its
// typical duration, or 0 if unknown. source is the source of the jitter; nil means one
// seeded by the system.
func NewSchedule(usual time.Duration, source rand.Source) *Schedule {
	return newSchedule(usual, true, newRandom(source))
}

// newSchedule returns the schedule of a wait. fromStart reports that the wait observes
// the work from its beginning; otherwise the work may have begun long ago.
func newSchedule(usual time.Duration, fromStart bool, random *random) *Schedule {
	return &Schedule{random: random, estimate: estimator{usual: usual, fromStart: fromStart}}
}

// First returns the time from the beginning of a wait to its first poll.
func (s *Schedule) First() time.Duration { return firstPoll }

// Next returns the time from one poll to the next. elapsed is the time since the
// beginning of the wait. progress is the percentage that the poll saw, or 0 if the
// service reports none.
func (s *Schedule) Next(elapsed time.Duration, progress int) time.Duration {
	s.estimate.observe(elapsed, progress)
	return s.again(elapsed)
}

// again is like Next, after a poll that saw nothing.
func (s *Schedule) again(elapsed time.Duration) time.Duration {
	return s.random.jitter(nextPoll(elapsed, s.estimate.total()))
}

// An estimate is the expected total duration of some work, or zero if it is unknown. Most
// durations differ from total by at most spread.
type estimate struct{ total, spread time.Duration }

// Spreads of estimates, in percent of the expected duration.
const (
	usualSpread    = 20
	progressSpread = 10
)

// nextPoll returns the time until the next poll.
//
// Near the estimate, the time is a fifth of the spread or less, because durations are
// often the same as before to the second. Before that, it is half the distance to that
// range. After that, it grows slowly. Even a very wrong estimate costs little, because no
// delay is longer than a quarter of the elapsed time.
func nextPoll(elapsed time.Duration, e estimate) time.Duration {
	if e.total == 0 {
		return bounded(elapsed*8/100, longestDelay)
	}
	var delay time.Duration
	step := e.spread / 5
	switch off := e.total - elapsed; {
	case off > e.spread:
		delay = step + (off-e.spread)/2
	case off >= -e.spread:
		delay = min(step, off.Abs()/2)
	default:
		delay = max(step, (-off-e.spread)/10)
	}
	start := min(longestStart, e.total/32)
	return bounded(max(delay, elapsed/128), max(start, (elapsed-time.Second)/4))
}

// bounded returns a delay of at least firstPoll and at most the larger of limit and
// firstPoll, but never more than longestDelay.
func bounded(delay, limit time.Duration) time.Duration {
	return min(max(firstPoll, delay), max(firstPoll, limit), longestDelay)
}

// leastProgress is the percentage from which the service's progress is a better guide
// than the typical duration of an operation.
const leastProgress = 5

// An estimator estimates the total duration of the work that a wait observes.
type estimator struct {
	usual     time.Duration
	fromStart bool
	// The first progress seen: its time and its percentage. The speed is measured from
	// there, because a wait that joins a job midway did not see the part before.
	since    time.Duration
	from     int
	observed bool

	guess time.Duration
}

func (e *estimator) observe(elapsed time.Duration, progress int) {
	if !e.observed {
		e.observed = true
		if !e.fromStart && (e.usual == 0 || elapsed*100 < e.usual*time.Duration(max(progress-leastProgress, 0))) {
			// The progress is much further than the time since the start explains.
			e.since, e.from = elapsed, progress
		}
	}
	gained := progress - e.from
	switch {
	case progress < leastProgress || progress >= 100 || gained <= 0:
	case e.from == 0:
		// Percentages are whole numbers, on average half a percent too low.
		e.guess = elapsed * 200 / time.Duration(2*progress+1)
	default:
		e.guess = e.since + (elapsed-e.since)*time.Duration(100-e.from)/time.Duration(gained)
	}
}

func (e *estimator) total() estimate {
	switch {
	case e.guess > 0:
		return estimate{e.guess, e.guess * progressSpread / 100}
	case e.from > 0 && e.usual > 0:
		return estimate{e.since + e.usual*time.Duration(100-e.from)/100, e.usual * usualSpread / 100}
	}
	return estimate{e.usual, e.usual * usualSpread / 100}
}
