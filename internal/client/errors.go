package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// What an error of the package is, for errors.Is. Statuses and codes are settled
// (SERVICE.md#errors).
var (
	// ErrNotFound is the service's own word that it does not know something. A
	// 404 of anybody else is ErrForeign.
	ErrNotFound      = errors.New("not found")
	ErrUnauthorized  = errors.New("unauthorized")
	ErrForbidden     = errors.New("forbidden")
	ErrJobRunning    = errors.New("a job is running on the instance")
	ErrAlreadyExists = errors.New("already exists")
	ErrConsoleOff    = errors.New("the SQL console is off")
	ErrValidation    = errors.New("validation failed")
	ErrSQL           = errors.New("refused by Postgres")
	ErrRateLimited   = errors.New("rate limited")
	ErrUnavailable   = errors.New("the service is unavailable") // any 5xx
	// ErrForeign is an answer that is not the service's own: a gateway's page,
	// or another service's.
	ErrForeign = errors.New("the answer is not the service's own")
	// ErrUnreachable is a request that got no answer at all.
	ErrUnreachable = errors.New("the service cannot be reached")
	// ErrOutage is a read that was not sent, as the service has been silent for
	// too long.
	ErrOutage = fmt.Errorf("the service has not answered for %s", outageLimit)
)

// ErrBodyTooLarge is the error of an answer over 4 MiB, which is not read.
var ErrBodyTooLarge = errors.New("the answer is larger than 4 MiB")

// maxForeignBody is how much is shown of an error body that is not the
// service's JSON.
const maxForeignBody = 500

// An APIError is an answer that is no success.
type APIError struct {
	Status    int    // the HTTP status
	Code      string // the service's code, "" when the answer is not in its envelope
	Detail    string // the service's words, or the start of a foreign body; without secrets
	Method    string
	Path      string // below the base URL
	RequestID string // the service's name of the request, or ""
	BaseURL   string

	// RetryAfter is what a 429 or 503 asks to wait, zero when it does not.
	RetryAfter time.Duration
}

// Error begins with the service's own words. An answer of somebody else begins with
// the request, as those words are a page.
func (e *APIError) Error() string {
	facts := fmt.Sprintf("%s %s answered %d", e.Method, e.Path, e.Status)
	if e.foreign() {
		if text := http.StatusText(e.Status); text != "" {
			facts += " " + text
		}
		facts += ", which is not an answer of the service at " + e.BaseURL
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

// fieldName is how a field of a request is named, within another or not.
var fieldName = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[A-Za-z0-9_-]+)*$`)

// Field is the field of the request that a refused value is of, such as
// "engines.redis.memory_mb", or "". That the detail begins with it is settled
// (SERVICE.md#errors), so a first word that is no field has to be expected.
func (e *APIError) Field() string {
	if !errors.Is(e, ErrValidation) || e.foreign() {
		return ""
	}
	words := strings.FieldsFunc(e.Detail, func(r rune) bool { return strings.ContainsRune(" :`'\"", r) })
	if len(words) == 0 || !fieldName.MatchString(words[0]) {
		return ""
	}
	return words[0]
}

// foreign tells an answer that is not in the service's envelope: it says
// something of whoever is in between, and nothing of the service.
func (e *APIError) foreign() bool { return e.Code == "" }

// nothingDone tells a refusal by which the service itself says that nothing was
// done (SERVICE.md#errors). A 5xx says so only as 503 unavailable. A conflict
// and a wrong value are nobody's words but the service's, even where the rest of
// them is lost, and who says 429 has let nothing through.
func (e *APIError) nothingDone() bool {
	switch {
	case e.Status == http.StatusTooManyRequests, e.Status == http.StatusConflict, e.Status == http.StatusUnprocessableEntity:
		return true
	case e.foreign():
		return false
	case e.Status >= http.StatusInternalServerError:
		return e.Status == http.StatusServiceUnavailable && e.Code == "unavailable"
	}
	return e.Status >= http.StatusBadRequest
}

// Is tells which of the package's sentinels the answer is.
func (e *APIError) Is(target error) bool {
	switch target {
	case ErrNotFound:
		return e.Code == "not_found" && (e.Status == http.StatusNotFound || e.Status == http.StatusGone)
	case ErrUnauthorized:
		return e.Status == http.StatusUnauthorized
	case ErrForbidden:
		return e.Status == http.StatusForbidden && e.Code != "console_off"
	case ErrJobRunning:
		return e.Status == http.StatusConflict && e.Code == "job_running"
	case ErrAlreadyExists:
		return e.Status == http.StatusConflict && e.Code == "already_exists"
	case ErrConsoleOff:
		return e.Status == http.StatusForbidden && e.Code == "console_off"
	case ErrValidation:
		return e.Status == http.StatusUnprocessableEntity && e.Code != "sql_error"
	case ErrSQL:
		return e.Status == http.StatusUnprocessableEntity && e.Code == "sql_error"
	case ErrRateLimited:
		return e.Status == http.StatusTooManyRequests
	case ErrUnavailable:
		return e.Status >= http.StatusInternalServerError
	case ErrForeign:
		return e.foreign()
	}
	return false
}

// Refused tells whether the service refused a change for what the instance is at
// present: a conflict, or a value that is not valid then.
func Refused(err error) bool {
	var refused *APIError
	return errors.As(err, &refused) && (refused.Status == http.StatusConflict || refused.Status == http.StatusUnprocessableEntity)
}

