package transcript

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A numbering numbers the values of one type.
type numbering struct {
	habits
	known map[string]map[string]int // the numbers of values, by role and text
	// identity is the text of the last identity of an answer.
	identity string
}

// lines returns the line of a call, and a line for each new configuration in it.
func (n *numbering) lines(call Call, process int) []string {
	var sets []string
	prior := ""
	parts := func(values []Value, part func(Value) string) string {
		var all []string
		for _, v := range values {
			text, before := "", len(n.known["config"])
			switch {
			case v.Name == "identity":
				text = part(v)
			case v.Name == "planned" && v.Text == prior && prior != "null":
				text = "planned as prior"
			default:
				text = n.of(v, prior)
			}
			if text != "" {
				all = append(all, text)
			}
			if len(n.known["config"]) > before {
				unknown := ""
				if len(v.Unknown) > 0 {
					unknown = "; unknown " + strings.Join(v.Unknown, " ")
				}
				sets = append(sets, fmt.Sprintf("      %s sets %s%s", text, cmp.Or(strings.Join(v.Sets, " "), "nothing"), unknown))
			}
		}
		return strings.Join(all, ", ")
	}
	if i := slices.IndexFunc(call.Given, func(v Value) bool { return roleOf(v) == "state" }); i >= 0 {
		prior = call.Given[i].Text
	}
	text := fmt.Sprintf("    %d %s", process, call.Method)
	if given := parts(call.Given, func(v Value) string { return n.givenIdentity(v, prior) }); given != "" {
		text += " " + given
	}
	if returned := parts(call.Returned, n.returnedIdentity); returned != "" {
		text += " -> " + returned
	}
	if call.Failed {
		text += ", error"
	}
	for _, note := range call.Says {
		if note != mayDefer || !n.defers {
			text += "; " + note
		}
	}
	return append([]string{text}, sets...)
}

// of returns a value's role and its number, or "" if there is no value. Plans of different
// prior states are different, even if they happen to be equal: a computed attribute more
// would distinguish them.
func (n *numbering) of(v Value, prior string) string {
	switch v.Text {
	case "":
		return ""
	case "null":
		return v.Name + " null"
	}
	of := n.known[roleOf(v)]
	if of == nil {
		of = map[string]int{}
		n.known[roleOf(v)] = of
	}
	key := v.Text
	if v.Name == "planned" {
		key = prior + "\x00" + v.Text
	}
	if of[key] == 0 {
		of[key] = len(of) + 1
	}
	return fmt.Sprintf("%s %d", v.Name, of[key])
}

// roleOf returns what a value shares its numbers with.
func roleOf(v Value) string {
	if v.Name == "prior" {
		return "state"
	}
	return v.Name
}

// givenIdentity returns what a call has to say of an identity that comes with a prior state.
func (n *numbering) givenIdentity(v Value, prior string) string {
	expected := ""
	if n.identifies && prior != "" && prior != "null" {
		expected = n.identity
	}
	switch v.Text {
	case expected:
		return ""
	case "":
		return "no identity"
	}
	return n.of(v, "")
}

// returnedIdentity returns what an answer has to say of an identity: only a new one counts.
func (n *numbering) returnedIdentity(v Value) string {
	if v.Text == "" || v.Text == "null" || v.Text == n.identity {
		return ""
	}
	n.identity = v.Text
	return n.of(v, "")
}
