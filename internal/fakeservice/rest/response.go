package rest

import (
	"errors"
	"net/http"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// response is the answer to a call. It is not written to the connection immediately, so
// that it can be stored, checked, changed or discarded.
type response struct {
	status int
	// body is encoded as JSON. raw is sent unchanged with contentType.
	body        any
	raw         []byte
	contentType string
	// unknown means that nobody can say whether the call was carried out. This answer does
	// not come from the service, so it is not in the document.
	unknown bool
}

// statuses maps the codes of refusals to HTTP statuses (SERVICE.md#errors).
var statuses = map[core.Code]int{
	core.InvalidRequest:   http.StatusBadRequest,
	core.ConfirmMismatch:  http.StatusBadRequest,
	core.Unauthorized:     http.StatusUnauthorized,
	core.ConsoleOff:       http.StatusForbidden,
	core.NotFound:         http.StatusNotFound,
	core.MethodNotAllowed: http.StatusMethodNotAllowed,
	core.JobRunning:       http.StatusConflict,
	core.NotRunning:       http.StatusConflict,
	core.AlreadyExists:    http.StatusConflict,
	core.ValidationError:  http.StatusUnprocessableEntity,
	core.StatementError:   http.StatusUnprocessableEntity,
	core.Unavailable:      http.StatusServiceUnavailable,
	core.Internal:         http.StatusInternalServerError,
	core.NotImplemented:   http.StatusNotImplemented,
}

// fail converts an error to an answer.
func fail(err error) response {
	if unwritten := (*core.Unwritten)(nil); errors.As(err, &unwritten) {
		return response{status: http.StatusInternalServerError, raw: []byte(err.Error() + "\n"), contentType: "text/plain; charset=utf-8", unknown: true}
	}
	p := core.ProblemOf(err)
	return response{status: statuses[p.Code], body: struct {
		Detail string    `json:"detail"`
		Code   core.Code `json:"code"`
	}{p.Detail, p.Code}}
}

func badRequest(format string, args ...any) error {
	return core.Refuse(core.InvalidRequest, format, args...)
}
