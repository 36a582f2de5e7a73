package transcript

import (
	"maps"
	"slices"
	"strings"
)

// Format returns the calls of one command after another as lines, grouped by type. Types
// with equal lines share them. Processes are numbered in their order; those that only
// validated have number 0.
//
// Each type numbers its configurations, states, plans, private data and identities in the
// order of first occurrence. A line below a configuration says what it sets. The following
// is not said of a call:
//
//   - A proposed state, if it is the configuration, with the prior state for everything
//     that is not configured.
//   - The identity that the type's last answer contained, if it comes with a prior state.
//   - That a plan may be deferred, if each plan of a process that applies may.
//
// The last two are said once, at the beginning (see habits).
//
// The order between types is only shown where references determine it. For each type that
// another one refers to, the text says which was changed first, and which was deleted first.
func Format(commands []Command) (lines []string) {
	h := habitsOf(commands)
	lines = h.lines()
	numbers := map[string]*numbering{}
	for _, c := range commands {
		lines = append(lines, c.Line)
		processes := processesOf(c.Calls)
		of := map[string][]string{}
		for _, call := range c.Calls {
			kind := strings.Replace(call.Type, "hosting_", "", 1)
			if numbers[kind] == nil {
				numbers[kind] = &numbering{habits: h, known: map[string]map[string]int{}}
			}
			of[kind] = append(of[kind], numbers[kind].lines(call, processes[call.Process])...)
		}
		lines = append(append(lines, grouped(of)...), ordered(c)...)
	}
	return lines
}

// grouped returns the lines of all types, in the order of the types.
func grouped(of map[string][]string) (lines []string) {
	for _, kind := range slices.Sorted(maps.Keys(of)) {
		var equal []string
		for _, other := range slices.Sorted(maps.Keys(of)) {
			if slices.Equal(of[other], of[kind]) {
				equal = append(equal, other)
			}
		}
		if equal[0] == kind {
			lines = append(append(lines, "  "+strings.Join(equal, ", ")), of[kind]...)
		}
	}
	return lines
}

// A Reference is a type that refers to another.
type Reference struct{ From, To string }

// ordered says which types were changed and deleted first.
func ordered(c Command) (lines []string) {
	for _, r := range c.References {
		for _, what := range []string{"changed", "deleted"} {
			if order := r.order(c.Calls, what == "deleted"); order != "" {
				lines = append(lines, "  "+what+": "+strings.ReplaceAll(order, "hosting_", ""))
			}
		}
	}
	return lines
}

// order says which of the two types was applied first, or "" unless both were. A call is
// recorded when it has been answered.
func (r Reference) order(calls []Call, deleted bool) string {
	var order []string
	for _, call := range calls {
		isDeletion := len(call.Given) > 1 && call.Given[1].Text == "null" // the planned state
		if call.Method == "apply" && isDeletion == deleted && (call.Type == r.From || call.Type == r.To) {
			order = append(order, call.Type)
		}
	}
	if order = slices.Compact(order); len(order) < 2 {
		return ""
	}
	return strings.Join(order, ", then ")
}

// A Command is one command of a CLI, with its calls of the provider in order.
type Command struct {
	Line  string // such as "apply; engines=1"
	Calls []Call
	// References are the references of the previous configuration and of the current one.
	References []Reference
}

// processesOf numbers the processes that did more than validate the configuration, in their
// order. The others have number 0.
func processesOf(calls []Call) map[int]int {
	var asked []int
	for _, call := range calls {
		if call.Method != "validate" && !slices.Contains(asked, call.Process) {
			asked = append(asked, call.Process)
		}
	}
	numbers := map[int]int{}
	for i, process := range asked {
		numbers[process] = i + 1
	}
	return numbers
}
