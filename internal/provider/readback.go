package provider

import (
	"context"
	"errors"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// readLag is for how long a record is read again after a write: a service that
// answers from replicas may show an older record, or none at all, for a moment.
const readLag = 15 * time.Second

// readBack reads a record after a write until it shows it. A record that never
// shows the write is returned as it is: then it is the service that decided
// otherwise, and the caller's state must say so. Nobody answering is borne as it
// is while waiting for a job: what was written is not to be given up for it.
func readBack[T any](ctx context.Context, read func(context.Context) (T, error), shows func(T) bool) (T, error) {
	begun := time.Now()
	for delay := 250 * time.Millisecond; ; delay = min(2*delay, 2*time.Second) {
		record, err := read(ctx)
		switch {
		case err == nil && shows(record), err != nil && !client.Passing(err):
			return record, err
		case (err == nil || errors.Is(err, client.ErrNotFound)) && time.Since(begun) >= readLag:
			return record, err
		case time.Since(begun) >= client.ToleratedOutage:
			return record, err
		}
		if err := pause(ctx, delay); err != nil {
			return record, err
		}
	}
}

// pause waits, or returns why the context has ended when that comes first.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return client.CauseOf(ctx)
	case <-timer.C:
		return nil
	}
}

// anything accepts the first record that there is.
func anything[T any](T) bool { return true }
