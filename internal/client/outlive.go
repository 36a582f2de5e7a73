package client

import (
	"context"
	"time"
)

// afterlife is how long the work of an operation may go on after its context
// has ended: a mutation in flight, a look for what it made, a console to close.
// After Ctrl-C all of it together has this long.
const afterlife = 30 * time.Second

type (
	outlivingKey struct{} // holds the context that outlives the operation's
	operationKey struct{} // marks what belongs to an operation
)

// inOperation tells whether a context belongs to an operation, and is bounded by
// its timeout.
func inOperation(ctx context.Context) bool { return ctx.Value(operationKey{}) != nil }

// Outliving begins an operation: what of it must outlive the end of ctx shares
// one bound, 30 s from that end. A mutation begins one by itself; a caller whose
// operation has several steps begins it for all of them.
func Outliving(ctx context.Context) context.Context {
	if _, begun := ctx.Value(outlivingKey{}).(context.Context); begun {
		return ctx
	}
	return context.WithValue(context.WithValue(ctx, operationKey{}, true), outlivingKey{}, outlive(ctx))
}

// Detached is the context for work that must go on although the operation's
// own context has ended; see Outliving.
func Detached(ctx context.Context) context.Context {
	if detached, begun := ctx.Value(outlivingKey{}).(context.Context); begun {
		return detached
	}
	return outlive(ctx)
}

func outlive(ctx context.Context) context.Context {
	detached, end := context.WithCancel(context.WithValue(context.WithoutCancel(ctx), operationKey{}, true))
	context.AfterFunc(ctx, func() { time.AfterFunc(afterlife, end) })
	// What begins in it gets no time of its own on top.
	return context.WithValue(detached, outlivingKey{}, detached)
}

// ended tells whether a context has.
func ended(ctx context.Context) bool { return ctx.Err() != nil }

// pause waits, or returns the context's error when that ends first.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
