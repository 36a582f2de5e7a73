package simulation

import (
	"slices"
	"strings"
)

// A ClosedError is an error that an apply may end with however calm everything is,
// as only a person can go on from there. Its message names the cure.
type ClosedError struct {
	Name  string
	texts []string // any of them is in its message
}

const namesakeInCreation = "a namesake being created"

// ClosedErrors is the closed list of such errors. Every other one that does not go
// away is a bug.
var ClosedErrors = []ClosedError{
	{"a checkout", []string{"waits for its checkout"}},
	{"a protection", []string{"is protected from deletion"}},
	{"a failed instance that refuses every change", []string{"only the whole instance can be deleted"}},
	{"an engine that was never configured", []string{"which its configuration never had"}},
	{namesakeInCreation, []string{"An instance with the same name is being created", "plan and region is already being created"}},
	{"a script of unknown outcome", []string{"It is unknown whether the script ran"}},
	{"an ambiguous creation", []string{"it cannot be told which of these it created", "and the request was not repeated"}},
}

// ClosedErrorIn names the closed error that a text shows, "" for none.
func ClosedErrorIn(text string) string {
	for _, e := range ClosedErrors {
		if slices.ContainsFunc(e.texts, func(part string) bool { return strings.Contains(text, part) }) {
			return e.Name
		}
	}
	return ""
}
