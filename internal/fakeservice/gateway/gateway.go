// Package gateway simulates the network and the gateways between a client and a service,
// with everything that can go wrong there. A Gateway is an http.Handler in front of another
// one.
//
// Three things decide the outcome of a request. A FaultFunc sees every request in order and
// selects a fault for it. Injected faults affect the requests that they match, for a number
// of requests or a time. Conditions apply to all requests that are passed on until they are
// changed: a wrong Date, reads that lag, a limit of requests, an unreachable service.
//
// All durations use package time, so a bubble of testing/synctest controls them. Nothing in
// this package is random. Weather from a seed is a FaultFunc with its own random source.
package gateway

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Options configures a Gateway.
type Options struct {
	// Prefix is the beginning of the API's paths, such as /api/v1. The paths of faults are
	// relative to it; those of requests outside the API are whole.
	Prefix string
	// Now returns the service's time, for the Date header; nil means time.Now.
	Now func() time.Time
	// Watch, if non-nil, is called for each request as it arrives, one at a time. It
	// returns an Exchange, which is notified of the outcome of the request, or nil.
	Watch func(r *http.Request, body []byte) Exchange
}

// Exchange is notified of the outcome of a request.
type Exchange interface {
	// Served is called with the status of the service's answer. For a request that reaches
	// the service late, it is called after Answered.
	Served(status int)
	// Answered is called with the status and the body that the client gets, before the
	// first byte is sent. The status is 0 if the connection is closed without an answer. The
	// body ends with the first part that is flushed, lacks what Fault.BodySize generates, and
	// must not be changed. faulted reports whether the gateway caused the answer or its
	// absence.
	Answered(status int, body []byte, faulted bool)
}

// FaultFunc selects the fault for a request. If it returns nil, the injected faults
// apply. The fields Method, Path, Skip, Times and For of the fault are ignored. A
// FaultFunc sees every request in order of arrival, with a number that starts at 1 when
// it is set. It is called for one request at a time and must return immediately; slow
// work belongs in the fault's Before and After.
type FaultFunc func(n int, r *http.Request) *Fault

// Gateway is safe for concurrent use. No lock is held while a request is served.
type Gateway struct {
	next   http.Handler
	prefix string
	now    func() time.Time
	watch  func(*http.Request, []byte) Exchange

	// life ends when the gateway closes.
	life context.Context
	end  context.CancelFunc

	// turn is locked while a request gets its number and its fault, so that all observers
	// see requests in the same order.
	turn sync.Mutex

	mu         sync.Mutex
	faultFunc  FaultFunc
	seen       int // requests since faultFunc was set
	faults     []*injected
	conditions Conditions
	limiter    *rate.Limiter
	away       outage
	late       []*lateRequest
}

// New returns a Gateway in front of a handler.
func New(next http.Handler, o Options) *Gateway {
	g := &Gateway{next: next, prefix: o.Prefix, now: o.Now, watch: o.Watch}
	if g.now == nil {
		g.now = time.Now
	}
	if g.watch == nil {
		g.watch = func(*http.Request, []byte) Exchange { return nil }
	}
	g.life, g.end = context.WithCancel(context.Background())
	return g
}

type unwatched struct{}

func (unwatched) Served(int)                 {}
func (unwatched) Answered(int, []byte, bool) {}

// SetFaultFunc sets the FaultFunc for all following requests, and numbers them from 1.
// With nil, only the injected faults apply.
func (g *Gateway) SetFaultFunc(s FaultFunc) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.faultFunc, g.seen = s, 0
}

// Reset removes all settings: the FaultFunc, faults, conditions and an outage. Requests
// that have yet to reach the service never do.
func (g *Gateway) Reset() {
	g.SetFaultFunc(nil)
	g.SetConditions(Conditions{})
	g.Away(0, 0)
	g.clearFaults()
	g.dropLate()
}

// Close releases requests that a fault delays, and drops those that have yet to reach the
// service. It returns when none of those is being served.
func (g *Gateway) Close() {
	g.mu.Lock()
	g.end() // with the lock held, so that no late request comes after this
	g.mu.Unlock()
	g.dropLate()
}

// ServeHTTP answers a request. It panics with http.ErrAbortHandler to close the connection
// before the end of the answer.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p := g.arrive(r)
	p.client, p.streams = w, p.fault == nil || !p.fault.altersAnswer()
	if p.fault != nil {
		p.end(w, p.misbehave())
		return
	}
	out, _ := p.forward(0)
	p.end(w, out)
}

// passage is one request on its way.
type passage struct {
	gateway *Gateway
	request *http.Request
	body    requestBody
	watcher Exchange
	fault   *Fault
	// faulted reports whether the gateway caused the answer.
	faulted bool
	// client receives the answer; it is nil for a late request. streams reports whether it
	// receives what the service flushes before the end, and flushed whether it has.
	client           http.ResponseWriter
	streams, flushed bool
}

