package transport

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// These errors classify the package's errors for errors.Is.
var (
	ErrRateLimited = Class("rate limited", (*APIError).Limited)
	// ErrForeign is an answer that does not come from the service, but from a gateway or
	// another server.
	ErrForeign = Class("the answer is not the service's own", (*APIError).Foreign)
	// ErrUnreachable is the error of a request that got no answer.
	ErrUnreachable = errors.New("the service cannot be reached")
	// ErrOutage is the error of a read that was not sent, because the service has not
	// answered for too long.
	ErrOutage = fmt.Errorf("the service has not answered for %s", outageLimit)
	// ErrBodyTooLarge is the error for an answer over 4 MiB. The answer is dropped.
	ErrBodyTooLarge = errors.New("the answer is larger than 4 MiB")
)

// Class returns an error for errors.Is: it matches each APIError that has a property.
func Class(text string, has func(*APIError) bool) error { return &class{text, has} }

type class struct {
	text string
	has  func(*APIError) bool
}

func (c *class) Error() string { return c.text }

// maxForeignBody is the number of characters shown of an error body that is not the
// service's JSON.
const maxForeignBody = 500

// An APIError is an answer with an error status.
type APIError struct {
	Status    int    // the HTTP status
	Code      string // the service's code, "" if the answer is not in its envelope
	Detail    string // the service's words, or the start of a foreign body; without secrets
	Method    string
	Path      string // below the base URL
	RequestID string // the service's id of the request, or ""
	BaseURL   string

	// RedirectsTo is the scheme and host that a redirect leads to, if they are not those of
	// the base URL.
	RedirectsTo string

	// RetryAfter is the waiting time requested by a 429, 403 or 503, zero if there is none.
	RetryAfter time.Duration

	// Unsure reports that an earlier attempt may have been carried out.
	Unsure bool
}

// Error begins with the service's own words. For a foreign answer it begins with the
// request, because the body is a page.
func (e *APIError) Error() string {
	facts := fmt.Sprintf("%s %s answered %d", e.Method, e.Path, e.Status)
	if e.Foreign() {
		if text := http.StatusText(e.Status); text != "" {
			facts += " " + text
		}
		if !e.Conflicts() && e.Status != http.StatusUnprocessableEntity { // see NothingDone
			facts += ", which is not an answer of the service at " + e.BaseURL
		}
		if e.Detail != "" {
			facts += ": " + e.Detail
		}
		if e.RequestID != "" {
			facts += " (request " + e.RequestID + ")"
		}
		return facts
	}
	if e.Code != "" {
		facts += " " + e.Code
	}
	if e.RequestID != "" {
		facts += ", request " + e.RequestID
	}
	if e.Detail == "" {
		return facts
	}
	return strings.TrimSuffix(e.Detail, ".") + " (" + facts + ")"
}

// Foreign reports whether an answer is not in the service's envelope. Such an answer
// comes from something between the client and the service and says nothing about the
// service.
func (e *APIError) Foreign() bool { return e.Code == "" }

// Limited reports whether the request was refused because of the pace of requests, by any
// server.
func (e *APIError) Limited() bool { return isLimit(e.Status, e.RetryAfter) }

// TooLarge reports whether the request was refused because of its size.
func (e *APIError) TooLarge() bool { return e.Status == http.StatusRequestEntityTooLarge }

// Fails reports whether the server failed, and not the request.
func (e *APIError) Fails() bool { return e.Status >= http.StatusInternalServerError }

// RefusesRecord reports whether the service refused to read a record in a way that some
// services use for one that is gone. That does not prove it. An account is never gone.
func (e *APIError) RefusesRecord() bool {
	if e.Foreign() || e.Limited() || e.Method != http.MethodGet || strings.Count(e.Path, "/") < 2 {
		return false
	}
	switch e.Status {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusGone, http.StatusUnprocessableEntity:
		return true
	}
	return false
}

// isLimit reports whether a status refuses the pace of requests. Some services answer 403
// for that, and then say when to come back.
func isLimit(status int, told time.Duration) bool {
	return status == http.StatusTooManyRequests || status == http.StatusForbidden && told > 0
}

// Conflicts reports whether the request was refused because something else is in the way,
// such as a job.
func (e *APIError) Conflicts() bool {
	return e.Status == http.StatusConflict || e.Status == http.StatusLocked
}

// NothingDone reports whether the service refused the request without doing anything
// (SERVICE.md#errors). A 5xx guarantees that only as 503 unavailable. A conflict and an
// invalid value can only come from the service, even if the rest of the answer is lost. A
// limit or a 413, from any server, means that the request was not let through.
func (e *APIError) NothingDone() bool {
	switch {
	case e.Limited(), e.Conflicts(), e.Status == http.StatusRequestEntityTooLarge, e.Status == http.StatusUnprocessableEntity:
		return true
	case e.Foreign():
		return false
	case e.Status >= http.StatusInternalServerError:
		return e.Status == http.StatusServiceUnavailable && e.Code == "unavailable"
	}
	return e.Status >= http.StatusBadRequest
}

