package lifetime

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"
)

// A TimeoutError names the timeout that ended an operation. It matches
// context.DeadlineExceeded.
type TimeoutError struct {
	Operation string        // the caller's name for it: "create"
	Limit     time.Duration // the whole timeout
	deadline  time.Time
	asked     atomic.Int64 // see Asked
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("the %s timeout of %s is over", e.Operation, e.Duration())
}

// Duration returns the limit in short form: 30m instead of 30m0s.
func (e *TimeoutError) Duration() string { return ShortDuration(e.Limit) }

// Asked returns the time for which the service asked the operation to wait, if the timeout
// ended before that time, else 0.
func (e *TimeoutError) Asked() time.Duration { return time.Duration(e.asked.Load()) }

// Is reports whether target is context.DeadlineExceeded.
func (e *TimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// ShortDuration formats a duration in short form: 30m instead of 30m0s.
func ShortDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

type timeoutKey struct{}

// WithTimeout limits an operation by a timeout that its errors name.
func WithTimeout(ctx context.Context, operation string, limit time.Duration) (context.Context, context.CancelFunc) {
	timeout := &TimeoutError{Operation: operation, Limit: limit, deadline: time.Now().Add(limit)}
	return context.WithDeadlineCause(context.WithValue(ctx, timeoutKey{}, timeout), timeout.deadline, timeout)
}

// ErrInterrupted is the error of an operation that was cancelled, for example by Ctrl-C.
// It matches context.Canceled.
var ErrInterrupted error = interruption{}

type interruption struct{}

func (interruption) Error() string { return "interrupted" }

func (interruption) Is(target error) bool { return target == context.Canceled }

// CauseOf returns the reason why a context has ended, or nil if it has not. The reason is
// a *TimeoutError if WithTimeout limited the context, and ErrInterrupted if it was
// cancelled.
func CauseOf(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, context.Canceled) {
		return ErrInterrupted
	}
	return cause
}

// MaxWait is the longest time that a call without a timeout waits because the service
// asked for it.
const MaxWait = 10 * time.Minute

// HasTimeout reports whether a timeout limits the work of a context: its own deadline, or
// that of the operation that started a shared read.
func HasTimeout(ctx context.Context) bool {
	if _, bounded := ctx.Deadline(); bounded {
		return true
	}
	timeout, ok := ctx.Value(timeoutKey{}).(*TimeoutError)
	return ok && time.Now().Before(timeout.deadline)
}

// MayWait reports whether a call may wait as long as the service asks: until its
// operation's timeout, or for MaxWait. The error of a timeout that ends first says so.
func MayWait(ctx context.Context, told time.Duration) bool {
	timeout, ok := ctx.Value(timeoutKey{}).(*TimeoutError)
	if ok && told > time.Until(timeout.deadline) {
		timeout.asked.Store(int64(told.Round(time.Second)))
	}
	return told <= MaxWait || HasTimeout(ctx)
}

// DeadlineOf returns the error that the context's deadline will cause, before it is
// reached.
func DeadlineOf(ctx context.Context) error {
	deadline, bounded := ctx.Deadline()
	if timeout, ok := ctx.Value(timeoutKey{}).(*TimeoutError); ok && bounded && deadline.Equal(timeout.deadline) {
		return timeout
	}
	return context.DeadlineExceeded
}
