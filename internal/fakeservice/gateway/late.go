package gateway

import (
	"context"
	"slices"
	"time"
)

// lateRequest is a request that has been answered and that the service has yet
// to see.
type lateRequest struct {
	// now has the service see it at once; cancel, never.
	now, cancel context.CancelFunc
	// done is closed when nothing is left to do about it.
	done chan struct{}
}

// serveLate has the service see the request after a time, whatever the client
// does meanwhile. A gateway that is closed serves nothing late.
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
		p.serve(ctx, 0)
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

// LateRequests is how many requests have been answered that the service has yet
// to see or to answer.
func (g *Gateway) LateRequests() int { return len(g.lateRequests()) }

// DeliverLate has the service see all late requests now, and returns how many
// they were when it has answered them.
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

// dropLate has the service never see the late requests, and returns when it is
// done with those that it sees already.
func (g *Gateway) dropLate() {
	late := g.lateRequests()
	for _, l := range late {
		l.cancel()
	}
	for _, l := range late {
		<-l.done
	}
}
