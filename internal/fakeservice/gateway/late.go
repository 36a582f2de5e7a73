package gateway

import (
	"context"
	"slices"
	"time"
)

// lateRequest is a request that has been answered and that the service has yet to see.
type lateRequest struct {
	// now delivers it to the service immediately; cancel drops it.
	now, cancel context.CancelFunc
	// done is closed when the request is served or dropped.
	done chan struct{}
}

// serveLate delivers the request to the service after a time, even if the client leaves. A
// closed gateway does not serve late requests.
func (p *passage) serveLate(after time.Duration, then func()) {
	g := p.gateway
	// The request's own context ends with the client's connection.
	ctx, cancel := context.WithCancel(context.WithoutCancel(p.request.Context()))
	hurried, now := context.WithTimeout(ctx, after)
	late := &lateRequest{now: now, cancel: cancel, done: make(chan struct{})}

	g.mu.Lock()
	defer g.mu.Unlock()
	if g.life.Err() != nil {
		now()
		cancel()
		return
	}
	g.late = append(g.late, late)
	go func() {
		defer close(late.done)
		defer g.forget(late)
		defer cancel()
		defer now()
		<-hurried.Done()
		if ctx.Err() != nil {
			return
		}
		late := *p
		late.client, late.streams = nil, false // the client has its answer
		late.serve(ctx, 0)
		if then != nil {
			then()
		}
	}()
}

func (g *Gateway) forget(late *lateRequest) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.late = slices.DeleteFunc(g.late, func(other *lateRequest) bool { return other == late })
}

func (g *Gateway) lateRequests() []*lateRequest {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.late)
}

// LateRequests returns the number of answered requests that the service has yet to see or
// to answer.
func (g *Gateway) LateRequests() int { return len(g.lateRequests()) }

// DeliverLate delivers all late requests to the service now, waits for its answers, and
// returns the number of requests.
func (g *Gateway) DeliverLate() int {
	late := g.lateRequests()
	for _, l := range late {
		l.now()
	}
	for _, l := range late {
		<-l.done
	}
	return len(late)
}

// dropLate drops the late requests, and waits for those that the service has already
// received.
func (g *Gateway) dropLate() {
	late := g.lateRequests()
	for _, l := range late {
		l.cancel()
	}
	for _, l := range late {
		<-l.done
	}
}
