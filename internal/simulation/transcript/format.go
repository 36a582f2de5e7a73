package transcript

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Format writes the calls of one command after another as text, grouped by type. Equal
// values have equal numbers. The numbers start at 1 for each type, in the order of first
// occurrence; there, the null and unknown parts of a value are listed. Processes are
// numbered in their order.
//
// The order between types is only shown where references determine it. For each pair of a
// type and one that refers to it, the text says which was changed first, and which was
// deleted first.
func Format(commands []Command) string {
	var out strings.Builder
	numbers := map[string]numbering{}
	for _, c := range commands {
		fmt.Fprintf(&out, "%s\n", c.Line)
		byType := map[string][]Call{}
		for _, call := range c.Calls {
			byType[call.Type] = append(byType[call.Type], call)
		}
		processes := processesOf(c.Calls)
		for _, kind := range slices.Sorted(maps.Keys(byType)) {
			if numbers[kind] == nil {
				numbers[kind] = numbering{}
			}
			fmt.Fprintf(&out, "  %s\n", kind)
			for _, call := range byType[kind] {
				out.WriteString(numbers[kind].line(call, processes[call.Process]))
			}
		}
		for _, r := range c.References {
			for _, deleted := range []bool{false, true} {
				out.WriteString(r.order(c.Calls, deleted))
			}
		}
	}
	return out.String()
}

// A Reference is a type that refers to another.
type Reference struct{ From, To string }

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
	what := "changed"
	if deleted {
		what = "deleted"
	}
	return fmt.Sprintf("  %s: %s\n", what, strings.Join(order, ", then "))
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

// numbering numbers values by their texts.
type numbering map[string]int

func (n numbering) line(c Call, process int) string {
	var said []string
	write := func(values []Value) string {
		parts := make([]string, 0, len(values))
		for _, v := range values {
			number, isNew := n.of(v)
			parts = append(parts, v.Name+" "+number)
			if isNew && len(v.Unknown)+len(v.Null) > 0 {
				said = append(said, fmt.Sprintf("      %s:%s%s\n", number, list(" unknown ", v.Unknown), list(" null ", v.Null)))
			}
		}
		return strings.Join(parts, ", ")
	}
	text := fmt.Sprintf("    %d %s", process, c.Method)
	if given := write(c.Given); given != "" {
		text += " " + given
	}
	if returned := write(c.Returned); returned != "" {
		text += " -> " + returned
	}
	if c.Failed {
		text += ", error"
	}
	for _, note := range c.Says {
		text += "; " + note
	}
	return text + "\n" + strings.Join(said, "")
}

// of returns the number of a value, or "-" if there is no value, and reports whether it is
// a new one.
func (n numbering) of(v Value) (number string, isNew bool) {
	if v.Text == "" {
		return "-", false
	}
	if v.Text == "null" {
		return "null", false
	}
	key := v.Name + "\x00" + v.Text
	if v.Name != "private" && v.Name != "identity" {
		key = v.Text // a state may be equal to a plan
	}
	if _, ok := n[key]; !ok {
		n[key] = len(n) + 1
		isNew = true
	}
	return fmt.Sprint(n[key]), isNew
}

func list(before string, all []string) string {
	if len(all) == 0 {
		return ""
	}
	return before + strings.Join(all, " ")
}
