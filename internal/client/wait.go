package client

import (
	"context"
	"errors"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

const (
	// ToleratedOutage is the time that polls may fail before a wait fails. Time during which
	// the service asked the client to wait does not count.
	ToleratedOutage = 2 * time.Minute
	// longestBlind is the maximum delay that a failure adds before the next poll.
	longestBlind = 10 * time.Second
	// firstBlind is that delay after the first failure. It doubles with each further one.
	firstBlind = 500 * time.Millisecond
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

// wait polls until the work is done: first after delay, then at the intervals of
// nextPoll. It returns the context's error if that ends first. It returns a poll's error
// if that is permanent or a refusal, or if polls have failed for too long.
func (c *Client) wait(ctx context.Context, delay time.Duration, poll func(context.Context) (observation, error)) error {
	begun := time.Now()
	var failingSince time.Time // zero while polls are answered
	for failures := 0; ; {
		if err := lifetime.Pause(ctx, delay); err != nil {
			return err
		}
		seen, err := poll(ctx)
		next := c.random.Jitter(nextPoll(time.Since(begun), seen.progress))
		var final *permanentError
		var refused *transport.APIError
		var told time.Duration
		if errors.As(err, &refused) {
			told = refused.RetryAfter
		}
		switch {
		case errors.As(err, &final):
			return final.error
		case err != nil && lifetime.Ended(ctx):
			return lifetime.CauseOf(ctx)
		case err != nil && (!Passing(err) || !lifetime.MayWait(ctx, told)):
			return err
		case told > ToleratedOutage:
			failures = 0 // failures after that time get a new limit
			delay = max(told, next)
		case err != nil && failures > 0 && time.Since(failingSince) >= ToleratedOutage:
			return err
		case err != nil:
			if failures++; failures == 1 {
				failingSince = time.Now()
			}
			delay = c.random.UpTo(min(longestBlind, firstBlind<<min(failures, 16)))
			delay = max(delay, told, next)
		case seen.done:
			return nil
		default:
			failures = 0
			delay = next
		}
		if deadline, ok := ctx.Deadline(); ok {
			// Poll a last time just before the deadline.
			if left := time.Until(deadline) - FirstPoll; left > 0 && left < delay {
				delay = left
			}
		}
	}
}

// look reads repeatedly, on the schedule of waits, until read reports success or the
// limit is reached. It continues for a while after the context has ended, because it may
// find an id that is not recorded anywhere else. A failure proves nothing, not even a
// refusal, and does not end the search unless it is permanent. Its error is returned only
// if nothing was found in the end.
func look[T any](ctx context.Context, c *Client, limit time.Duration, read func(context.Context) (T, bool, error)) (found T, ok bool, err error) {
	ctx, cancel := context.WithTimeout(lifetime.Detached(ctx), max(limit, 0))
	defer cancel()
	for begun := time.Now(); ; {
		var failure error
		found, ok, failure = read(ctx)
		if final := (*permanentError)(nil); errors.As(failure, &final) {
			return found, false, final.error
		}
		if ok {
			return found, true, nil
		}
		if !errors.Is(failure, context.DeadlineExceeded) && !errors.Is(failure, context.Canceled) {
			err = failure // and not the end of look itself
		}
		if lifetime.Ended(ctx) || lifetime.Pause(ctx, c.random.Jitter(nextPoll(time.Since(begun), 0))) != nil {
			return found, false, err
		}
	}
}

// pollUntil reports whether a condition becomes true within a limit; see look.
func (c *Client) pollUntil(ctx context.Context, limit time.Duration, holds func(context.Context) (bool, error)) (bool, error) {
	_, ok, err := look(ctx, c, limit, func(ctx context.Context) (struct{}, bool, error) {
		ok, err := holds(ctx)
		return struct{}{}, ok, err
	})
	return ok, err
}
