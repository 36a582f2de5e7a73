package client

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// A TimeoutError says which timeout of the caller's ended an operation. It is
// context.DeadlineExceeded.
type TimeoutError struct {
	Operation string        // as the caller calls it: "create"
	Limit     time.Duration // all of it
	deadline  time.Time
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("the %s timeout of %s is over", e.Operation, e.Duration())
}

// Duration is the limit as people write it: 30m and not 30m0s.
func (e *TimeoutError) Duration() string { return shortDuration(e.Limit) }

// Is makes it context.DeadlineExceeded.
func (e *TimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// shortDuration writes a duration as people do: 30m and not 30m0s.
func shortDuration(d time.Duration) string {
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

// WithTimeout bounds an operation by a timeout that its errors name.
func WithTimeout(ctx context.Context, operation string, limit time.Duration) (context.Context, context.CancelFunc) {
	timeout := &TimeoutError{Operation: operation, Limit: limit, deadline: time.Now().Add(limit)}
	return context.WithDeadlineCause(context.WithValue(ctx, timeoutKey{}, timeout), timeout.deadline, timeout)
}

// ErrInterrupted is an operation that was cancelled, as Ctrl-C does. It is
// context.Canceled.
var ErrInterrupted error = interruption{}

type interruption struct{}

func (interruption) Error() string { return "interrupted" }

func (interruption) Is(target error) bool { return target == context.Canceled }

// CauseOf says why a context has ended, nil while it has not: a *TimeoutError where
// it was bounded by WithTimeout, and ErrInterrupted where it was cancelled.
func CauseOf(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, context.Canceled) {
		return ErrInterrupted
	}
	return cause
}

// longestTold is how long a call waits at most, where no timeout bounds it, for a
// time that the service asked it to wait.
const longestTold = 10 * time.Minute

// hasTimeout tells whether a timeout bounds what is done with a context: its own
// deadline, or that of the operation for which a shared read was begun.
func hasTimeout(ctx context.Context) bool {
	if _, bounded := ctx.Deadline(); bounded {
		return true
	}
	timeout, ok := ctx.Value(timeoutKey{}).(*TimeoutError)
	return ok && time.Now().Before(timeout.deadline)
}

// mayWait tells whether a call may wait for as long as the service asks it to: up
// to its operation's timeout, or for longestTold.
func mayWait(ctx context.Context, told time.Duration) bool {
	return told <= longestTold || hasTimeout(ctx)
}

// deadlineOf is the error of the deadline that a context has, before it is over.
func deadlineOf(ctx context.Context) error {
	deadline, bounded := ctx.Deadline()
	if timeout, ok := ctx.Value(timeoutKey{}).(*TimeoutError); ok && bounded && deadline.Equal(timeout.deadline) {
		return timeout
	}
	return context.DeadlineExceeded
}
