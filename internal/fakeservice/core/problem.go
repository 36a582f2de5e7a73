package core

import (
	"errors"
	"fmt"
)

// A Code says what kind of refusal a Problem is (SERVICE.md#errors).
type Code string

// The codes of refusals.
const (
	InvalidRequest  Code = "invalid_request"
	ConfirmMismatch Code = "confirm_mismatch"
	Unauthorized    Code = "unauthorized"
	ConsoleOff      Code = "console_off"
	NotFound        Code = "not_found"
	// MethodNotAllowed is another method than those of an address.
	MethodNotAllowed Code = "method_not_allowed"
	JobRunning       Code = "job_running"
	NotRunning       Code = "not_running"
	AlreadyExists    Code = "already_exists"
	ValidationError  Code = "validation_failed"
	StatementError   Code = "sql_error"
	Unavailable      Code = "unavailable"
	Internal         Code = "internal"
	// NotImplemented is what the service has and the fake has not.
	NotImplemented Code = "not_implemented"
)

// A Problem is a refusal as the contract knows it. A face gives it the form of its
// protocol.
type Problem struct {
	Code   Code
	Detail string
}

// Error gives the code and the detail.
func (p *Problem) Error() string { return string(p.Code) + ": " + p.Detail }

// Refuse makes a Problem.
func Refuse(code Code, format string, args ...any) error {
	return &Problem{code, fmt.Sprintf(format, args...)}
}

// ProblemOf is an error as the contract knows it. One that is no Problem is a mistake
// of the fake itself, and says so.
func ProblemOf(err error) *Problem {
	if p := (*Problem)(nil); errors.As(err, &p) {
		return p
	}
	return &Problem{Internal, err.Error()}
}

// invalid is a value out of range. The detail begins with the field's name.
func invalid(field, format string, args ...any) error {
	return &Problem{ValidationError, field + ": " + fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) error { return Refuse(NotFound, format, args...) }

func alreadyExists(format string, args ...any) error { return Refuse(AlreadyExists, format, args...) }

func jobRunning(format string, args ...any) error { return Refuse(JobRunning, format, args...) }

func notRunning(format string, args ...any) error { return Refuse(NotRunning, format, args...) }

func unavailable(format string, args ...any) error { return Refuse(Unavailable, format, args...) }