// Is reports whether target is a Class that the answer belongs to.
func (e *APIError) Is(target error) bool {
	class, ok := target.(*class)
	return ok && class.has(e)
}

// newAPIError parses an answer with an error status. It parses the answer before it hides
// secrets, so that hiding cannot change the meaning.
func newAPIError(r Request, target *url.URL, a *answer, secrets *Secrets) *APIError {
	err := &APIError{
		Status:    a.status,
		Method:    r.Method,
		Path:      "/" + strings.Join(r.Path, "/"),
		RequestID: requestID(a.header),
		BaseURL:   baseOf(target, r.Path),
	}
	if to, wrong := target.Parse(a.header.Get("Location")); a.status/100 == 3 && wrong == nil && to.Host != "" && (to.Host != target.Host || to.Scheme != target.Scheme) {
		err.RedirectsTo = secrets.Hide(to.Scheme + "://" + to.Host)
	}
	switch a.status {
	case http.StatusTooManyRequests, http.StatusForbidden, http.StatusServiceUnavailable:
		err.RetryAfter = retryAfter(a.header)
	}
	var envelope struct{ Detail, Code words }
	if json.Unmarshal(a.body, &envelope) == nil && (envelope.Detail != "" || envelope.Code.isCode()) {
		err.Code, err.Detail = PlainText(string(envelope.Code)), secrets.Hide(string(envelope.Detail))
		return err
	}
	err.Detail = strings.ToValidUTF8(strings.TrimSpace(secrets.Hide(string(a.body))), "")
	if cut := []rune(err.Detail); len(cut) > maxForeignBody {
		err.Detail = string(cut[:maxForeignBody]) + "…"
	}
	return err
}

// words are a member of an error's envelope. Some services answer a list of details, or a
// number as the code next to a detail: the words are its JSON then. A null has none.
type words string

func (w *words) UnmarshalJSON(raw []byte) error {
	if text := ""; json.Unmarshal(raw, &text) == nil {
		*w = words(text)
	} else {
		*w = words(raw)
	}
	return nil
}

// isCode reports whether the words can be a code of the service without a detail. Gateways
// answer a number.
func (w words) isCode() bool {
	_, err := strconv.Atoi(string(w))
	return w != "" && err != nil
}

func requestID(header http.Header) string { return PlainText(header.Get("X-Request-Id")) }

// baseOf returns the base URL of a request's URL.
func baseOf(target *url.URL, path []string) string {
	base := *target
	base.RawQuery, base.RawPath = "", ""
	base.Path = strings.TrimSuffix(base.Path, "/"+strings.Join(path, "/"))
	return base.String()
}

// A ForeignError is a success response that does not come from the service: it cannot be
// parsed, or has a different content than requested.
type ForeignError struct {
	Method  string
	Path    []string // below the base URL
	BaseURL string
	Reason  string
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("%s /%s at %s: %s", e.Method, strings.Join(e.Path, "/"), e.BaseURL, e.Reason)
}

// Is reports whether target is ErrForeign.
func (e *ForeignError) Is(target error) bool { return target == ErrForeign }

// A FieldError is a success response in the service's form, with a field of another type
// than documented. The same request would get the same answer, so it is not sent again.
type FieldError struct {
	Method string
	Path   []string // below the base URL
	Reason string   // names the field
}

func (e *FieldError) Error() string {
	return fmt.Sprintf("%s /%s was answered in a form that the provider does not know: %s", e.Method, strings.Join(e.Path, "/"), e.Reason)
}

// An UnreachableError is the error of a request that got no answer.
type UnreachableError struct {
	BaseURL string
	Err     error
}

func (e *UnreachableError) Error() string { return e.BaseURL + ": " + e.Err.Error() }

func (e *UnreachableError) Unwrap() error { return e.Err }

// Is reports whether target is ErrUnreachable.
func (e *UnreachableError) Is(target error) bool { return target == ErrUnreachable }

// An OutcomeError is the error of a POST that the service may or may not have executed.
// The connection broke after the request was sent, or the answer did not come from the
// service.
type OutcomeError struct{ Err error }

func (e *OutcomeError) Error() string {
	return e.Err.Error() + " (it is unknown whether the service carried it out)"
}

func (e *OutcomeError) Unwrap() error { return e.Err }

// OutcomeUnknown reports whether an error is an *OutcomeError.
func OutcomeUnknown(err error) bool {
	var unknown *OutcomeError
	return errors.As(err, &unknown)
}
