package client

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"

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
	// ErrForbidden means that the key may not do this. A 403 with another code of the service
	// has another reason, such as a quota or an overdue invoice.
	ErrForbidden = transport.Class("forbidden", func(e *transport.APIError) bool {
		return e.Status == http.StatusForbidden && (e.Code == "forbidden" || e.Foreign()) && !e.Limited()
	})
	ErrJobRunning = transport.Class("a job is running on the instance", func(e *transport.APIError) bool {
		return e.Status == http.StatusConflict && e.Code == "job_running"
	})
	// ErrConflict is any 409 or 423. Only the service itself answers it.
	ErrConflict      = transport.Class("conflict", (*transport.APIError).Conflicts)
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
	return errors.As(err, &refused) && (refused.Conflicts() || refused.Status == http.StatusUnprocessableEntity)
}

// refusesRequest reports whether the service itself refused the content of a request, and
// not the key that it came with.
func refusesRequest(err error) bool {
	var refused *transport.APIError
	return Refused(err) || errors.As(err, &refused) && refused.Status == http.StatusBadRequest && !refused.Foreign()
}

// NothingDone reports whether the service refused a change without doing anything, and no
// earlier attempt may have been carried out.
func NothingDone(err error) bool {
	var refused *transport.APIError
	return errors.As(err, &refused) && refused.Method != http.MethodGet && !refused.Unsure && refused.NothingDone()
}

// ErrContradiction is returned if the service reports a subject both as existing and as
// not found.
var ErrContradiction = errors.New("the service's answers contradict each other")

// Passing reports whether an error of a read is transient and says nothing about the
// object: an error of the network, of a gateway, or of the service itself.
func Passing(err error) bool {
	shifted := (*ShiftedListError)(nil)
	return errors.As(err, &shifted) || errors.Is(err, transport.ErrForeign) || errors.Is(err, transport.ErrUnreachable) || errors.Is(err, ErrUnavailable) ||
		errors.Is(err, transport.ErrRateLimited) || errors.Is(err, ErrNotFound) || errors.Is(err, ErrContradiction) ||
		errors.Is(err, context.DeadlineExceeded)
}

// isConflict reports whether a refusal will pass when the instance is free again, unless
// its code says otherwise.
func isConflict(err error) bool {
	return errors.Is(err, ErrConflict) && !errors.Is(err, ErrAlreadyExists)
}
