package client

import (
	"context"
	"errors"
	"time"
)

const (
	// ToleratedOutage is the time that polls may fail before a wait fails. Time during which
	// the service asked the client to wait does not count.
	ToleratedOutage = 2 * time.Minute
	// longestBlind is the maximum delay that a failure adds before the next poll.
	longestBlind = 10 * time.Second
)

// An observation is the result of one poll.
type observation struct {
	done     bool
	progress int // 0 to 100; 0 if the service reports none
}

// permanent marks an error of a poll that ends the wait immediately.
func permanent(err error) error { return &permanentError{err} }

type permanentError struct{ error }

func (e *permanentError) Unwrap() error { return e.error }

// waiting describes the work that a wait observes.
type waiting struct {
	usual time.Duration // the expected duration; 0 if unknown
	// since is the time when this process started the work, zero if another process did.
	since time.Time
	// newer returns a channel that is closed once another wait polls for the same work. It
	// is nil if each wait polls separately.
	newer func() <-chan struct{}
	// atOnce polls immediately, because the work may be done already.
	atOnce bool
}

// wait polls until the work is done, on a Schedule. It returns how long the work took, or
// 0 if unknown. It returns the context's error if that ends first. It returns a poll's
// error if that is permanent or a refusal, or if polls have failed for too long.
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
			failures = 0 // failures after that time get a new limit
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
			// Poll a last time just before the deadline.
			if left := time.Until(deadline) - firstPoll; left > 0 && left < delay {
				delay = left
			}
		}
	}
}

// pause waits until the next poll is due, or another wait polls for the same work.
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
