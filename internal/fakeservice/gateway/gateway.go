// Package gateway is what stands between a client and a service, with all that
// may go wrong there: an http.Handler in front of another one.
//
// Three things decide what becomes of a request. A Strike sees every request in
// order and picks what hits it. Faults that were injected hit the requests that
// they match, as many or for as long as they say. Conditions hold for all that
// is passed on until they are changed: a wrong Date, reads that lag, a limit of
// requests, a service that is away.
//
// All durations are those of package time, so that a bubble of testing/synctest
// rules them. Nothing here is drawn: weather by a seed is a Strike that draws
// from its own source.
package gateway

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Options says how a Gateway runs.
type Options struct {
	// Prefix is where the API begins, such as /api/v1. The paths of faults are
	// below it.
	Prefix string
	// Now is the time that the Date header is made from, which is the service's;
	// nil means time.Now.
	Now func() time.Time
	// Watch is called for each request as it arrives, one after the other, and
	// gives who is told what becomes of it. It is nil where nobody is.
	Watch func(r *http.Request, body []byte) Exchange
}

// Exchange is told what becomes of a request.
type Exchange interface {
	// Served tells with which status the service has answered. A request that
	// reaches the service late is served after it was answered.
	Served(status int)
	// Answered tells which status the client gets, before the first byte of it
	// goes out: 0 for a connection that is closed without an answer. struck tells
	// whether the answer, or that there is none, is the gateway's doing.
	Answered(status int, struck bool)
}

// Strike decides what hits a request: a fault, whose Method, Path, Skip, Times
// and For say nothing here, or nil for what was injected. It sees every request
// in order of arrival, with its number since the Strike was set, from 1 on. It
// is called for one request at a time and must return at once; what takes time
// is done by the fault's Before and After.
type Strike func(n int, r *http.Request) *Fault

// Gateway is safe for concurrent use. No lock is held while a request is served.
type Gateway struct {
	next   http.Handler
	prefix string
	now    func() time.Time
	watch  func(*http.Request, []byte) Exchange

	// life ends when the gateway closes.
	life context.Context
	end  context.CancelFunc

	// turn is held while a request is given its number and what hits it, so that
	// the order of all who see requests is the same.
	turn sync.Mutex

	mu         sync.Mutex
	strike     Strike
	seen       int // requests since the strike was set
	faults     []*injected
	conditions Conditions
	limiter    *rate.Limiter
	away       outage
	late       []*lateRequest
}

// New makes a Gateway in front of a handler.
func New(next http.Handler, o Options) *Gateway {
	g := &Gateway{next: next, prefix: o.Prefix, now: o.Now, watch: o.Watch}
	if g.now == nil {
		g.now = time.Now
	}
	if g.watch == nil {
		g.watch = func(*http.Request, []byte) Exchange { return unwatched{} }
	}
	g.life, g.end = context.WithCancel(context.Background())
	return g
}

type unwatched struct{}

func (unwatched) Served(int)         {}
func (unwatched) Answered(int, bool) {}

// SetStrike sets what decides about each request from now on, and counts them
// from 1; nil lets the injected faults decide alone.
func (g *Gateway) SetStrike(s Strike) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.strike, g.seen = s, 0
}

// Reset takes everything away that was set: the strike, faults, conditions and
// an outage. Requests that have yet to reach the service never do.
func (g *Gateway) Reset() {
	g.SetStrike(nil)
	g.SetConditions(Conditions{})
	g.Away(0, 0)
	g.clearFaults()
	g.dropLate()
}

// Close lets go of requests that a fault delays, and drops those that have yet
// to reach the service. It returns when none of those is being served any more.
func (g *Gateway) Close() {
	g.mu.Lock()
	g.end() // while the lock is held, so that no late request comes after this
	g.mu.Unlock()
	g.dropLate()
}

// ServeHTTP answers a request, or panics with http.ErrAbortHandler where the
// connection is to be closed without an answer or in the middle of one.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p := g.arrive(r)
	if p.fault == nil {
		out, _ := p.forward(0)
		p.end(w, out)
		return
	}
	p.end(w, p.misbehave())
}

// passage is one request on its way.
type passage struct {
	gateway *Gateway
	request *http.Request
	body    requestBody
	watcher Exchange
	fault   *Fault
	// struck tells whether the answer is the gateway's doing.
	struck bool
}

// arrive gives a request its number and finds out what hits it.
func (g *Gateway) arrive(r *http.Request) *passage {
	p := &passage{gateway: g, request: r, body: readBody(r)}
	g.turn.Lock()
	defer g.turn.Unlock()
	p.watcher = g.watch(r, p.body.head)

	g.mu.Lock()
	g.seen++
	strike, n := g.strike, g.seen
	g.mu.Unlock()
	if strike != nil {
		p.fault = strike(n, p.toService(r.Context()))
	}
	if f := g.take(r.Method, strings.TrimPrefix(r.URL.EscapedPath(), g.prefix), p.fault == nil); f != nil {
		p.fault = f
	}
	p.struck = p.fault != nil
	return p
}

// forward passes the request on, if the conditions let it, and returns the
// answer, or nil for a connection that is to be closed. served tells whether the
// service has seen the request.
func (p *passage) forward(lag time.Duration) (out *answer, served bool) {
	if c, _, _ := p.gateway.present(); !p.pause(c.Latency) {
		p.struck = true
		return nil, false
	}
	c, limiter, away := p.gateway.present()
	if away.lasts() {
		p.struck = true
		if away.page == 0 {
			return nil, false
		}
		return page(away.page), false
	}
	if limiter != nil {
		if slot := limiter.Reserve(); slot.Delay() > 0 {
			p.struck = true
			wait := slot.Delay()
			slot.Cancel()
			return tooMany(wait), false
		}
	}
	if lag == 0 {
		lag = c.Lag
	}
	out = p.serve(p.request.Context(), lag)
	p.struck = p.struck || out == nil
	return out, true
}

// serve has the service answer the request, and gives nil where it closes the
// connection instead.
func (p *passage) serve(ctx context.Context, lag time.Duration) *answer {
	if lag > 0 && (p.request.Method == http.MethodGet || p.request.Method == http.MethodHead) {
		ctx = context.WithValue(ctx, lagKey{}, lag)
	}
	out := record(p.gateway.next, p.toService(ctx))
	status := 0
	if out != nil {
		status = out.status
	}
	p.watcher.Served(status)
	return out
}

// toService is the request as the service gets it.
func (p *passage) toService(ctx context.Context) *http.Request {
	r := p.request.Clone(ctx)
	r.Body = p.body.reader()
	return r
}

// misbehave answers the request as its fault has it, nil for a connection that
// is to be closed.
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
		// The client has gone before anything was done.
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

// end sends the answer, and closes the connection where there is none.
func (p *passage) end(w http.ResponseWriter, out *answer) {
	if out == nil {
		p.watcher.Answered(0, true)
		panic(http.ErrAbortHandler)
	}
	c, _, _ := p.gateway.present()
	out.header.Set("Date", p.gateway.now().Add(c.DateOffset).UTC().Format(http.TimeFormat))
	p.watcher.Answered(out.status, p.struck)
	switch f := p.fault; {
	case f != nil && f.BodySize > 0:
		p.stream(w, out)
	case f != nil && f.BreakOff:
		out.breakOff(w)
	default:
		out.write(w)
	}
}

// pause waits. It is cut short, and false, when the client leaves or the
// gateway closes.
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
