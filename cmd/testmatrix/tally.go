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

// skippedByVersion is in the message of each test that is skipped because the CLI is too
// old or lacks the tested feature.
const skippedByVersion = "skipped by version: "

// A tally counts tests. A test is a test function or a subtest without further subtests. A
// test with subtests counts only if it failed while all of them passed.
type tally struct {
	passed, failed   int
	skippedByVersion int
	skippedOtherwise int
	broken           bool // failures outside any test: a build error or a panic
}

func (t tally) tests() int { return t.passed + t.failed + t.skippedByVersion + t.skippedOtherwise }

// good reports whether every test that the CLI can run passed, and there was at least one.
func (t tally) good() bool {
	return t.passed > 0 && t.failed == 0 && t.skippedOtherwise == 0 && !t.broken
}

// An event is a line of go test -json.
type event struct {
	Action, Test, Output string
}

// A testRun is the state of one test.
type testRun struct {
	result     string // pass, fail or skip; "" while it runs
	output     strings.Builder
	subtests   bool
	subsFailed bool // one of them failed
}

// read tallies the events of go test -json for one package, and writes the output of each
// failed test to out.
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

// note handles events that belong to no test: the package's end, and a failed build.
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

// A row is the table's row for a CLI.
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
