// Package turn serializes changes of an engine, until the engine is closed.
package turn

import (
	"context"
	"errors"
)

// Turn is a lock with one holder at a time.
type Turn struct {
	held chan struct{}
	life context.Context
	end  context.CancelFunc
}

// ErrClosed is the error of Enter after Close.
var ErrClosed = errors.New("the engine is closed")

// New returns a free turn. It outlives ctx, but keeps its values.
func New(ctx context.Context) *Turn {
	t := &Turn{held: make(chan struct{}, 1)}
	t.life, t.end = context.WithCancel(context.WithoutCancel(ctx))
	return t
}

// Life returns a context that ends with Close.
func (t *Turn) Life() context.Context { return t.life }

// Enter waits for the current holder to leave, and takes the turn. The returned context
// also ends with Close.
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

// Close makes later calls of Enter fail, ends the holder's context, and takes the turn when
// the holder has left. The returned function leaves it.
func (t *Turn) Close() (leave func()) {
	t.end()
	t.held <- struct{}{}
	return func() { <-t.held }
}
