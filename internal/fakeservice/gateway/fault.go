package gateway

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// Fault is a failure of requests. Four groups of fields say which requests it affects, when
// the service sees them, which functions are called on the way, and what the client
// receives.
//
// A fault with its own answer (Page, Status, Body, BodySize, Drop) replaces the service.
// The service sees the request anyway if AfterCommit, CommitAfter or After is set. Any
// other fault delays or alters the service's answer.
type Fault struct {
	// Method is the method to act on; "" means any.
	Method string
	// Path is relative to the prefix, and each element is a glob of path.Match, as in
	// /instances/*/apps/import. A final ** matches everything below. The paths of the MCP
	// server and the portal are whole, as in /mcp and /portal/**. "" means any path.
	Path string
	// Skip is the number of matches that pass first. Times is the number of matches that
	// are affected then: 0 means one, and a negative number means all. For limits the time,
	// starting with the first match that is not skipped; with For, a Times of 0 means all.
	// If both are set, the fault ends at the earlier limit.
	Skip, Times int
	For         time.Duration

	// AfterCommit lets the service answer first and alters that answer.
	AfterCommit bool
	// CommitAfter lets the service see the request this long after the client gets the
	// fault's answer. The default answer is a 504 page. The service sees the request even
	// if the client has left by then.
	CommitAfter time.Duration

	// Before is called when the request has arrived, before any processing. After is called
	// when the service has answered and before the client gets an answer; with CommitAfter,
	// it is called after the service's late answer.
	Before, After func() `json:"-"`

	// Page is the status of a gateway's own page, without the service's envelope: "default
	// backend - 404" for 404, and HTML for any other.
	Page int
	// Status, Code and Detail make an error answer in the service's envelope. An empty Code
	// or Detail is derived from Status.
	Status       int
	Code, Detail string
	// RetryAfter is the header with that name.
	RetryAfter string
	// Delay is a delay before the answer; with AfterCommit, after the commit.
	Delay time.Duration
	// Drop closes the connection without an answer.
	Drop bool
	// Body replaces the body, with ContentType (by default JSON).
	Body        []byte
	ContentType string
	// Truncate sends the first half of the body as if it were complete. BreakOff announces
	// the whole body, sends the first half and closes the connection.
	Truncate, BreakOff bool
	// BodySize replaces the body with one of this many bytes, generated during sending.
	// With Pace it is slow: Pace is the time between pieces of 1 KiB.
	BodySize int64
	Pace     time.Duration
	// Lag makes a read return the state as it was that long ago, as Conditions.Lag does for
	// all reads.
	Lag time.Duration
	// Rewrite alters a JSON answer that is an object.
	Rewrite func(map[string]any) `json:"-"`
}

// replaces reports whether the fault produces its own answer.
func (f *Fault) replaces() bool {
	return f.Page != 0 || f.Status != 0 || f.Drop || f.Body != nil || f.BodySize > 0
}

// altersAnswer reports whether the client gets another answer than the service's, or part of
// it.
func (f *Fault) altersAnswer() bool {
	return f.replaces() || f.commitsFirst() || f.CommitAfter > 0 || f.Truncate || f.BreakOff ||
		f.Rewrite != nil || f.ContentType != "" || f.RetryAfter != ""
}

// commitsFirst reports whether the service answers before the fault acts.
func (f *Fault) commitsFirst() bool { return f.AfterCommit || f.After != nil }

// spoil turns the service's answer, which is nil if the service has not answered, into the
// fault's answer.
func (f *Fault) spoil(out *answer) *answer {
	switch {
	case f.Page != 0:
		out = page(f.Page)
	case f.Status != 0:
		code, detail := f.problem()
		out = envelope(f.Status, code, detail)
		if f.Status == http.StatusNoContent || f.Status == http.StatusNotModified {
			out.body = nil
		}
	case out == nil && f.CommitAfter > 0 && !f.replaces():
		out = page(http.StatusGatewayTimeout)
	case out == nil:
		out = &answer{status: http.StatusOK, header: http.Header{}}
	}
	if f.Rewrite != nil {
		out.rewrite(f.Rewrite)
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

// rewrite alters a body that is a JSON object, and leaves any other unchanged.
func (a *answer) rewrite(alter func(map[string]any)) {
	var body map[string]any
	if json.Unmarshal(a.body, &body) != nil || body == nil {
		return
	}
	alter(body)
	if text, err := json.Marshal(body); err == nil {
		a.body = text
	}
}

// problem returns the fault's code and detail, or the defaults for its status.
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

// codeOf returns the service's default code for a status.
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
