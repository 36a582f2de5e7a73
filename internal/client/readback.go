package client

import (
	"context"
	"errors"
	"time"
)

// ReadBack reads a record after a write until the record shows the write. A service that
// answers from replicas may briefly return an older record, or none. A record that still
// does not show the write after ReadLag is returned as it is: the service decided
// otherwise, and the caller's state must say so. Failures are tolerated as in a wait for a
// job, because the write must not be given up for them.
func ReadBack[T any](ctx context.Context, c *Client, read func(context.Context) (T, error), shows func(T) bool) (record T, err error) {
	return ReadBackWithin(ctx, c, c.readLag, read, shows)
}

// ReadBackWithin is like ReadBack, for a write that the service shows within a limit.
func ReadBackWithin[T any](ctx context.Context, c *Client, limit time.Duration, read func(context.Context) (T, error), shows func(T) bool) (record T, err error) {
	begun := time.Now()
	err = c.wait(ctx, 0, func(ctx context.Context) (observation, error) {
		var failure error
		record, failure = read(ctx)
		late := time.Since(begun) >= limit
		switch {
		case errors.Is(failure, ErrNotFound) && late:
			return observation{}, permanent(failure)
		case errors.Is(failure, ErrNotFound):
			return observation{}, nil
		}
		return observation{done: failure == nil && (late || shows(record))}, failure
	})
	return record, err
}

// AnyRecord accepts the first record that is read.
func AnyRecord[T any](T) bool { return true }
