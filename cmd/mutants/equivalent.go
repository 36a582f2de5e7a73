package main

import (
	_ "embed" // equivalent.txt
	"fmt"
	"strings"
)

// equivalents lists the mutants without any noticeable effect.
//
//go:embed equivalent.txt
var equivalents string

// String names a mutant by its content, so that the code may move.
func (m mutant) String() string {
	if m.after == "" {
		return fmt.Sprintf("%s: %s: %s", m.function, m.kind, m.before)
	}
	return fmt.Sprintf("%s: %s: %s -> %s", m.function, m.kind, m.before, m.after)
}

// parseEquivalents reads a list of mutants. Each name is in a separate line below the
// reason, which begins with "# ".
func parseEquivalents(text string) (reasons map[string]string, err error) {
	reasons = map[string]string{}
	reason := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		words, isReason := strings.CutPrefix(line, "# ")
		switch {
		case line == "":
			reason = ""
		case isReason:
			reason = strings.TrimSpace(reason + " " + words)
		case reason == "":
			return nil, fmt.Errorf("the equivalent mutant %q has no reason above it", line)
		default:
			reasons[line] = reason
		}
	}
	return reasons, nil
}
