package client

import (
	"math/rand/v2"
	"time"
)

const (
	// firstPoll is when a wait polls for the first time, and the least that lies
	// between two polls.
	firstPoll = 250 * time.Millisecond
	// longestDelay is the most that lies between two polls.
	longestDelay = 60 * time.Second
	// longestStart is the most that lies between two polls in the beginning, when
	// the estimate could be wrong by any factor.
	longestStart = 2 * time.Second
)

// A Schedule says when a wait polls. It polls often where the end is likely, and
// seldom elsewhere, by an estimate of how long the whole takes.
type Schedule struct {
	random   *random
	estimate estimator
}

// NewSchedule makes the schedule of a wait for something that usually takes so long,
// 0 where nothing is known of it, and that has just begun. The source is that of the
// jitter; nil means one that the system seeds.
func NewSchedule(usual time.Duration, source rand.Source) *Schedule {
	return newSchedule(usual, true, newRandom(source))
}

// newSchedule makes the schedule of a wait. fromStart tells that the wait sees all
// of what it waits for; otherwise it may have begun long ago.
func newSchedule(usual time.Duration, fromStart bool, random *random) *Schedule {
	return &Schedule{random: random, estimate: estimator{usual: usual, fromStart: fromStart}}
}

// First is how long after its beginning a wait polls for the first time.
func (s *Schedule) First() time.Duration { return firstPoll }

// Next is how long after a poll the next one is due, when that poll was made after
// some time and saw a progress in percent, 0 where the service tells none.
func (s *Schedule) Next(elapsed time.Duration, progress int) time.Duration {
	s.estimate.observe(elapsed, progress)
	return s.again(elapsed)
}

// again is Next after a poll that saw nothing.
func (s *Schedule) again(elapsed time.Duration) time.Duration {
	return s.random.jitter(nextPoll(elapsed, s.estimate.total()))
}

// An estimate is how long something is expected to take, zero where nothing is known
// of it. Most of what was expected so takes within a spread of it.
type estimate struct{ total, spread time.Duration }

// How far estimates are off, in hundredths of them.
const (
	usualSpread    = 20
	progressSpread = 10
)

// nextPoll is how long to wait for the next poll after some time.
//
// Around the estimate it polls at a fifth of its spread, and closer the nearer it
// is: durations are often those of before to the second. Up to there it halves the
// way, and past it lets go slowly. An estimate that is wrong by far costs little, as
// no delay is longer than a quarter of what has passed.
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

// bounded is a delay of at least firstPoll, and not over a limit where that is more.
func bounded(delay, limit time.Duration) time.Duration {
	return min(max(firstPoll, delay), max(firstPoll, limit), longestDelay)
}

// leastProgress is from where on the service's progress is a better guide than what
// an operation usually takes.
const leastProgress = 5

// An estimator guesses the whole duration of what is waited for.
type estimator struct {
	usual     time.Duration
	fromStart bool
	// The first progress seen, from which the speed is measured: a wait that
	// joins a job midway saw nothing of what came before.
	since    time.Duration
	from     int
	observed bool

	guess time.Duration
}

func (e *estimator) observe(elapsed time.Duration, progress int) {
	if !e.observed {
		e.observed = true
		if !e.fromStart && (e.usual == 0 || elapsed*100 < e.usual*time.Duration(max(progress-leastProgress, 0))) {
			// Much further than the time since the start explains.
			e.since, e.from = elapsed, progress
		}
	}
	gained := progress - e.from
	switch {
	case progress < leastProgress || progress >= 100 || gained <= 0:
	case e.from == 0:
		// Whole percents: half of one more is what it is on average.
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
