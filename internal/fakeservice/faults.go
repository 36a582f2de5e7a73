package fakeservice

import (
	"encoding/json"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Fault is something that goes wrong with requests. What it answers is not
// held to the OpenAPI document.
//
// Unless AfterCommit is set, a fault with a Status, a Body, a BodySize or Drop
// comes instead of the handler. A fault that only delays or alters an answer
// lets the handler run, as there would be no answer otherwise.
type Fault struct {
	// Method is the method to act on, "" for any.
	Method string
	// Path is below /api/v1, with a glob of path.Match for each element, such
	// as /instances/*/apps/import. A last element ** matches everything below.
	// "" is any path.
	Path string
	// Skip is how many matches are let through first; Times is how many are
	// acted on then: 0 is one, a negative number all.
	Skip, Times int
	// AfterCommit lets the handler run and spoils the answer.
	AfterCommit bool

	// Status, Code and Detail are an error answer. What is left out of Code and
	// Detail follows from Status.
	Status       int
	Code, Detail string
	// RetryAfter is the header of that name.
	RetryAfter string
	// Delay is real time before the answer; with AfterCommit, after the commit.
	Delay time.Duration
	// Drop closes the connection without an answer.
	Drop bool
	// Body replaces the body, with ContentType (by default JSON).
	Body        []byte
	ContentType string
	// Truncate sends only the first half of the body, as if it were all.
	Truncate bool
	// BodySize is a body of that many bytes, made as it is sent. With Pace it
	// comes slowly: that much real time between pieces of 1 KiB.
	BodySize int64
	Pace     time.Duration
	// Rewrite alters a JSON answer that is an object.
	Rewrite func(map[string]any) `json:"-"`
}

// replaces tells whether the fault makes an answer of its own.
func (f *Fault) replaces() bool {
	return f.Status != 0 || f.Drop || f.Body != nil || f.BodySize > 0
}

// faultList is the faults that are set, in order.
type faultList struct {
	mu   sync.Mutex
	list []*activeFault
}

type activeFault struct {
	Fault
	seen, acted int
}

// take returns the fault that acts on a request, or nil. Each fault counts the
// requests that it matches, also those on which an earlier one acts.
func (l *faultList) take(method, requestPath string) *Fault {
	l.mu.Lock()
	defer l.mu.Unlock()
	var acting *Fault
	for _, f := range l.list {
		if !matches(f.Method, method) || !matchGlob(f.Path, requestPath) {
			continue
		}
		f.seen++
		if acting == nil && f.seen > f.Skip && (f.Times < 0 || f.acted < max(f.Times, 1)) {
			f.acted++
			acting = &f.Fault
		}
	}
	return acting
}

func (l *faultList) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = nil
}

// Inject sets a fault. The function that it returns takes it away.
func (s *Service) Inject(f Fault) (remove func()) {
	set := &activeFault{Fault: f}
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.list = append(s.faults.list, set)
	return func() {
		s.faults.mu.Lock()
		defer s.faults.mu.Unlock()
		s.faults.list = slices.DeleteFunc(s.faults.list, func(other *activeFault) bool { return other == set })
	}
}

// misbehave answers a request as a fault has it, and returns the status, 0 for
// none.
func (s *Service) misbehave(w http.ResponseWriter, r *http.Request, f *Fault, entry *Request, exchange func() reply) int {
	if !f.AfterCommit && !s.pause(r, f.Delay) {
		// The client has gone before anything was done.
		s.traffic.end(entry, 0, true)
		return 0
	}
	var out reply
	if f.AfterCommit || !f.replaces() {
		out = exchange()
	}
	if f.AfterCommit {
		s.pause(r, f.Delay)
	}
	if f.Drop {
		s.traffic.end(entry, 0, true)
		return 0
	}
	out = f.spoil(out)
	s.traffic.end(entry, out.status, true)
	if f.BodySize == 0 {
		out.write(w)
		return out.status
	}
	for name, values := range out.header {
		w.Header()[name] = values
	}
	w.WriteHeader(out.status)
	s.stream(w, r, f)
	return out.status
}

