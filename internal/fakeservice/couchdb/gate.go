package couchdb

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// gate holds requests back while the server is stopped on purpose, so that none is cut off.
type gate struct {
	// passing is held once by each request, and completely while the gate is closed. Waiting
	// requests pass in the order of their arrival.
	passing *semaphore.Weighted
	closed  bool
	// feeds ends the feeds, which have no end of their own.
	feeds atomic.Pointer[ending]
}

// ending is a context and its end.
type ending struct {
	life context.Context
	end  context.CancelFunc
}

func newEnding() *ending {
	life, end := context.WithCancel(context.Background())
	return &ending{life, end}
}

// everyRequest is more than the number of requests at the same time.
const everyRequest = 1 << 30

// leaveTime is the time that requests have to end when the gate closes.
const leaveTime = 5 * time.Second

func newGate() *gate {
	g := &gate{passing: semaphore.NewWeighted(everyRequest)}
	g.feeds.Store(newEnding())
	return g
}

// enter waits until the gate is open. A feed does not keep the gate from closing: cancel is
// called then.
func (g *gate) enter(ctx context.Context, cancel func(), feed bool) (leave func(), err error) {
	waiting, stop := context.WithTimeout(ctx, patience)
	defer stop()
	if err := g.passing.Acquire(waiting, 1); err != nil {
		return nil, err
	}
	if !feed {
		return func() { g.passing.Release(1) }, nil
	}
	unbind := context.AfterFunc(g.feeds.Load().life, cancel)
	g.passing.Release(1)
	return func() { unbind() }, nil
}

// close lets no more requests in, and ends feeds. It waits for the other requests, unless
// they take too long. The caller has the Server's lock.
func (g *gate) close() {
	if g.closed {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), leaveTime)
	defer cancel()
	g.closed = g.passing.Acquire(ctx, everyRequest) == nil
	g.feeds.Swap(newEnding()).end()
}

// open lets requests in. The caller has the Server's lock.
func (g *gate) open() {
	if g.closed {
		g.closed = false
		g.passing.Release(everyRequest)
	}
}
