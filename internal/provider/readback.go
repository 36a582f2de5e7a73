package provider

import (
	"context"
	"errors"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// readBackTries bounds how often a record is read after a write.
const readBackTries = 6

// readBack reads a record after a write until it shows it. A service that
// answers from replicas may show an older record, or none at all, for a moment.
// A record that never shows the write is returned as it is: then it is the
// service that decided otherwise, and the caller's state must say so.
func readBack[T any](ctx context.Context, read func(context.Context) (T, error), shows func(T) bool) (T, error) {
	delay := 250 * time.Millisecond
	for try := 1; ; try++ {
		record, err := read(ctx)
		switch {
		case err != nil && !errors.Is(err, client.ErrNotFound):
			return record, err
		case err == nil && shows(record), try == readBackTries:
			return record, err
		}
		timer := time.NewTimer(delay)
		select {
		case <-ctx.Done():
			timer.Stop()
			return record, ctx.Err()
		case <-timer.C:
		}
		delay *= 2
	}
}

// anything accepts the first record that there is.
func anything[T any](T) bool { return true }
