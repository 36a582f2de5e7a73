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

// settle sends a POST and finds out what became of it when the answer was lost:
// what find sees is the answer; when find sees nothing the POST is sent again,
// as often as the client's retries allow.
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
		// The look must not be cut short: it may find an id that nobody else
		// knows. It is bounded by its own requests' timeouts.
		found, ok, findErr := find(context.WithoutCancel(ctx), since)
		switch {
		case findErr != nil:
			return answer, errors.Join(err, findErr)
		case ok:
			return found, nil
		case attempt >= c.retries || ctx.Err() != nil:
			return answer, err
		}
		if pauseErr := pause(ctx, backoff(backoffBase, backoffCap, attempt, nil)); pauseErr != nil {
			return answer, err
		}
	}
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
		if instance.JobID == "" {
			ended := slices.ContainsFunc(instance.Activity, func(a Activity) bool { return a.Type == operation && !a.At.Before(since) })
			return Pending{}, ended, nil
		}
		job, err := t.c.Job(ctx, instance.JobID)
		if err != nil {
			return Pending{}, false, err
		}
		ours := job.Operation == operation && job.Target == target && !job.CreatedAt.Before(since)
		return Pending{JobID: job.ID}, ours, nil
	}
}
