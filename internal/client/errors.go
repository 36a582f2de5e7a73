package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// What an *APIError is, for errors.Is. Statuses and codes are settled
// (contract.md, "Errors").
var (
	ErrNotFound      = errors.New("not found")
	ErrUnauthorized  = errors.New("unauthorized")
	ErrForbidden     = errors.New("forbidden")
	ErrJobRunning    = errors.New("a job is running on the instance")
	ErrAlreadyExists = errors.New("already exists")
	ErrConsoleOff    = errors.New("the SQL console is off")
	ErrValidation    = errors.New("validation failed")
	ErrSQL           = errors.New("refused by Postgres")
	ErrRateLimited   = errors.New("rate limited")
	ErrUnavailable   = errors.New("the service has trouble") // any 5xx
)

// ErrBodyTooLarge is the error of an answer over 4 MiB, which is not read.
var ErrBodyTooLarge = errors.New("the answer is larger than 4 MiB")

// maxForeignBody is how much is shown of an error body that is not the
// service's JSON.
const maxForeignBody = 500

// An APIError is an answer of the service that is no success.
type APIError struct {
	Status int    // the HTTP status
	Code   string // the service's code, "" when the body was not its JSON
	Detail string // the service's words, or the start of a foreign body
	Method string
	Path   string // below the base URL

	// RetryAfter is what the service asks to wait, zero when it does not.
	RetryAfter time.Duration
}

func (e *APIError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s answered %d", e.Method, e.Path, e.Status)
	if text := http.StatusText(e.Status); text != "" {
		b.WriteString(" " + text)
	}
	if e.Code != "" {
		b.WriteString(" (" + e.Code + ")")
	}
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	return b.String()
}

// Is tells which of the package's sentinels the answer is.
func (e *APIError) Is(target error) bool {
	switch target {
	case ErrNotFound:
		return e.Status == http.StatusNotFound || e.Status == http.StatusGone
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
	}
	return false
}

func newAPIError(r request, resp *http.Response, body []byte) *APIError {
	err := &APIError{
		Status:     resp.StatusCode,
		Method:     r.method,
		Path:       "/" + strings.Join(r.path, "/"),
		RetryAfter: retryAfter(resp),
	}
	var answer struct{ Detail, Code string }
	if json.Unmarshal(body, &answer) == nil && (answer.Detail != "" || answer.Code != "") {
		err.Code, err.Detail = answer.Code, answer.Detail
		return err
	}
	err.Detail = strings.ToValidUTF8(strings.TrimSpace(string(body)), "")
	if cut := []rune(err.Detail); len(cut) > maxForeignBody {
		err.Detail = string(cut[:maxForeignBody]) + "…"
	}
	return err
}

// An OutcomeError is the error of a POST of which nobody can say whether the
// service carried it out: the connection broke after it was sent, or a 5xx
// came back.
type OutcomeError struct{ Err error }

func (e *OutcomeError) Error() string {
	return e.Err.Error() + " (whether the service carried it out is unknown)"
}

func (e *OutcomeError) Unwrap() error { return e.Err }

func outcomeUnknown(err error) bool {
	var unknown *OutcomeError
	return errors.As(err, &unknown)
}

// A JobError is a job that ended failed.
type JobError struct{ Job Job }

func (e *JobError) Error() string {
	return fmt.Sprintf("job %s failed at %d %%: %s", e.Job.name(), e.Job.Progress, e.Job.reason())
}

// A BuildError is a build that ended failed. Build.Error is the end of its log.
type BuildError struct {
	App   string
	Build Build
}

func (e *BuildError) Error() string {
	text := fmt.Sprintf("build %s of app %s ended %s", e.Build.ID, e.App, e.Build.Status)
	if e.Build.Error != "" {
		text += ":\n" + e.Build.Error
	}
	return text
}

// An AppError is an app that was deployed and does not run: it did not answer
// its health path within a minute (contract.md, "Apps").
type AppError struct{ App string }

func (e *AppError) Error() string {
	return fmt.Sprintf("app %s does not run: it did not answer 200 on its health path within a minute", e.App)
}

// An InterruptedError is a wait that was cut short, by cancellation or a
// deadline, while what it waited for was still in progress.
type InterruptedError struct {
	What  string // "job j-1 (create, running, 40 %)"
	JobID string // "" when it waited for a build
	Err   error  // the context's error
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

// An AmbiguousError is a creation whose answer was lost and for which more than
// one instance, or one that cannot be told from an older one, may be its own.
type AmbiguousError struct {
	Name       string
	Candidates []string // instance ids
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("the answer to the creation of instance %q was lost, and which of these is it cannot be told: %s",
		e.Name, strings.Join(e.Candidates, ", "))
}

// A NamesakeError is a creation that was not sent because an instance of the
// same name, plan and region is being created by nobody known: most likely by
// an earlier run that was killed before it could save the id.
type NamesakeError struct {
	Name string
	ID   string
}

func (e *NamesakeError) Error() string {
	return fmt.Sprintf("instance %s of the same name %q, plan and region is being created already", e.ID, e.Name)
}
