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

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
)

// These errors classify the package's errors for errors.Is. Statuses and codes are
// settled (SERVICE.md#errors).
var (
	// ErrNotFound means that the service itself reports an unknown object. A 404 from a
	// gateway is ErrForeign.
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
	// ErrForeign is an answer that does not come from the service, but from a gateway or
	// another server.
	ErrForeign = errors.New("the answer is not the service's own")
	// ErrUnreachable is the error of a request that got no answer.
	ErrUnreachable = errors.New("the service cannot be reached")
	// ErrOutage is the error of a read that was not sent, because the service has not
	// answered for too long.
	ErrOutage = fmt.Errorf("the service has not answered for %s", outageLimit)
)

// ErrBodyTooLarge is the error for an answer over 4 MiB. The client drops such an answer.
var ErrBodyTooLarge = errors.New("the answer is larger than 4 MiB")

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

	// RetryAfter is the waiting time requested by a 429 or 503, zero if there is none.
	RetryAfter time.Duration

	unsure bool // whether an earlier attempt may have been carried out
}

// Error begins with the service's own words. For a foreign answer it begins with the
// request, because the body is a page.
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

// fieldName matches the name of a field of a request, nested or not.
var fieldName = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[A-Za-z0-9_-]+)*$`)

// Field returns the request field that a validation error names, such as
// "engines.redis.memory_mb", or "". It is settled that the detail begins with the field
// (SERVICE.md#errors), so the first word may also be an ordinary word.
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

// foreign reports whether an answer is not in the service's envelope. Such an answer
// comes from something between the client and the service and says nothing about the
// service.
func (e *APIError) foreign() bool { return e.Code == "" }

// nothingDone reports whether the service refused the request without doing anything
// (SERVICE.md#errors). A 5xx guarantees that only as 503 unavailable. A conflict and an
// invalid value can only come from the service, even if the rest of the answer is lost. A
// 429, from any server, means that the request was not let through.
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

// Is reports whether the answer matches one of the package's sentinel errors.
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

// Refused reports whether the service refused a change because of the instance's current
// state: a conflict, or a value that is currently invalid.
func Refused(err error) bool {
	var refused *APIError
	return errors.As(err, &refused) && (refused.Status == http.StatusConflict || refused.Status == http.StatusUnprocessableEntity)
}

// NothingDone reports whether the service refused a change without doing anything, and no
// earlier attempt may have been carried out.
func NothingDone(err error) bool {
	var refused *APIError
	return errors.As(err, &refused) && refused.Method != http.MethodGet && !refused.unsure && refused.nothingDone()
}

// newAPIError parses an answer with an error status. It parses the answer before it hides
// secrets, so that hiding cannot change the meaning.
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

func outcomeUnknown(err error) bool {
	var unknown *OutcomeError
	return errors.As(err, &unknown)
}

// A NoEvidenceError reports a change that the service accepted without naming a job, but
// that its records do not show.
type NoEvidenceError struct {
	InstanceID string
	Operation  string // the operation in the job's record
	Target     string // the target in the job's record, or ""
}

func (e *NoEvidenceError) Error() string {
	what := e.Operation
	if e.Target != "" {
		what += " of " + e.Target
	}
	return fmt.Sprintf("the service accepted %s on instance %s, but named no job for it, and its records do not show the change", what, e.InstanceID)
}

// A MissingJobError reports a job that the service does not know, or no longer knows. Its
// outcome is unknown.
type MissingJobError struct {
	InstanceID string
	JobID      string
}

func (e *MissingJobError) Error() string {
	return fmt.Sprintf("the service does not know job %s of instance %s, so what became of it is unknown", e.JobID, e.InstanceID)
}

// A JobError reports a failed job.
type JobError struct{ Job Job }

func (e *JobError) Error() string {
	failed := fmt.Sprintf("job %s failed at %d %%", e.Job.name(), e.Job.Progress.Value)
	if reason := e.Job.reason(); reason != "" {
		return reason + ": " + failed
	}
	return failed + ", and the service gave no reason"
}

// An InterruptedError reports that cancellation or a deadline ended a wait while the job
// or build was still in progress.
type InterruptedError struct {
	What  string // "job j-1 (create, running, 40 %)"
	JobID string // "" if it waited for a build
	Err   error  // why the context ended: a *TimeoutError or ErrInterrupted
}

func (e *InterruptedError) Error() string {
	return fmt.Sprintf("stopped waiting for %s: %s", e.What, e.Err)
}

func (e *InterruptedError) Unwrap() error { return e.Err }

// A CheckoutError reports that an instance is not paid yet and cannot be changed before
// its checkout page is opened.
type CheckoutError struct {
	InstanceID string
	URL        string
	JobID      string
}

func (e *CheckoutError) Error() string {
	return fmt.Sprintf("instance %s waits for its checkout: open %s to finish its creation", e.InstanceID, e.URL)
}

// An AmbiguousError reports that the response to a create request was lost and that more
// than one new instance may come from it.
type AmbiguousError struct {
	Name       string
	Candidates []string // instance ids
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("the answer to the creation of instance %q was lost, and it cannot be told which of these it created: %s",
		e.Name, strings.Join(e.Candidates, ", "))
}

// An UnknownCreationError reports that the response to a create request was lost and its
// result did not appear during the search. The request was not sent again.
type UnknownCreationError struct {
	What   string        // "instance \"web\""
	Looked time.Duration // the duration of the search
	Err    error         // why the response was lost
}

func (e *UnknownCreationError) Error() string {
	return fmt.Sprintf("%s; %s did not appear within %s, and the request was not repeated",
		e.Err, e.What, lifetime.ShortDuration(e.Looked.Round(time.Second)))
}

func (e *UnknownCreationError) Unwrap() error { return e.Err }

// A NamesakeError reports that a create request was not sent, because an instance of the
// same name, plan and region is already being created. Most likely it comes from an
// earlier run that was killed before it could save the id.
type NamesakeError struct {
	Name string
	ID   string
}

func (e *NamesakeError) Error() string {
	return fmt.Sprintf("instance %s with the same name %q, plan and region is already being created", e.ID, e.Name)
}
