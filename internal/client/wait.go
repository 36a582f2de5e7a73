package client

import (
	"context"
	"errors"
	"time"
)

const (
	// ToleratedOutage is for how long polls may fail before a wait does.
	ToleratedOutage = 2 * time.Minute
	// longestBlind is what a failure puts off the next poll by at most.
	longestBlind = 10 * time.Second
)

// An observation is what one poll saw.
type observation struct {
	done     bool
	progress int // 0 to 100; 0 when the service tells none
}

// permanent marks the error of a poll that ends the wait at once.
func permanent(err error) error { return &permanentError{err} }

type permanentError struct{ error }

func (e *permanentError) Unwrap() error { return e.error }

// wait polls until what it watches is done, on the schedule of nextPoll. It
// returns the context's error when that ends first, and a poll's error when it is
// permanent, a refusal, or when polls have failed for too long.
func (c *Client) wait(ctx context.Context, usual time.Duration, poll func(context.Context) (observation, error)) error {
	begun := time.Now()
	var failingSince time.Time // zero while polls are answered
	estimate := estimator{usual: usual}
	delay := firstPoll
	for failures := 0; ; {
		if err := pause(ctx, delay); err != nil {
			return err
		}
		seen, err := poll(ctx)
		elapsed := time.Since(begun)
		var final *permanentError
		var refused *APIError
		var atLeast time.Duration
		switch {
		case errors.As(err, &final):
			return final.error
		case err != nil && ended(ctx):
			return CauseOf(ctx)
		case err != nil && (!Passing(err) || failures > 0 && time.Since(failingSince) >= ToleratedOutage):
			return err
		case err != nil:
			if failures++; failures == 1 {
				failingSince = time.Now()
			}
			atLeast = c.random.upTo(min(longestBlind, backoffBase<<min(failures, 16)))
			if errors.As(err, &refused) {
				atLeast = max(atLeast, refused.RetryAfter)
			}
		case seen.done:
			return nil
		default:
			failures = 0
			estimate.observe(elapsed, seen.progress)
		}
		delay = max(atLeast, c.random.jitter(nextPoll(elapsed, estimate.total())))
		if deadline, ok := ctx.Deadline(); ok {
			// One last look just before the time is up.
			if left := time.Until(deadline) - firstPoll; left > 0 && left < delay {
				delay = left
			}
		}
	}
}

const (
	firstPoll    = 250 * time.Millisecond
	longestDelay = 60 * time.Second
)

// nextPoll is how long to wait for the next poll after some time, when the
// whole is estimated at total (zero: no estimate). Near the estimate it polls
// often, far from it seldom; a wrong estimate costs little, as no delay is
// longer than a quarter of what has passed.
func nextPoll(elapsed, total time.Duration) time.Duration {
	var delay time.Duration
	switch {
	case total == 0:
		delay = elapsed * 8 / 100
	case elapsed < total:
		delay = max(elapsed/100, (total-elapsed)/2)
	default:
		delay = elapsed * 3 / 100
	}
	delay = max(firstPoll, delay)
	return min(delay, max(time.Second, elapsed/4), longestDelay)
}

// leastProgress is from where on the service's progress is a better guide than
// what an operation usually takes.
const leastProgress = 5

// An estimator guesses the whole duration of what is waited for.
type estimator struct {
	usual time.Duration
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
		if e.usual == 0 || elapsed*100 < e.usual*time.Duration(max(progress-leastProgress, 0)) {
			// Much further than the time since the start explains.
			e.since, e.from = elapsed, progress
		}
	}
	if gained := progress - e.from; progress >= leastProgress && progress < 100 && gained > 0 {
		e.guess = e.since + (elapsed-e.since)*time.Duration(100-e.from)/time.Duration(gained)
	}
}

func (e *estimator) total() time.Duration {
	switch {
	case e.guess > 0:
		return e.guess
	case e.from > 0:
		return e.since + e.usual*time.Duration(100-e.from)/100
	}
	return e.usual
}
