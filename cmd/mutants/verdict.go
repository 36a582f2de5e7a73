package main

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// An outcome is what became of a planted bug.
type outcome int

const (
	caught      outcome = iota
	missed              // the world was run to its end and held
	crashed             // it ended otherwise, and named no check
	notApplied          // the patch does not fit the tree
	notCompiled         // the tree does not compile with it
)

// A verdict is what is known of a planted bug.
type verdict struct {
	name    string
	outcome outcome
	// Of one that was caught: the check that found it, after how many runs, and
	// the smallest scenario that shows it.
	check    string
	runs     int
	scenario []string
	// Of any other: the last lines of what git, go or the world said.
	said []string
}

// What the simulated world says of a violation. Something else may stand before
// it in the line, such as the place of a test's log.
var (
	violationLine = regexp.MustCompile(`(?:^|\s)VIOLATION (.+?): `)
	foundLine     = regexp.MustCompile(`(?:^|\s)FOUND after (\d+) runs?, seed \S+$`)
	scenarioLine  = regexp.MustCompile(`(?:^|\s)SCENARIO (\d+) lines?$`)
)

// judge reads what the simulated world said, which failed or did not after at
// most that many runs.
func judge(output string, failed bool, runs int) verdict {
	if !failed {
		return verdict{outcome: missed, runs: runs}
	}
	v := verdict{outcome: crashed}
	found := false // what comes after it, such as the whole story, may name other checks
	lines := strings.Split(strings.TrimRight(output, "\n"), "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, " \t\r")
		if said := violationLine.FindStringSubmatch(line + " "); said != nil && !found {
			v.outcome, v.check = caught, said[1]
		}
		if said := foundLine.FindStringSubmatch(line); said != nil && !found {
			found = true
			v.runs, _ = strconv.Atoi(said[1])
		}
		if said := scenarioLine.FindStringSubmatch(line); said != nil && v.scenario == nil {
			k, _ := strconv.Atoi(said[1])
			v.scenario = dedented(lines[i+1 : min(i+1+k, len(lines))])
		}
	}
	if v.outcome == crashed {
		return verdict{outcome: crashed, said: lastLines(output)}
	}
	return v
}

// dedented is lines without the blanks that all of them begin with.
func dedented(lines []string) []string {
	blanks := -1
	for _, line := range lines {
		if rest := strings.TrimLeft(line, " \t"); rest != "" && (blanks < 0 || len(line)-len(rest) < blanks) {
			blanks = len(line) - len(rest)
		}
	}
	short := make([]string, len(lines))
	for i, line := range lines {
		short[i] = strings.TrimRight(line[min(max(blanks, 0), len(line)):], " \t\r")
	}
	return short
}

// lastLines are the last 30 lines of an output.
func lastLines(output string) []string {
	lines := strings.Split(strings.TrimRight(output, "\n"), "\n")
	return lines[max(0, len(lines)-30):]
}

// print writes a line about a planted bug, and below it the scenario that shows
// it, or what was said.
func (v verdict) print(out io.Writer) {
	below := v.said
	switch v.outcome {
	case caught:
		fmt.Fprintf(out, "%-44s %s, %d runs, %d lines\n", v.name, v.check, v.runs, len(v.scenario))
		below = v.scenario
	case missed:
		fmt.Fprintf(out, "%-44s NOT CAUGHT in %d runs\n", v.name, v.runs)
	case crashed:
		fmt.Fprintf(out, "%-44s NOT CAUGHT: the world ended without naming a check\n", v.name)
	case notApplied:
		fmt.Fprintf(out, "%-44s DOES NOT APPLY\n", v.name)
	case notCompiled:
		fmt.Fprintf(out, "%-44s DOES NOT COMPILE\n", v.name)
	}
	for _, line := range below {
		fmt.Fprintf(out, "    %s\n", line)
	}
}
