package core

import (
	"errors"
	"fmt"
)

// A Code is the kind of a refusal (SERVICE.md#errors).
type Code string

// The codes of refusals.
const (
	InvalidRequest  Code = "invalid_request"
	ConfirmMismatch Code = "confirm_mismatch"
	Unauthorized    Code = "unauthorized"
	ConsoleOff      Code = "console_off"
	NotFound        Code = "not_found"
	// MethodNotAllowed means that the address exists but not with this method.
	MethodNotAllowed Code = "method_not_allowed"
	JobRunning       Code = "job_running"
	NotRunning       Code = "not_running"
	AlreadyExists    Code = "already_exists"
	ValidationError  Code = "validation_failed"
	StatementError   Code = "sql_error"
	Unavailable      Code = "unavailable"
	Internal         Code = "internal"
	// NotImplemented means that the service has the operation and the fake does not.
	NotImplemented Code = "not_implemented"
)

// A Problem is a refusal with one of the codes in SERVICE.md#errors. Each interface converts it to its
// protocol.
type Problem struct {
	Code   Code
	Detail string
}

// Error returns the code and the detail.
func (p *Problem) Error() string { return string(p.Code) + ": " + p.Detail }

// Refuse makes a Problem.
func Refuse(code Code, format string, args ...any) error {
	return &Problem{code, fmt.Sprintf(format, args...)}
}

// ProblemOf returns err as a Problem. An error that is not a Problem is an internal error
// in the fake and gets the code Internal.
func ProblemOf(err error) *Problem {
	if p := (*Problem)(nil); errors.As(err, &p) {
		return p
	}
	return &Problem{Internal, err.Error()}
}

// Unwritten is the error of a change that was made, but is not stored: the end of the
// program would undo it. It is not a refusal, because a refusal means that nothing was done.
// So no interface may answer it in the service's envelope.
type Unwritten struct{ Err error }

// Error says that the outcome is unknown.
func (u *Unwritten) Error() string {
	return "the outcome is unknown: the change was made, but the fake service could not write it to its records: " + u.Err.Error()
}

// Unwrap returns the reason.
func (u *Unwritten) Unwrap() error { return u.Err }

// invalid returns a Problem about an invalid value. Its detail begins with the name of
// the field.
func invalid(field, format string, args ...any) error {
	return &Problem{ValidationError, field + ": " + fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) error { return Refuse(NotFound, format, args...) }

func alreadyExists(format string, args ...any) error { return Refuse(AlreadyExists, format, args...) }

func jobRunning(format string, args ...any) error { return Refuse(JobRunning, format, args...) }

func notRunning(format string, args ...any) error { return Refuse(NotRunning, format, args...) }

func unavailable(format string, args ...any) error { return Refuse(Unavailable, format, args...) }
