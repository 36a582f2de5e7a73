package lifetime

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestCauseOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := WithTimeout(t.Context(), "create", 90*time.Minute)
		defer cancel()
		if err := CauseOf(ctx); err != nil {
			t.Errorf("CauseOf a context that has not ended: got %v, want nil", err)
		}
		if err := DeadlineOf(ctx); err.Error() != "the create timeout of 1h30m is over" {
			t.Errorf("DeadlineOf: got %v, want the create timeout of 1h30m", err)
		}
		child, end := context.WithTimeout(ctx, time.Second)
		defer end()
		if err := DeadlineOf(child); err != context.DeadlineExceeded {
			t.Errorf("DeadlineOf a child: got %v, want context.DeadlineExceeded", err)
		}
		<-ctx.Done()
		if err := CauseOf(ctx); err.Error() != "the create timeout of 1h30m is over" || !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
			t.Errorf("CauseOf a context whose time is over: got %v, want the create timeout of 1h30m", err)
		}
		ctx, cancel = WithTimeout(t.Context(), "create", time.Hour)
		cancel()
		if err := CauseOf(ctx); err.Error() != "interrupted" || !errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("CauseOf a context that was cancelled: got %v, want the interruption", err)
		}
	})
}

func TestShortDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		3 * time.Second: "3s", 90 * time.Second: "1m30s", 30 * time.Minute: "30m", time.Hour: "1h", 90 * time.Minute: "1h30m",
		10 * time.Minute: "10m", 10 * time.Second: "10s", 250 * time.Millisecond: "250ms", 20 * time.Hour: "20h",
	} {
		if got := ShortDuration(d); got != want {
			t.Errorf("ShortDuration(%v) = %s, want %s", d, got, want)
		}
	}
}

func TestMayWait(t *testing.T) {
	bounded, cancel := WithTimeout(t.Context(), "create", 90*time.Minute)
	defer cancel()
	for name, row := range map[string]struct {
		ctx  context.Context
		told time.Duration
		want bool
	}{
		"ten minutes":                        {t.Context(), 10 * time.Minute, true},
		"more than ten minutes":              {t.Context(), 10*time.Minute + time.Second, false},
		"an hour, with a timeout of its own": {bounded, time.Hour, true},
	} {
		if got := MayWait(row.ctx, row.told); got != row.want {
			t.Errorf("%s: got %t, want %t", name, got, row.want)
		}
	}
}

// The error of a timeout knows that the service asked to wait for longer than it allowed.
func TestAsked(t *testing.T) {
	for told, want := range map[time.Duration]time.Duration{10 * time.Minute: 0, 89 * time.Minute: 0, 2 * time.Hour: 2 * time.Hour} {
		ctx, cancel := WithTimeout(t.Context(), "create", 90*time.Minute)
		MayWait(Detached(ctx), told)
		cancel()
		var timeout *TimeoutError
		if !errors.As(DeadlineOf(ctx), &timeout) || timeout.Asked() != want {
			t.Errorf("asked to wait for %s: got %s (%v), want %s", told, timeout.Asked(), DeadlineOf(ctx), want)
		}
	}
}
