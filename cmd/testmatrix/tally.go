package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// skippedByVersion is in the message of each test that is skipped because the
// CLI is too old for it or lacks what it tests.
const skippedByVersion = "skipped by version: "

// A tally counts tests. A test is a test function or a subtest that has no
// subtests of its own; one that has some counts only if it failed while all of
// them passed.
type tally struct {
	passed, failed   int
	skippedByVersion int
	skippedOtherwise int
	broken           bool // what no test is to blame for: it did not build, or a panic outside of any
}

func (t tally) tests() int { return t.passed + t.failed + t.skippedByVersion + t.skippedOtherwise }

// good tells whether every test passed that the CLI can run, and there was one.
func (t tally) good() bool {
	return t.passed > 0 && t.failed == 0 && t.skippedOtherwise == 0 && !t.broken
}

// An event is a line of go test -json.
type event struct {
	Action, Test, Output string
}

// A testRun is what is known of one test.
type testRun struct {
	result     string // pass, fail or skip; "" while it runs
	output     strings.Builder
	subtests   bool
	subsFailed bool // one of them did
}

// read tallies the events of go test -json for one package, and writes the
// output of each test that fails to out.
func read(events io.Reader, out io.Writer) (tally, error) {
	var total tally
	runs := map[string]*testRun{}
	lines := json.NewDecoder(events)
	for {
		var e event
		err := lines.Decode(&e)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return tally{}, fmt.Errorf("read the events of go test: %w", err)
		}
		if e.Test == "" {
			total.note(e, out)
			continue
		}
		run := runs[e.Test]
		if run == nil {
			run = &testRun{}
			runs[e.Test] = run
		}
		switch e.Action {
		case "output":
			run.output.WriteString(e.Output)
		case "pass", "fail", "skip":
			run.result = e.Action
		}
		if e.Action == "fail" {
			fmt.Fprint(out, run.output.String())
		}
	}
	total.count(runs)
	total.broken = total.broken && total.failed == 0
	return total, nil
}

// note takes what is said of no test: the package's end, and a build that fails.
func (t *tally) note(e event, out io.Writer) {
	switch e.Action {
	case "fail", "build-fail":
		t.broken = true
	case "output", "build-output":
		fmt.Fprint(out, e.Output)
	}
}

func (t *tally) count(runs map[string]*testRun) {
	for name, run := range runs {
		for at := strings.LastIndex(name, "/"); at > 0; at = strings.LastIndex(name[:at], "/") {
			if parent := runs[name[:at]]; parent != nil {
				parent.subtests = true
				parent.subsFailed = parent.subsFailed || run.result == "fail" || run.result == ""
			}
		}
	}
	for _, run := range runs {
		switch {
		case run.result == "fail" || run.result == "":
			if !run.subsFailed {
				t.failed++
			}
		case run.subtests:
		case run.result == "pass":
			t.passed++
		case strings.Contains(run.output.String(), skippedByVersion):
			t.skippedByVersion++
		default:
			t.skippedOtherwise++
		}
	}
}

// A row is what the table says of a CLI.
type row struct {
	name   string
	result tally
	took   time.Duration
}

func printTable(out io.Writer, rows []row) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "CLI\ttests\tpassed\tfailed\tskipped by version\tskipped otherwise\ttime\t")
	for _, r := range rows {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t%s\t", r.name, r.result.tests(), r.result.passed, r.result.failed,
			r.result.skippedByVersion, r.result.skippedOtherwise, r.took.Round(time.Second))
		if r.result.broken {
			fmt.Fprint(table, "  broken")
		}
		fmt.Fprintln(table)
	}
	table.Flush()
	fmt.Fprintln(out, "\nA test is a test function or a subtest that has no subtests of its own.")
}
