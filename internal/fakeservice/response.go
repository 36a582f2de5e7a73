package fakeservice

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// response is what a handler answers. Handlers never write to the connection,
// so that an answer can be remembered, checked, altered or thrown away.
type response struct {
	status int
	header http.Header
	// body is encoded as JSON; raw is sent as it is, with its content type.
	body        any
	raw         []byte
	contentType string
	// later finishes the answer after the store is unlocked. It is for work
	// that takes real time, such as running SQL.
	later func(context.Context) response
}

func answer(status int, body any) response {
	return response{status: status, body: body}
}

// accepted is the answer to every mutation of an instance.
func accepted(j *job) response {
	return answer(http.StatusAccepted, map[string]any{"job_id": j.ID})
}

// fail turns an error into an answer. An error that is no problem is a mistake
// of the fake itself and says so.
func fail(err error) response {
	if p := (*problem)(nil); errors.As(err, &p) {
		return answer(p.status, map[string]any{"detail": p.detail, "code": p.code})
	}
	return answer(http.StatusInternalServerError, map[string]any{"detail": err.Error(), "code": "internal"})
}

// problem is an error as the contract knows it.
type problem struct {
	status       int
	code, detail string
}

// Error gives the code and the detail.
func (p *problem) Error() string { return p.code + ": " + p.detail }

// invalid is a value out of range. The detail begins with the field's name.
func invalid(field, format string, args ...any) error {
	return &problem{http.StatusUnprocessableEntity, "validation_failed", field + ": " + fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) error {
	return &problem{http.StatusNotFound, "not_found", fmt.Sprintf(format, args...)}
}

func badRequest(format string, args ...any) error {
	return &problem{http.StatusBadRequest, "invalid_request", fmt.Sprintf(format, args...)}
}

func alreadyExists(format string, args ...any) error {
	return &problem{http.StatusConflict, "already_exists", fmt.Sprintf(format, args...)}
}

func jobRunning(format string, args ...any) error {
	return &problem{http.StatusConflict, "job_running", fmt.Sprintf(format, args...)}
}

func unavailable(format string, args ...any) error {
	return &problem{http.StatusServiceUnavailable, "unavailable", fmt.Sprintf(format, args...)}
}

func unauthorized(detail string) error {
	return &problem{http.StatusUnauthorized, "unauthorized", detail}
}
