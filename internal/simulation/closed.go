package simulation

import (
	"slices"
	"strings"
)

// A ClosedError is an error that an apply may end with even without any trouble, because
// only a person can resolve it. Its message says how.
type ClosedError struct {
	Name  string
	texts []string // the message contains one of them
}

const namesakeInCreation = "a namesake being created"

// ClosedErrors is the closed list of such errors. Every other error that persists is a bug.
var ClosedErrors = []ClosedError{
	{"a checkout", []string{"waits for its checkout"}},
	{"a protection", []string{"is protected from deletion"}},
	{"a failed instance that refuses every change", []string{"only the whole instance can be deleted"}},
	{"an engine that was never configured", []string{"which its configuration never had"}},
	{namesakeInCreation, []string{"with the same name is being created", "plan and region is already being created"}},
	{"a script of unknown outcome", []string{"It is unknown whether the script ran"}},
	{"an ambiguous creation", []string{"It may have created one of these new", "and the request was not repeated"}},
}

// ClosedErrorIn returns the name of the closed error in a text, or "".
func ClosedErrorIn(text string) string {
	for _, e := range ClosedErrors {
		if slices.ContainsFunc(e.texts, func(part string) bool { return strings.Contains(text, part) }) {
			return e.Name
		}
	}
	return ""
}
