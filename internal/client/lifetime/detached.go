package lifetime

import (
	"context"
	"time"
)

// GracePeriod is the maximum time that the work of an operation may continue after its
// context has ended, for example after Ctrl-C. All such work shares it: a mutation in
// flight, the search for its result, and closing a console.
const GracePeriod = 30 * time.Second

// An operation is all work for one call by Terraform.
type operation struct{ detached context.Context }

type operationKey struct{}

func operationOf(ctx context.Context) *operation {
	o, _ := ctx.Value(operationKey{}).(*operation)
	return o
}

// InOperation reports whether a context belongs to an operation and is limited by the
// operation's timeout.
func InOperation(ctx context.Context) bool { return operationOf(ctx) != nil }

// WithGracePeriod begins an operation. All work of the operation that continues under
// Detached shares one limit: 30 s after the end of ctx. A mutation begins an operation by
// itself; a caller whose operation has several steps begins it for all of them.
func WithGracePeriod(ctx context.Context) context.Context {
	if InOperation(ctx) {
		return ctx
	}
	o := &operation{}
	detached, end := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() { time.AfterFunc(GracePeriod, end) })
	// Work in the grace period belongs to the same operation, so it gets no second grace
	// period.
	o.detached = context.WithValue(detached, operationKey{}, o)
	return context.WithValue(ctx, operationKey{}, o)
}

// Detached returns the context for work that must continue although the context of the
// operation has ended; see WithGracePeriod.
func Detached(ctx context.Context) context.Context {
	return operationOf(WithGracePeriod(ctx)).detached
}

// Ended reports whether a context has ended.
func Ended(ctx context.Context) bool { return ctx.Err() != nil }

// Pause waits for d. If the context ends first, it returns the reason.
func Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return CauseOf(ctx)
	case <-timer.C:
		return nil
	}
}
