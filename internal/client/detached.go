package client

import (
	"context"
	"time"
)

// gracePeriod is how long the work of an operation may go on after its context
// has ended: a mutation in flight, a look for what it made, a console to close.
// After Ctrl-C all of it together has this long.
const gracePeriod = 30 * time.Second

// An operation is all that is done for one call of Terraform.
type operation struct{ detached context.Context }

type operationKey struct{}

func operationOf(ctx context.Context) *operation {
	o, _ := ctx.Value(operationKey{}).(*operation)
	return o
}

// inOperation tells whether a context belongs to an operation, and is bounded by
// its timeout.
func inOperation(ctx context.Context) bool { return operationOf(ctx) != nil }

// WithGracePeriod begins an operation: what of it must go on after the end of ctx,
// under Detached, shares one bound, 30 s from that end. A mutation begins one by
// itself; a caller whose operation has several steps begins it for all of them.
func WithGracePeriod(ctx context.Context) context.Context {
	if inOperation(ctx) {
		return ctx
	}
	o := &operation{}
	detached, end := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() { time.AfterFunc(gracePeriod, end) })
	// What is done in the grace period belongs to the operation and has no other.
	o.detached = context.WithValue(detached, operationKey{}, o)
	return context.WithValue(ctx, operationKey{}, o)
}

// Detached is the context for work that must go on although the operation's
// own context has ended; see WithGracePeriod.
func Detached(ctx context.Context) context.Context {
	return operationOf(WithGracePeriod(ctx)).detached
}

// ended tells whether a context has.
func ended(ctx context.Context) bool { return ctx.Err() != nil }

// pause waits, or returns why the context has ended when that comes first.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return CauseOf(ctx)
	case <-timer.C:
		return nil
	}
}
