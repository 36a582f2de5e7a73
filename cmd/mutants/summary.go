package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// A summary is the result of all planted bugs.
type summary struct {
	tried, caught int
	// runs and lines are the medians of the caught bugs.
	runs, lines float64
	// The names of the bugs that were not caught, in order.
	notCaught, notApplied, notCompiled []string
}

func summarise(verdicts []verdict) summary {
	s := summary{tried: len(verdicts)}
	var runs, lines []int
	for _, v := range verdicts {
		switch v.outcome {
		case caught:
			s.caught++
			runs, lines = append(runs, v.runs), append(lines, len(v.scenario))
		case missed, crashed:
			s.notCaught = append(s.notCaught, v.name)
		case notApplied:
			s.notApplied = append(s.notApplied, v.name)
		case notCompiled:
			s.notCompiled = append(s.notCompiled, v.name)
		}
	}
	s.runs, s.lines = median(runs), median(lines)
	for _, names := range [][]string{s.notCaught, s.notApplied, s.notCompiled} {
		slices.Sort(names)
	}
	return s
}

// good reports whether every bug was caught.
func (s summary) good() bool { return s.caught == s.tried }

func (s summary) print(out io.Writer) {
	fmt.Fprintf(out, "\n%d of %d planted bugs were caught; in the median after %g runs, with a scenario of %g lines.\n", s.caught, s.tried, s.runs, s.lines)
	for _, others := range []struct {
		what  string
		names []string
	}{{"Not caught", s.notCaught}, {"Do not apply", s.notApplied}, {"Do not compile", s.notCompiled}} {
		if len(others.names) > 0 {
			fmt.Fprintf(out, "%s: %s.\n", others.what, strings.Join(others.names, ", "))
		}
	}
}

// median returns the middle value, or the mean of the two in the middle; 0 for none.
func median(values []int) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return float64(sorted[(n-1)/2]+sorted[n/2]) / 2
}
