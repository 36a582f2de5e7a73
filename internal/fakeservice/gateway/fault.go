package gateway

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// Fault is something that goes wrong with requests. Four groups of fields say
// which requests it hits, when the service sees them, what is called on the way,
// and what the client gets.
//
// A fault with an answer of its own (Page, Status, Body, BodySize, Drop) comes
// instead of the service, unless AfterCommit, CommitAfter or After says that the
// service sees the request all the same. Any other fault delays or alters the
// service's answer.
type Fault struct {
	// Method is the method to act on, "" for any.
	Method string
	// Path is below the prefix, with a glob of path.Match for each element, such
	// as /instances/*/apps/import. A last element ** matches everything below.
	// "" is any path.
	Path string
	// Skip is how many matches are let through first; Times is how many are
	// acted on then: 0 is one, a negative number all. For is how long it acts,
	// from the first match that is not skipped; with it, Times 0 is all. Both
	// together end it at whichever comes first.
	Skip, Times int
	For         time.Duration

	// AfterCommit lets the service answer first and spoils that answer.
	AfterCommit bool
	// CommitAfter lets the service see the request that much later than the
	// client gets the fault's answer, which is a 504 page unless the fault has
	// another. Whether the client is still there then makes no difference.
	CommitAfter time.Duration

	// Before is called when the request has arrived, before anything is done with
	// it. After is called when the service has answered it and the client has not
	// been answered; with CommitAfter, when the service has answered late.
	Before, After func() `json:"-"`

	// Page is a gateway's own page for that status, without the service's
	// envelope: "default backend - 404", or HTML for any other.
	Page int
	// Status, Code and Detail are an error answer in the service's envelope. What
	// is left out of Code and Detail follows from Status.
	Status       int
	Code, Detail string
	// RetryAfter is the header of that name.
	RetryAfter string
	// Delay is time before the answer; with AfterCommit, after the commit.
	Delay time.Duration
	// Drop closes the connection without an answer.
	Drop bool
	// Body replaces the body, with ContentType (by default JSON).
	Body        []byte
	ContentType string
	// Truncate sends the first half of the body as if it were all. BreakOff
	// announces the whole body, sends the first half and closes the connection.
	Truncate, BreakOff bool
	// BodySize is a body of that many bytes, made as it is sent. With Pace it
	// comes slowly: that much time between pieces of 1 KiB.
	BodySize int64
	Pace     time.Duration
	// Lag has a read answered from the state as it was that long ago, as
	// Conditions.Lag does for all reads.
	Lag time.Duration
	// Rewrite alters a JSON answer that is an object.
	Rewrite func(map[string]any) `json:"-"`
}

// replaces tells whether the fault makes an answer of its own.
func (f *Fault) replaces() bool {
	return f.Page != 0 || f.Status != 0 || f.Drop || f.Body != nil || f.BodySize > 0
}

// commitsFirst tells whether the service answers before the fault acts.
func (f *Fault) commitsFirst() bool { return f.AfterCommit || f.After != nil }

// spoil makes the fault's answer of the service's, which is nil where the
// service has not answered.
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

// rewrite alters a body that is a JSON object, and leaves any other.
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

// codeOf is the service's code for a status, by default.
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
