package client

import (
	"context"
	"errors"
	"time"
)

const (
	// ToleratedOutage is for how long polls may fail before a wait does. The time for
	// which the service asks to be left alone is not part of it.
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

// waiting is what is known of what is waited for.
type waiting struct {
	usual time.Duration // how long it is expected to take; 0 where nothing is known
	// since is when this process set it going, zero where it did not.
	since time.Time
	// newer is closed once another wait polls for the same thing; nil where each
	// polls for itself.
	newer func() <-chan struct{}
	// atOnce polls at once: it may be done already.
	atOnce bool
}

// wait polls until what it watches is done, on a Schedule, and tells
// how long that took, 0 where nothing can be said. It returns the context's error
// when that ends first, and a poll's error when it is permanent, a refusal, or when
// polls have failed for too long.
func (c *Client) wait(ctx context.Context, w waiting, poll func(context.Context) (observation, error)) (took time.Duration, err error) {
	begun, fromStart := w.since, !w.since.IsZero()
	if !fromStart {
		begun = time.Now()
	}
	var failingSince time.Time // zero while polls are answered
	var unfinished time.Duration
	schedule := newSchedule(w.usual, fromStart, c.random)
	delay := schedule.First()
	if w.atOnce {
		delay = 0
	}
	for failures := 0; ; {
		if err := w.pause(ctx, delay); err != nil {
			return 0, err
		}
		seen, err := poll(ctx)
		elapsed := time.Since(begun)
		var final *permanentError
		var refused *APIError
		var told time.Duration
		if errors.As(err, &refused) {
			told = refused.RetryAfter
		}
		switch {
		case errors.As(err, &final):
			return 0, final.error
		case err != nil && ended(ctx):
			return 0, CauseOf(ctx)
		case err != nil && (!Passing(err) || !mayWait(ctx, told)):
			return 0, err
		case told > ToleratedOutage:
			failures = 0 // what fails after that time has a patience of its own
			delay = max(told, schedule.again(elapsed))
		case err != nil && failures > 0 && time.Since(failingSince) >= ToleratedOutage:
			return 0, err
		case err != nil:
			if failures++; failures == 1 {
				failingSince = time.Now()
			}
			delay = c.random.upTo(min(longestBlind, backoffBase<<min(failures, 16)))
			delay = max(delay, told, schedule.again(elapsed))
		case seen.done && fromStart && unfinished > 0:
			return unfinished + (elapsed-unfinished)/2, nil
		case seen.done:
			return 0, nil
		default:
			failures, unfinished = 0, elapsed
			delay = schedule.Next(elapsed, seen.progress)
		}
		if deadline, ok := ctx.Deadline(); ok {
			// One last look just before the time is up.
			if left := time.Until(deadline) - firstPoll; left > 0 && left < delay {
				delay = left
			}
		}
	}
}

// pause waits until the next poll is due, or another wait polls for the same thing.
func (w waiting) pause(ctx context.Context, delay time.Duration) error {
	if w.newer == nil {
		return pause(ctx, delay)
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return CauseOf(ctx)
	case <-timer.C:
	case <-w.newer():
	}
	return nil
}
