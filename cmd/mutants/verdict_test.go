package main

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// violated is the simulated world's output about a violation.
const violated = `=== RUN   TestSim
    sim_test.go:41: VIOLATION one machine per wanted instance: web is i-1 and i-2: both run
    FOUND after 17 runs, seed 18
    SCENARIO 3 lines
        apply web
          the answer to POST /instances #1 is lost
        apply web
--- FAIL: TestSim (2.10s)
FAIL
`

func TestJudge(t *testing.T) {
	scenario := []string{"apply web", "  the answer to POST /instances #1 is lost", "apply web"}
	long := strings.Repeat("goroutine\n", 50)
	for name, c := range map[string]struct {
		output string
		failed bool
		want   verdict
	}{
		"caught": {violated, true, verdict{outcome: caught, check: "one machine per wanted instance", runs: 17, scenario: scenario}},
		"caught, said at the left": {
			"VIOLATION ended: it did not\nFOUND after 1 run, seed 1\nSCENARIO 1 line\napply\n", true,
			verdict{outcome: caught, check: "ended", runs: 1, scenario: []string{"apply"}},
		},
		"a story before and after it names other checks": {
			"1s  VIOLATION a: x\n" + violated + "\nWhat happens:\n  2s  VIOLATION b: y\nSCENARIO 1 line\n  z\n", true,
			verdict{outcome: caught, check: "one machine per wanted instance", runs: 17, scenario: scenario},
		},
		"cut off":             {"VIOLATION a: x\nFOUND after 2 runs, seed 2\nSCENARIO 5 lines\n b\n", true, verdict{outcome: caught, check: "a", runs: 2, scenario: []string{"b"}}},
		"caught without more": {"VIOLATION a:\n", true, verdict{outcome: caught, check: "a"}},
		"missed":              {"ok\n", false, verdict{outcome: missed, runs: 2000}},
		"a word of it":        {"NOVIOLATION a: x\n", true, verdict{outcome: crashed, said: []string{"NOVIOLATION a: x"}}},
		"crashed":             {"first\n" + long, true, verdict{outcome: crashed, said: strings.Split(strings.TrimSpace(long), "\n")[:30]}},
		"said nothing":        {"", true, verdict{outcome: crashed, said: []string{""}}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := judge(c.output, c.failed, 2000); !reflect.DeepEqual(got, c.want) {
				t.Errorf("judge: got %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestDedented(t *testing.T) {
	for _, c := range []struct{ lines, want string }{
		{"  a\n    b\n  c", "a\n  b\nc"},
		{"\ta \n\n\tb", "a\n\nb"},
		{"a\n  b", "a\n  b"},
		{"   ", ""},
	} {
		if got := strings.Join(dedented(strings.Split(c.lines, "\n")), "\n"); got != c.want {
			t.Errorf("dedented(%q): got %q, want %q", c.lines, got, c.want)
		}
	}
}

func TestPrint(t *testing.T) {
	verdicts := []verdict{
		{name: "gone-too-soon", outcome: caught, check: "nothing is lost", runs: 4, scenario: []string{"apply", "refresh"}},
		{name: "bought-twice", outcome: caught, check: "one machine", runs: 9, scenario: []string{"apply"}},
		{name: "never-seen", outcome: missed, runs: 2000},
		{name: "falls-over", outcome: crashed, said: []string{"panic: deadlock"}},
		{name: "moved-on", outcome: notApplied, said: []string{"error: patch failed"}},
		{name: "half-written", outcome: notCompiled, said: []string{"undefined: x"}},
	}
	var out bytes.Buffer
	for _, v := range verdicts {
		v.print(&out)
	}
	s := summarise(verdicts)
	s.print(&out)
	want := `gone-too-soon                                nothing is lost, 4 runs, 2 lines
    apply
    refresh
bought-twice                                 one machine, 9 runs, 1 lines
    apply
never-seen                                   NOT CAUGHT in 2000 runs
falls-over                                   NOT CAUGHT: the world ended without naming a check
    panic: deadlock
moved-on                                     DOES NOT APPLY
    error: patch failed
half-written                                 DOES NOT COMPILE
    undefined: x

2 of 6 planted bugs were caught; in the median after 6.5 runs, with a scenario of 1.5 lines.
Not caught: falls-over, never-seen.
Do not apply: moved-on.
Do not compile: half-written.
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	if s.good() || !summarise(verdicts[:2]).good() {
		t.Errorf("good: got %t with bugs that were not caught, and %t without, want false and true", s.good(), summarise(verdicts[:2]).good())
	}
}

func TestMedian(t *testing.T) {
	for want, values := range map[float64][]int{0: nil, 7: {7}, 1.5: {2, 1}, 3: {9, 3, 1}} {
		if got := median(values); got != want {
			t.Errorf("median(%v) = %g, want %g", values, got, want)
		}
	}
}

func TestEnvironment(t *testing.T) {
	if got := fmt.Sprint(environment([]string{"HOME=/h", "HOSTING_API_KEY=real", "HOSTING_BASE_URL=real", "TF_ACC=1"})); got != "[HOME=/h GOGC=800]" {
		t.Errorf("environment: got %s, want HOME and GOGC=800", got)
	}
	if got := fmt.Sprint(environment([]string{"GOGC=50"})); got != "[GOGC=50]" {
		t.Errorf("environment: got %s, want GOGC=50", got)
	}
}
