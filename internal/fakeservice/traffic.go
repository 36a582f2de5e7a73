package fakeservice

import (
	"bytes"
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

// traffic is the log of requests and of what broke the document.
type traffic struct {
	// kept is how many requests stay; 0 is all of them.
	kept int

	mu         sync.Mutex
	requests   []*Request
	violations []string
}

func (t *traffic) begin(r Request) *Request {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.Header.Del("Authorization")
	if t.kept > 0 && len(t.requests) >= t.kept {
		t.requests = slices.Delete(t.requests, 0, len(t.requests)-t.kept+1)
	}
	t.requests = append(t.requests, &r)
	return &r
}

// watch logs each request as it comes to the gateway.
func (s *Service) watch(r *http.Request, body []byte) gateway.Exchange {
	return &exchange{s, s.traffic.begin(Request{
		At: s.clock.now(), RealAt: time.Now(), Method: r.Method, Path: strings.TrimPrefix(r.URL.EscapedPath(), basePath),
		Query: r.URL.RawQuery, Header: r.Header.Clone(), Body: body,
	})}
}

// exchange completes the entry of one request.
type exchange struct {
	service *Service
	entry   *Request
}

// Served notes the service's own answer, which may come after the client's.
func (e *exchange) Served(status int) {
	e.service.traffic.mu.Lock()
	defer e.service.traffic.mu.Unlock()
	e.entry.Served = status
}

// Answered completes the entry before the answer is sent, so that whoever has
// the answer finds the entry complete.
func (e *exchange) Answered(status int, struck bool) {
	e.service.log.Debug("request", "method", e.entry.Method, "path", e.entry.Path, "status", status,
		"took", time.Since(e.entry.RealAt), "fault", struck)
	e.service.traffic.mu.Lock()
	defer e.service.traffic.mu.Unlock()
	e.entry.Status, e.entry.Fault = status, struck
}

func (t *traffic) violation(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.violations = append(t.violations, err.Error())
}

func (t *traffic) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests, t.violations = nil, nil
}

// Requests returns the requests to the API so far, in order of arrival: every one
// of them, or the last ones where Options.RequestsKept is set.
func (s *Service) Requests() []Request {
	s.traffic.mu.Lock()
	defer s.traffic.mu.Unlock()
	requests := make([]Request, 0, len(s.traffic.requests))
	for _, r := range s.traffic.requests {
		copied := *r
		copied.Header = r.Header.Clone()
		copied.Body = bytes.Clone(r.Body)
		requests = append(requests, copied)
	}
	return requests
}

// Count is how many requests of a method ("" for any) had a path that a glob
// matches, as in Fault.
func (s *Service) Count(method, pathGlob string) int {
	s.traffic.mu.Lock()
	defer s.traffic.mu.Unlock()
	n := 0
	for _, r := range s.traffic.requests {
		if matches(method, r.Method) && gateway.MatchPath(pathGlob, r.Path) {
			n++
		}
	}
	return n
}

// Violations returns each exchange that broke the OpenAPI document, in words.
// What an injected fault answered is not among them.
func (s *Service) Violations() []string {
	s.traffic.mu.Lock()
	defer s.traffic.mu.Unlock()
	return slices.Clone(s.traffic.violations)
}
