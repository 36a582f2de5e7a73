package main

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// An outcome is the result of a planted bug.
type outcome int

const (
	caught      outcome = iota
	missed              // the world ended without a violation
	crashed             // it failed without naming a check
	notApplied          // the patch does not fit the tree
	notCompiled         // the tree does not compile with it
)

// A verdict is the result of a planted bug, with details.
type verdict struct {
	name    string
	outcome outcome
	// The fields of a caught bug: the check that found it, after how many runs, and the
	// smallest scenario that shows it.
	check    string
	runs     int
	scenario []string
	// The field of any other bug: the last lines of the output of git, go or the world.
	said []string
}

// The simulated world's output about a violation. Other text may precede it in the line,
// such as the location in a test's log.
var (
	violationLine = regexp.MustCompile(`(?:^|\s)VIOLATION (.+?): `)
	foundLine     = regexp.MustCompile(`(?:^|\s)FOUND after (\d+) runs?, seed \S+$`)
	scenarioLine  = regexp.MustCompile(`(?:^|\s)SCENARIO (\d+) lines?$`)
)

// judge reads the output of a simulated world, which failed or passed after at most that
// many runs.
func judge(output string, failed bool, runs int) verdict {
	if !failed {
		return verdict{outcome: missed, runs: runs}
	}
	v := verdict{outcome: crashed}
	found := false // the following text, such as the whole story, may name other checks
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

// dedented removes the common indentation of lines.
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

// lastLines returns the last 30 lines of an output.
func lastLines(output string) []string {
	lines := strings.Split(strings.TrimRight(output, "\n"), "\n")
	return lines[max(0, len(lines)-30):]
}

// print writes a line about a planted bug, and below it the scenario that shows it, or the
// output.
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