// newAPIError reads an answer that is no success. It is read before secrets are
// hidden in it: hiding may not change what the answer says.
func newAPIError(r request, target *url.URL, a *answer, secrets *secrets) *APIError {
	err := &APIError{
		Status:    a.status,
		Method:    r.method,
		Path:      "/" + strings.Join(r.path, "/"),
		RequestID: requestID(a.header),
		BaseURL:   baseOf(target, r.path),
	}
	if a.status == http.StatusTooManyRequests || a.status == http.StatusServiceUnavailable {
		err.RetryAfter = retryAfter(a.header)
	}
	var envelope struct{ Detail, Code string }
	if json.Unmarshal(a.body, &envelope) == nil && (envelope.Detail != "" || envelope.Code != "") {
		err.Code, err.Detail = envelope.Code, secrets.hide(envelope.Detail)
		return err
	}
	err.Detail = strings.ToValidUTF8(strings.TrimSpace(secrets.hide(string(a.body))), "")
	if cut := []rune(err.Detail); len(cut) > maxForeignBody {
		err.Detail = string(cut[:maxForeignBody]) + "…"
	}
	return err
}

// baseOf is the base URL of a request's address.
func baseOf(target *url.URL, path []string) string {
	base := *target
	base.RawQuery, base.RawPath = "", ""
	base.Path = strings.TrimSuffix(base.Path, "/"+strings.Join(path, "/"))
	return base.String()
}

// A ForeignError is a success that is not the service's: it cannot be read, or
// is not what was asked for.
type ForeignError struct {
	Method  string
	Path    []string // below the base URL
	BaseURL string
	Reason  string
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("%s /%s at %s: %s", e.Method, strings.Join(e.Path, "/"), e.BaseURL, e.Reason)
}

// Is makes it ErrForeign.
func (e *ForeignError) Is(target error) bool { return target == ErrForeign }

// An UnreachableError is a request that got no answer.
type UnreachableError struct {
	BaseURL string
	Err     error
}

func (e *UnreachableError) Error() string { return e.BaseURL + ": " + e.Err.Error() }

func (e *UnreachableError) Unwrap() error { return e.Err }

// Is makes it ErrUnreachable.
func (e *UnreachableError) Is(target error) bool { return target == ErrUnreachable }

// An OutcomeError is the error of a POST of which nobody can say whether the
// service carried it out: the connection broke after it was sent, or the answer
// was not the service's.
type OutcomeError struct{ Err error }

func (e *OutcomeError) Error() string {
	return e.Err.Error() + " (it is unknown whether the service carried it out)"
}

func (e *OutcomeError) Unwrap() error { return e.Err }

func outcomeUnknown(err error) bool {
	var unknown *OutcomeError
	return errors.As(err, &unknown)
}

// A NoEvidenceError is a change that the service accepted without naming a job,
// and that its records do not show.
type NoEvidenceError struct {
	InstanceID string
	Operation  string // as jobs call it
	Target     string // as jobs call it, or ""
}

func (e *NoEvidenceError) Error() string {
	what := e.Operation
	if e.Target != "" {
		what += " of " + e.Target
	}
	return fmt.Sprintf("the service accepted %s on instance %s, but named no job for it, and its records do not show the change", what, e.InstanceID)
}

// A MissingJobError is a job that the service does not know, or not any more:
// what became of it is unknown.
type MissingJobError struct {
	InstanceID string
	JobID      string
}

func (e *MissingJobError) Error() string {
	return fmt.Sprintf("the service does not know job %s of instance %s, so what became of it is unknown", e.JobID, e.InstanceID)
}

// A JobError is a job that failed.
type JobError struct{ Job Job }

func (e *JobError) Error() string {
	failed := fmt.Sprintf("job %s failed at %d %%", e.Job.name(), e.Job.Progress.Value)
	if reason := e.Job.reason(); reason != "" {
		return reason + ": " + failed
	}
	return failed + ", and the service gave no reason"
}

// An InterruptedError is a wait that was cut short, by cancellation or a
// deadline, while what it waited for was still in progress.
type InterruptedError struct {
	What  string // "job j-1 (create, running, 40 %)"
	JobID string // "" when it waited for a build
	Err   error  // why the context has ended: a *TimeoutError or ErrInterrupted
}

func (e *InterruptedError) Error() string {
	return fmt.Sprintf("stopped waiting for %s: %s", e.What, e.Err)
}

func (e *InterruptedError) Unwrap() error { return e.Err }

// A CheckoutError is a change of an instance that is not paid yet: nothing can
// be done with it before its checkout page is opened.
type CheckoutError struct {
	InstanceID string
	URL        string
	JobID      string
}

func (e *CheckoutError) Error() string {
	return fmt.Sprintf("instance %s waits for its checkout: open %s to finish its creation", e.InstanceID, e.URL)
}

// An AmbiguousError is a creation whose answer was lost, and for which more than
// one new instance may be its own.
type AmbiguousError struct {
	Name       string
	Candidates []string // instance ids
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("the answer to the creation of instance %q was lost, and it cannot be told which of these it created: %s",
		e.Name, strings.Join(e.Candidates, ", "))
}

// An UnknownCreationError is a creation whose answer was lost and whose result
// did not show for as long as it was looked for. It was not sent again.
type UnknownCreationError struct {
	What   string        // "instance \"web\""
	Looked time.Duration // for how long
	Err    error         // what became of the answer
}

func (e *UnknownCreationError) Error() string {
	return fmt.Sprintf("%s; %s did not appear within %s, and the request was not repeated",
		e.Err, e.What, shortDuration(e.Looked.Round(time.Second)))
}

func (e *UnknownCreationError) Unwrap() error { return e.Err }

// A NamesakeError is a creation that was not sent because an instance of the
// same name, plan and region is being created by nobody known: most likely by
// an earlier run that was killed before it could save the id.
type NamesakeError struct {
	Name string
	ID   string
}

func (e *NamesakeError) Error() string {
	return fmt.Sprintf("instance %s with the same name %q, plan and region is already being created", e.ID, e.Name)
}
