package base

import (
	"context"
	"errors"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
)

// ReadBack reads a record after a write until the record shows the write. A service that
// answers from replicas may briefly return an older record, or none. A record that still
// does not show the write after client.ReadLag is returned as it is: the service decided
// otherwise, and the caller's state must say so. Transient failures are tolerated for as
// long as a wait for a job tolerates them, because the write must not be given up for
// them.
func ReadBack[T any](ctx context.Context, read func(context.Context) (T, error), shows func(T) bool) (T, error) {
	begun := time.Now()
	for delay := 250 * time.Millisecond; ; delay = min(2*delay, 2*time.Second) {
		record, err := read(ctx)
		switch {
		case err == nil && shows(record), err != nil && !client.Passing(err):
			return record, err
		case (err == nil || errors.Is(err, client.ErrNotFound)) && time.Since(begun) >= client.ReadLag:
			return record, err
		case time.Since(begun) >= client.ToleratedOutage:
			return record, err
		}
		if err := lifetime.Pause(ctx, delay); err != nil {
			return record, err
		}
	}
}

// ReadBeforeChange reads a record before a change. A record that already shows a part of the
// change is read again once reads no longer lag: an interrupted apply or a person may have
// made the change, but the read may also show the object as it was before its last change.
func ReadBeforeChange[T any](ctx context.Context, turn *client.Turn, read func(context.Context, *client.Turn) (T, error), showsPart func(T) bool) (T, error) {
	record, err := read(ctx, turn)
	if err != nil || !showsPart(record) {
		return record, err
	}
	if waited, err := turn.AwaitFreshReads(ctx); err != nil || !waited {
		return record, err
	}
	return read(ctx, turn)
}

// AnyRecord accepts the first record that is read.
func AnyRecord[T any](T) bool { return true }
