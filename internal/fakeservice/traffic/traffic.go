// Package traffic is the log of the requests to the API, and of what broke its document.
package traffic

import (
	"bytes"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
)

// Request is one request to the API, as the log keeps it.
type Request struct {
	// At is by the fake's clock, RealAt by the real one.
	At, RealAt time.Time
	Method     string
	// Path is what follows /api/v1, still escaped.
	Path  string
	Query string
	// Header lacks Authorization, which holds the account's key.
	Header http.Header
	Body   []byte
	// Status is what the client got: 0 while the answer is being made, and for a
	// connection that was closed without one.
	Status int
	// Served is what the service itself has answered: 0 for a request that has
	// not reached it, or not yet.
	Served int
	// Fault tells whether the gateway took part in the answer.
	Fault bool
}

// Options says how a Log is kept.
type Options struct {
	// Prefix is what all paths begin with, and the log leaves out.
	Prefix string
	// Kept is how many requests stay, the last ones, without their bodies, and how many
	// violations; 0 is all of them, and whole.
	Kept int
	// Now is the fake's time.
	Now func() time.Time
	// Logger gets one line for each request, without secrets.
	Logger *slog.Logger
	// Answered is told of each request before its answer is sent; nil is nobody. It
	// must not keep the request's parts.
	Answered func(Request)
}

// Log is the log. It is safe for concurrent use.
type Log struct {
	options Options

	mu         sync.Mutex
	requests   []*Request
	violations []string
}

// New makes an empty Log.
func New(o Options) *Log { return &Log{options: o} }

func (l *Log) begin(r Request) *Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.Header.Del("Authorization")
	if l.options.Kept > 0 {
		r.Body = nil // each may have a megabyte
	}
	l.requests = keep(l.requests, &r, l.options.Kept)
	return &r
}

// keep adds to a list that holds so many, the last ones; 0 is all of them.
func keep[T any](list []T, added T, most int) []T {
	if most > 0 && len(list) >= most {
		list = slices.Delete(list, 0, len(list)-most+1)
	}
	return append(list, added)
}

// Watch logs a request as it comes to the gateway.
func (l *Log) Watch(r *http.Request, body []byte) gateway.Exchange {
	return &exchange{l, l.begin(Request{
		At: l.options.Now(), RealAt: time.Now(), Method: r.Method, Path: strings.TrimPrefix(r.URL.EscapedPath(), l.options.Prefix),
		Query: r.URL.RawQuery, Header: r.Header.Clone(), Body: body,
	})}
}

// exchange completes the entry of one request.
type exchange struct {
	log   *Log
	entry *Request
}

// Served notes the service's own answer, which may come after the client's.
func (e *exchange) Served(status int) {
	e.log.mu.Lock()
	defer e.log.mu.Unlock()
	e.entry.Served = status
}

// Answered completes the entry before the answer is sent, so that whoever has
// the answer finds the entry complete.
func (e *exchange) Answered(status int, struck bool) {
	e.log.options.Logger.Debug("request", "method", e.entry.Method, "path", e.entry.Path, "status", status,
		"took", time.Since(e.entry.RealAt), "fault", struck)
	e.log.mu.Lock()
	e.entry.Status, e.entry.Fault = status, struck
	over := *e.entry
	e.log.mu.Unlock()
	if e.log.options.Answered != nil {
		e.log.options.Answered(over)
	}
}

// Violation notes an exchange that broke the OpenAPI document.
func (l *Log) Violation(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.violations = keep(l.violations, err.Error(), l.options.Kept)
}

// Clear forgets everything.
func (l *Log) Clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests, l.violations = nil, nil
}

// Requests returns the requests to the API so far, in order of arrival: every one
// of them, or the last ones where Options.Kept is set.
func (l *Log) Requests() []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	requests := make([]Request, 0, len(l.requests))
	for _, r := range l.requests {
		copied := *r
		copied.Header = r.Header.Clone()
		copied.Body = bytes.Clone(r.Body)
		requests = append(requests, copied)
	}
	return requests
}

// Count is how many requests of a method ("" for any) had a path that a glob
// matches, as in gateway.Fault.
func (l *Log) Count(method, pathGlob string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, r := range l.requests {
		if (method == "" || method == r.Method) && gateway.MatchPath(pathGlob, r.Path) {
			n++
		}
	}
	return n
}

// Violations returns each exchange that broke the OpenAPI document, in words.
// What an injected fault answered is not among them.
func (l *Log) Violations() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.violations)
}
