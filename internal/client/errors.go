package client

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// These errors classify the service's refusals for errors.Is. Statuses and codes are
// settled (SERVICE.md#errors).
var (
	// ErrNotFound means that the service itself reports an unknown object. A 404 from a
	// gateway is transport.ErrForeign.
	ErrNotFound = transport.Class("not found", func(e *transport.APIError) bool {
		return e.Code == "not_found" && (e.Status == http.StatusNotFound || e.Status == http.StatusGone)
	})
	ErrUnauthorized = transport.Class("unauthorized", func(e *transport.APIError) bool { return e.Status == http.StatusUnauthorized })
	ErrForbidden    = transport.Class("forbidden", func(e *transport.APIError) bool {
		return e.Status == http.StatusForbidden && e.Code != "console_off"
	})
	ErrJobRunning = transport.Class("a job is running on the instance", func(e *transport.APIError) bool {
		return e.Status == http.StatusConflict && e.Code == "job_running"
	})
	ErrAlreadyExists = transport.Class("already exists", func(e *transport.APIError) bool {
		return e.Status == http.StatusConflict && e.Code == "already_exists"
	})
	ErrConsoleOff = transport.Class("the SQL console is off", func(e *transport.APIError) bool {
		return e.Status == http.StatusForbidden && e.Code == "console_off"
	})
	ErrValidation = transport.Class("validation failed", func(e *transport.APIError) bool {
		return e.Status == http.StatusUnprocessableEntity && e.Code != "sql_error"
	})
	ErrSQL = transport.Class("refused by Postgres", func(e *transport.APIError) bool {
		return e.Status == http.StatusUnprocessableEntity && e.Code == "sql_error"
	})
	// ErrUnavailable is any 5xx.
	ErrUnavailable = transport.Class("the service is unavailable", func(e *transport.APIError) bool { return e.Status >= http.StatusInternalServerError })
)

// fieldName matches the name of a field of a request, nested or not.
var fieldName = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[A-Za-z0-9_-]+)*$`)

// RefusedField returns the request field that a validation error names, such as
// "engines.redis.memory_mb", or "". It is settled that the detail begins with the field
// (SERVICE.md#errors), so the first word may also be an ordinary word.
func RefusedField(e *transport.APIError) string {
	if !errors.Is(e, ErrValidation) || e.Foreign() {
		return ""
	}
	words := strings.FieldsFunc(e.Detail, func(r rune) bool { return strings.ContainsRune(" :`'\"", r) })
	if len(words) == 0 || !fieldName.MatchString(words[0]) {
		return ""
	}
	return words[0]
}

// Refused reports whether the service refused a change because of the instance's current
// state: a conflict, or a value that is currently invalid.
func Refused(err error) bool {
	var refused *transport.APIError
	return errors.As(err, &refused) && (refused.Status == http.StatusConflict || refused.Status == http.StatusUnprocessableEntity)
}

// NothingDone reports whether the service refused a change without doing anything, and no
// earlier attempt may have been carried out.
func NothingDone(err error) bool {
	var refused *transport.APIError
	return errors.As(err, &refused) && refused.Method != http.MethodGet && !refused.Unsure && refused.NothingDone()
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