// spoil makes the fault's answer of the handler's, which is empty where the
// handler has not run.
func (f *Fault) spoil(out reply) reply {
	if out.header == nil {
		out.header = http.Header{}
	}
	if out.status == 0 {
		out.status = http.StatusOK
	}
	if f.Status != 0 {
		code, detail := f.problem()
		out = encode(answer(f.Status, map[string]any{"detail": detail, "code": code}))
		if f.Status == http.StatusNoContent || f.Status == http.StatusNotModified {
			out.body = nil
		}
	}
	if f.Rewrite != nil {
		var body map[string]any
		if json.Unmarshal(out.body, &body) == nil {
			f.Rewrite(body)
			if text, err := encodeJSON(body); err == nil {
				out.body = text
			}
		}
	}
	if f.Body != nil {
		out.body = f.Body
		out.header.Set("Content-Type", "application/json")
	}
	if f.ContentType != "" {
		out.header.Set("Content-Type", f.ContentType)
	}
	if f.Truncate {
		out.body = out.body[:len(out.body)/2]
	}
	if f.RetryAfter != "" {
		out.header.Set("Retry-After", f.RetryAfter)
	}
	if f.BodySize > 0 && out.header.Get("Content-Type") == "" {
		out.header.Set("Content-Type", "application/json")
	}
	return out
}

// problem is the fault's code and detail, or those that go with its status.
func (f *Fault) problem() (code, detail string) {
	code, detail = f.Code, f.Detail
	if code == "" {
		code = codeOf(f.Status)
	}
	if detail == "" {
		detail = "injected fault: " + strconv.Itoa(f.Status) + " " + http.StatusText(f.Status)
	}
	return code, detail
}

// codeOf is the contract's code for a status, by default.
func codeOf(status int) string {
	switch status {
	case http.StatusBadRequest:
		return "invalid_request"
	case http.StatusUnauthorized:
		return "unauthorized"
	case http.StatusForbidden:
		return "console_off"
	case http.StatusNotFound, http.StatusGone:
		return "not_found"
	case http.StatusConflict:
		return "job_running"
	case http.StatusUnprocessableEntity:
		return "validation_failed"
	case http.StatusTooManyRequests:
		return "rate_limited"
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return "unavailable"
	}
	return "internal"
}

// pause waits in real time. It is cut short, and false, when the client leaves
// or the fake closes.
func (s *Service) pause(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
	case <-s.closing:
	}
	return false
}

// stream sends a body of the fault's size without ever holding it: a JSON
// string that does not end.
func (s *Service) stream(w http.ResponseWriter, r *http.Request, f *Fault) {
	piece := []byte(`{"padding":"` + strings.Repeat("x", 1<<10-12))
	for left := f.BodySize; left > 0; left -= int64(len(piece)) {
		piece = piece[:min(int64(len(piece)), left)]
		if _, err := w.Write(piece); err != nil {
			return
		}
		if f.Pace > 0 {
			if flusher, ok := w.(http.Flusher); ok {
				flusher.Flush()
			}
			if !s.pause(r, f.Pace) {
				return
			}
		}
		for i := range piece {
			piece[i] = 'x'
		}
	}
}

// matchGlob matches a path element by element. An empty glob matches any path,
// and a last ** one or more elements.
func matchGlob(glob, requestPath string) bool {
	if glob == "" {
		return true
	}
	want, have := strings.Split(glob, "/"), strings.Split(requestPath, "/")
	for i, pattern := range want {
		if pattern == "**" && i == len(want)-1 {
			return len(have) > i
		}
		if i >= len(have) {
			return false
		}
		if ok, err := path.Match(pattern, have[i]); err != nil || !ok {
			return false
		}
	}
	return len(want) == len(have)
}
