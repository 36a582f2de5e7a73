// Package enginelock serializes changes of an engine, until the engine is closed.
package enginelock

import (
	"context"
	"errors"
)

// Lock is a lock with one holder at a time.
type Lock struct {
	held chan struct{}
	life context.Context
	end  context.CancelFunc
}

// ErrClosed is the error of Acquire after Close.
var ErrClosed = errors.New("the engine is closed")

// New returns a free lock. It outlives ctx, but keeps its values.
func New(ctx context.Context) *Lock {
	l := &Lock{held: make(chan struct{}, 1)}
	l.life, l.end = context.WithCancel(context.WithoutCancel(ctx))
	return l
}

// Life returns a context that ends with Close.
func (l *Lock) Life() context.Context { return l.life }

// Acquire waits for the current holder to release the lock, and takes it. The returned
// context also ends with Close.
func (l *Lock) Acquire(ctx context.Context) (bounded context.Context, release func(), err error) {
	select {
	case l.held <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	case <-l.life.Done():
		return nil, nil, ErrClosed
	}
	if l.life.Err() != nil {
		<-l.held
		return nil, nil, ErrClosed
	}
	bounded, cancel := context.WithCancel(ctx)
	unbind := context.AfterFunc(l.life, cancel)
	return bounded, func() {
		unbind()
		cancel()
		<-l.held
	}, nil
}

// Close makes later calls of Acquire fail, ends the holder's context, and takes the lock
// when the holder has released it. The returned function releases it again.
func (l *Lock) Close() (release func()) {
	l.end()
	l.held <- struct{}{}
	return func() { <-l.held }
}
