// Package turn puts in order who changes an engine, until the engine is closed.
package turn

import (
	"context"
	"errors"
)

// Turn is held by one at a time.
type Turn struct {
	held chan struct{}
	life context.Context
	end  context.CancelFunc
}

// ErrClosed is the error of who comes after Close.
var ErrClosed = errors.New("the engine is closed")

// New makes a turn that nobody holds. It outlives ctx, whose values it keeps.
func New(ctx context.Context) *Turn {
	t := &Turn{held: make(chan struct{}, 1)}
	t.life, t.end = context.WithCancel(context.WithoutCancel(ctx))
	return t
}

// Life ends with Close.
func (t *Turn) Life() context.Context { return t.life }

// Enter takes the turn, when its present holder leaves. The context that it gives ends
// with Close too.
func (t *Turn) Enter(ctx context.Context) (bounded context.Context, leave func(), err error) {
	select {
	case t.held <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	case <-t.life.Done():
		return nil, nil, ErrClosed
	}
	if t.life.Err() != nil {
		<-t.held
		return nil, nil, ErrClosed
	}
	bounded, cancel := context.WithCancel(ctx)
	unbind := context.AfterFunc(t.life, cancel)
	return bounded, func() {
		unbind()
		cancel()
		<-t.held
	}, nil
}

// Close lets nobody in any more, ends the context of who has the turn, and takes it
// when that one has left.
func (t *Turn) Close() (leave func()) {
	t.end()
	t.held <- struct{}{}
	return func() { <-t.held }
}
