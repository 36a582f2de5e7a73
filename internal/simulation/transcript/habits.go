package transcript

import "slices"

// mayDefer says that a CLI lets the provider defer a change.
const mayDefer = "may defer"

// habit begins a line that says what a CLI always does.
const habit = "- "

// habits are what a CLI does in all calls for which it could.
type habits struct {
	identifies bool // identities come with the prior states
	defers     bool // each plan of a process that applies may be deferred, and no other
}

// habitsOf returns the habits that some commands show.
func habitsOf(commands []Command) habits {
	h := habits{defers: true}
	some := false
	for _, c := range commands {
		applies := map[int]bool{}
		for _, call := range c.Calls {
			applies[call.Process] = applies[call.Process] || call.Method == "apply"
		}
		for _, call := range c.Calls {
			if call.Method == "plan" {
				may := slices.Contains(call.Says, mayDefer)
				some = some || may
				h.defers = h.defers && may == applies[call.Process]
			}
			if len(call.Given) > 0 && roleOf(call.Given[0]) == "state" {
				h.identifies = h.identifies || slices.ContainsFunc(call.Given, func(v Value) bool { return v.Name == "identity" && v.Text != "" })
			}
		}
	}
	h.defers = h.defers && some
	return h
}

func (h habits) lines() (lines []string) {
	if h.defers {
		lines = append(lines, habit+"a plan in an apply may be deferred")
	}
	if h.identifies {
		lines = append(lines, habit+"prior states come with identities")
	}
	return lines
}
