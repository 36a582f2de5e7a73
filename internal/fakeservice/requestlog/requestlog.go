// Package requestlog logs the requests to the API, and the exchanges that violated its
// document.
package requestlog

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

// Request is one request to the API in the log.
type Request struct {
	// At is the time of the fake's clock, RealAt that of the real one.
	At, RealAt time.Time
	Method     string
	// Path is the path after /api/v1, still escaped.
	Path  string
	Query string
	// Header lacks Authorization, which contains the account's key.
	Header http.Header
	Body   []byte
	// Status is the status that the client got. It is 0 until the answer is complete, and
	// for a connection that was closed without one.
	Status int
	// Served is the status of the service's own answer. It is 0 if the request has not
	// reached the service, or not yet.
	Served int
	// Fault reports whether the gateway took part in the answer.
	Fault bool
}

// Entry is a Request with more details for people.
type Entry struct {
	Request
	// Number is the request's number, from 1 on.
	Number int
	// Took is the real time from the request's arrival to its answer.
	Took time.Duration
	// Answer is the body that the client got. It and Body are nil if they have more than
	// BodyLimit bytes, or if the request is not among the latest.
	Answer []byte
	// BodySize and AnswerSize are the sizes of both bodies in bytes.
	BodySize, AnswerSize int
	// bare means that the entry has lost its bodies.
	bare bool
}

// BodyLimit is the maximum size in bytes of a body in the log. A body with more is left
// out, because secrets cannot be found in a part of one.
const BodyLimit = 16 << 10

// bodiesKept is the number of the latest requests with bodies, if Options.Kept is set.
const bodiesKept = 500

// Options configures a Log.
type Options struct {
	// Prefix is the common prefix of all paths, which the log leaves out.
	Prefix string
	// Kept limits the log to the latest requests, and to the same number of violations. The
	// last 500 requests have bodies of at most BodyLimit bytes. 0 keeps all of them, with the
	// whole bodies of requests.
	Kept int
	// Now returns the fake's time.
	Now func() time.Time
	// Logger gets one line for each request, without secrets.
	Logger *slog.Logger
	// Answered, if non-nil, is called with each request before its answer is sent. It must
	// not keep the request's parts.
	Answered func(Request)
}

// Log is the log. It is safe for concurrent use.
type Log struct {
	options Options

	mu         sync.Mutex
	entries    []*Entry
	last       int
	violations []string
}

// New returns an empty Log.
func New(o Options) *Log { return &Log{options: o} }

func (l *Log) begin(r Request) *Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.Header.Del("Authorization")
	l.last++
	e := &Entry{Request: r, Number: l.last, BodySize: len(r.Body)}
	l.entries = keep(l.entries, e, l.options.Kept)
	if l.options.Kept == 0 {
		return e
	}
	if len(r.Body) > BodyLimit {
		e.Body = nil
	}
	if at := len(l.entries) - 1 - bodiesKept; at >= 0 {
		old := l.entries[at]
		old.bare, old.Body, old.Answer = true, nil, nil
	}
	return e
}

// keep appends to a list, and drops the oldest elements beyond a limit; 0 means no limit.
func keep[T any](list []T, added T, most int) []T {
	if most > 0 && len(list) >= most {
		list = slices.Delete(list, 0, len(list)-most+1)
	}
	return append(list, added)
}

// Watch logs a request when it reaches the gateway.
func (l *Log) Watch(r *http.Request, body []byte) gateway.Exchange {
	return &exchange{l, l.begin(Request{
		At: l.options.Now(), RealAt: time.Now(), Method: r.Method, Path: strings.TrimPrefix(r.URL.EscapedPath(), l.options.Prefix),
		Query: r.URL.RawQuery, Header: r.Header.Clone(), Body: body,
	})}
}

// exchange completes the entry of one request.
type exchange struct {
	log   *Log
	entry *Entry
}

// Served records the service's own answer, which may come after the client's.
func (e *exchange) Served(status int) {
	e.log.mu.Lock()
	defer e.log.mu.Unlock()
	e.entry.Served = status
}

// Answered completes the entry before the answer is sent, so that a client with the answer
// finds a complete entry.
func (e *exchange) Answered(status int, body []byte, faulted bool) {
	took := time.Since(e.entry.RealAt)
	e.log.options.Logger.Debug("request", "method", e.entry.Method, "path", e.entry.Path, "status", status,
		"took", took, "fault", faulted)
	e.log.mu.Lock()
	e.entry.Status, e.entry.Fault, e.entry.Took, e.entry.AnswerSize = status, faulted, took, len(body)
	if len(body) <= BodyLimit && !e.entry.bare {
		e.entry.Answer = bytes.Clone(body)
	}
	over := e.entry.Request
	e.log.mu.Unlock()
	if e.log.options.Answered != nil {
		e.log.options.Answered(over)
	}
}

// Violation records an exchange that violated the OpenAPI document.
func (l *Log) Violation(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.violations = keep(l.violations, err.Error(), l.options.Kept)
}

// Clear deletes all entries.
func (l *Log) Clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries, l.violations = nil, nil
}

// Requests returns the requests to the API so far, in order of arrival. If Options.Kept is
// set, it returns only the latest.
func (l *Log) Requests() []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	requests := make([]Request, 0, len(l.entries))
	for _, e := range l.entries {
		copied := e.Request
		copied.Header = e.Header.Clone()
		copied.Body = bytes.Clone(e.Body)
		requests = append(requests, copied)
	}
	return requests
}

// Entries returns the entries of the same requests. Their headers and bodies are shared and
// must not be changed.
func (l *Log) Entries() []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	entries := make([]Entry, len(l.entries))
	for i, e := range l.entries {
		entries[i] = *e
	}
	return entries
}

// Count returns the number of requests with a method ("" for any) and with a path that a
// glob matches, as in gateway.Fault.
func (l *Log) Count(method, pathGlob string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, r := range l.entries {
		if (method == "" || method == r.Method) && gateway.MatchPath(pathGlob, r.Path) {
			n++
		}
	}
	return n
}

// Violations describes each exchange that violated the OpenAPI document. The answers of
// injected faults are not among them.
func (l *Log) Violations() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.violations)
}
