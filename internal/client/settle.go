package client

import (
	"context"
	"errors"
	"slices"
	"time"
)

// A finder looks for what a POST whose answer was lost has made, if it did. A
// thing counts only when it was made at or after since, by the service's clock.
type finder[T any] func(ctx context.Context, since time.Time) (found T, ok bool, err error)

// looks are the pauses before each look for what a lost POST has made. There is
// more than one: a gateway can give up while the service is still at work.
var looks = []time.Duration{0, time.Second, 2 * time.Second}

// settle sends a POST and finds out what became of it when the answer was lost:
// what find sees is the answer; when it sees nothing, time and again, the POST is
// sent again, as often as the client's retries allow.
func settle[T any](ctx context.Context, c *Client, find finder[T], post func(context.Context) (T, error)) (T, error) {
	var answer T
	since, err := c.now(ctx)
	if err != nil {
		return answer, err
	}
	for attempt := 0; ; attempt++ {
		answer, err = post(ctx)
		if err == nil || !outcomeUnknown(err) {
			return answer, err
		}
		found, ok, findErr := look(ctx, find, since)
		switch {
		case findErr != nil:
			return answer, errors.Join(err, findErr)
		case ok:
			return found, nil
		case attempt >= c.retries || ctx.Err() != nil:
			return answer, err
		}
	}
}

// look looks for what a lost POST has made. The first look is not to be cut
// short: it may find an id that nobody else knows. It is bounded by its own
// requests' timeouts.
func look[T any](ctx context.Context, find finder[T], since time.Time) (found T, ok bool, err error) {
	for _, delay := range looks {
		if delay > 0 {
			_ = pause(ctx, delay)
			if ended(ctx) {
				break // seen nothing so far
			}
		}
		if found, ok, err = find(context.WithoutCancel(ctx), since); ok || err != nil {
			return found, ok, err
		}
	}
	return found, false, nil
}

// findJob finds the job of an action: one of that operation and target that
// began after the request. An instance has one job at most, and its record
// names it; of one that has ended already the instance's activity tells, where
// its type is the operation's.
func (t *Turn) findJob(operation, target string) finder[Pending] {
	return func(ctx context.Context, since time.Time) (Pending, bool, error) {
		instance, err := t.c.Instance(ctx, t.id)
		if err != nil {
			return Pending{}, false, err
		}
		if instance.JobID != "" {
			job, err := t.c.Job(ctx, instance.JobID)
			if err != nil {
				return Pending{}, false, err
			}
			begunBefore := !job.CreatedAt.IsZero() && job.CreatedAt.Before(since)
			if job.Operation == operation && job.Target == target && !begunBefore {
				return Pending{JobID: job.ID}, true, nil
			}
		}
		ended := slices.ContainsFunc(instance.Activity, func(a Activity) bool { return a.Type == operation && !a.At.Before(since) })
		return Pending{}, ended, nil
	}
}