// arrive assigns a request its number and its fault.
func (g *Gateway) arrive(r *http.Request) *passage {
	p := &passage{gateway: g, request: r, body: readBody(r)}
	g.turn.Lock()
	defer g.turn.Unlock()
	if p.watcher = g.watch(r, p.body.head); p.watcher == nil {
		p.watcher = unwatched{}
	}

	g.mu.Lock()
	g.seen++
	choose, n := g.faultFunc, g.seen
	g.mu.Unlock()
	if choose != nil {
		p.fault = choose(n, p.toService(r.Context()))
	}
	if f := g.take(r.Method, strings.TrimPrefix(r.URL.EscapedPath(), g.prefix), p.fault == nil); f != nil {
		p.fault = f
	}
	p.faulted = p.fault != nil
	return p
}

// forward passes the request on, if the conditions allow it, and returns the answer, or nil
// if the connection should be closed. served reports whether the service has seen the
// request.
func (p *passage) forward(lag time.Duration) (out *answer, served bool) {
	if c, _, _ := p.gateway.present(); !p.pause(c.Latency) {
		p.faulted = true
		return nil, false
	}
	c, limiter, away := p.gateway.present()
	if away.lasts() {
		p.faulted = true
		if away.page == 0 {
			return nil, false
		}
		return page(away.page), false
	}
	if limiter != nil {
		if slot := limiter.Reserve(); slot.Delay() > 0 {
			p.faulted = true
			wait := slot.Delay()
			slot.Cancel()
			return tooMany(wait), false
		}
	}
	if lag == 0 {
		lag = c.Lag
	}
	out = p.serve(p.request.Context(), lag)
	p.faulted = p.faulted || out == nil
	return out, true
}

// serve lets the service answer the request. It returns nil if the service closes the
// connection.
func (p *passage) serve(ctx context.Context, lag time.Duration) *answer {
	if lag > 0 && (p.request.Method == http.MethodGet || p.request.Method == http.MethodHead) {
		ctx = context.WithValue(ctx, lagKey{}, lag)
	}
	ctx, cut := context.WithCancel(ctx)
	defer cut()
	early := p.sendEarly
	if !p.streams {
		// A fault needs the whole answer, and a stream has none: it ends where it begins.
		early = func(*answer) http.ResponseWriter { cut(); return nil }
	}
	out := record(p.gateway.next, p.toService(ctx), p.client, early)
	if p.flushed {
		return out
	}
	status := 0
	if out != nil {
		status = out.status
	}
	p.watcher.Served(status)
	return out
}

// toService returns the request in the form that the service sees.
func (p *passage) toService(ctx context.Context) *http.Request {
	r := p.request.Clone(ctx)
	r.Body = p.body.reader()
	return r
}

// misbehave answers the request according to its fault. It returns nil if the connection
// should be closed.
func (p *passage) misbehave() *answer {
	f := p.fault
	if f.Before != nil {
		f.Before()
	}
	if f.CommitAfter > 0 {
		p.serveLate(f.Delay+f.CommitAfter, f.After)
		p.pause(f.Delay)
		if f.Drop {
			return nil
		}
		return f.spoil(nil)
	}
	if !f.commitsFirst() && !p.pause(f.Delay) {
		// The client has left before the request was processed.
		return nil
	}
	var out *answer
	if f.commitsFirst() || !f.replaces() {
		var served bool
		if out, served = p.forward(f.Lag); served && f.After != nil {
			f.After()
		}
		if out == nil {
			return nil
		}
	}
	if f.commitsFirst() {
		p.pause(f.Delay)
	}
	if f.Drop {
		return nil
	}
	return f.spoil(out)
}

// sendEarly sends the part of an answer that the service has flushed. It returns the writer
// for the rest.
func (p *passage) sendEarly(part *answer) http.ResponseWriter {
	p.flushed = true
	p.watcher.Served(part.status)
	p.answered(part)
	part.write(p.client)
	return p.client
}

// answered completes the header of an answer and notifies the watcher.
func (p *passage) answered(out *answer) {
	c, _, _ := p.gateway.present()
	out.header.Set("Date", p.gateway.now().Add(c.DateOffset).UTC().Format(http.TimeFormat))
	body := out.body
	if p.fault != nil && p.fault.BodySize > 0 {
		body = nil
	}
	p.watcher.Answered(out.status, body, p.faulted)
}

// end sends the answer, or closes the connection if there is no answer.
func (p *passage) end(w http.ResponseWriter, out *answer) {
	if out == nil {
		if !p.flushed {
			p.watcher.Answered(0, nil, true)
		}
		panic(http.ErrAbortHandler)
	}
	if p.flushed {
		return
	}
	p.answered(out)
	switch f := p.fault; {
	case f != nil && f.BodySize > 0:
		p.stream(w, out)
	case f != nil && f.BreakOff:
		out.breakOff(w)
	default:
		out.write(w)
	}
}

// pause waits. It returns false early if the client leaves or the gateway closes.
func (p *passage) pause(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-p.request.Context().Done():
	case <-p.gateway.life.Done():
	}
	return false
}
