package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFlags(t *testing.T) {
	t.Parallel()
	o, err := parse([]string{"-n", "10,1000", "-run", "start,plan", "-shapes", "count", "-contents", "full", "-strict"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	o.flags = nil
	want := options{
		tree: ".", cli: ".bin/terraform", run: []string{"start", "plan"}, sizes: []int{10, 1000},
		shapes: []shape{byCount}, contents: []string{"full"}, folder: ".bench", strict: true,
	}
	if diff := cmp.Diff(want, o, cmp.AllowUnexported(options{})); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	for _, wrong := range []string{
		"-n=0", "-n=x", "-n=1000000", "-run=speed", "-shapes=list", "-shapes=,", "-contents=apps", "-contents=,", "-repeats=-1", "more",
	} {
		if _, err := parse([]string{wrong}, io.Discard); err == nil {
			t.Errorf("parse(%q): got no error, want one", wrong)
		}
	}
}

func TestSeries(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		series                series
		least, median, spread float64
	}{
		{nil, 0, 0, 0},
		{series{2}, 2, 2, 0},
		{series{3, 2}, 2, 2.5, 50},
		{series{4, 1, 2}, 1, 2, 300},
	} {
		if s := row.series; s.least() != row.least || s.median() != row.median || s.spread() != row.spread {
			t.Errorf("%v: got least %g, median %g and spread %g, want %g, %g and %g", s, s.least(), s.median(), s.spread(), row.least, row.median, row.spread)
		}
	}
	if got := []any{ratio(3, 2), ratio(3, 0), ratio(0, 2)}; !slices.Equal(got, []any{1.5, nil, nil}) {
		t.Errorf("ratios: got %v, want 1.5 and twice none", got)
	}
}

func TestTargets(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		target target
		missed bool
		said   string
	}{
		{atMost("wall", 1.5, 1.5, " s"), false, "  held          wall: 1.5 s, at most 1.5 s"},
		{atMost("wall", 1.51, 1.5, ""), true, "  NOT HELD      wall: 1.51, at most 1.5"},
		{unmeasured("wall", 1.5, ""), false, "  not measured  wall: at most 1.5"},
		{worst("wall", nil, 1.5, ""), false, "  not measured  wall: at most 1.5"},
		{worst("wall", []float64{1, 3, 2}, 2.5, ""), true, "  NOT HELD      wall: 3, at most 2.5"},
	} {
		if row.target.missed() != row.missed || row.target.String() != row.said {
			t.Errorf("%+v: got missed %t and %q, want %t and %q", row.target, row.target.missed(), row.target, row.missed, row.said)
		}
	}
	if missed := (&table{Targets: []target{atMost("a", 1, 2, ""), atMost("b", 3, 2, "")}}).missed(); !missed {
		t.Error("a table with a target that is not held: got it not missed, want it missed")
	}
}

func TestTablePrints(t *testing.T) {
	t.Parallel()
	made := &table{Name: "start", Title: "how long it takes", Columns: []column{{Name: "what"}, {"wall s", 2}, {Name: "n"}}}
	made.add("ours", 1.239, 7)
	made.add("theirs", nil, 10)
	made.note("By %d runs.", 3)
	made.Targets = []target{atMost("wall", 1.239, 2, " s")}
	var out strings.Builder
	if err := made.print(&out); err != nil {
		t.Fatal(err)
	}
	want := `
start: how long it takes

    what  wall s   n
    ours    1.24   7
  theirs       -  10

By 3 runs.

  held          wall: 1.239 s, at most 2 s
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("the table (-want +got):\n%s", diff)
	}
}

func TestLongestChain(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	at := func(instance string, from, to int) work {
		return work{instance, begin.Add(time.Duration(from) * time.Second), begin.Add(time.Duration(to) * time.Second)}
	}
	for name, row := range map[string]struct {
		works []work
		want  time.Duration
	}{
		"nothing":                         {nil, 0},
		"one after the other":             {[]work{at("a", 0, 10), at("a", 10, 15), at("a", 20, 22)}, 17 * time.Second},
		"in any order":                    {[]work{at("a", 20, 22), at("a", 0, 10), at("a", 10, 15)}, 17 * time.Second},
		"a build beside jobs":             {[]work{at("a", 0, 10), at("a", 10, 100), at("a", 11, 16), at("a", 20, 25), at("a", 101, 102)}, 101 * time.Second},
		"jobs that outweigh a build":      {[]work{at("a", 0, 10), at("a", 5, 12), at("a", 10, 20)}, 20 * time.Second},
		"another instance's do not count": {[]work{at("a", 0, 10), at("b", 10, 22), at("a", 10, 11)}, 12 * time.Second},
		"of no length":                    {[]work{at("a", 0, 0), at("a", 0, 5), at("a", 5, 5)}, 5 * time.Second},
	} {
		if got := longestChain(row.works); got != row.want {
			t.Errorf("%s: got %s, want %s", name, got, row.want)
		}
	}
	a := applied{chain: 10 * time.Second, span: 33 * time.Second}
	if got := a.against(3); got != 1.1 {
		t.Errorf("against(3): got %g, want 1.1", got)
	}
}

func TestRequestsOfTheLog(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	log := []request{{begin, "GET", "/a", 200}, {begin.Add(time.Second), "GET", "/b", 429}, {begin.Add(3 * time.Second), "GET", "/c", 200}}
	for _, row := range []struct {
		since      time.Duration
		kept, want int
		wrong      bool
	}{
		{-time.Second, 4, 3, false},
		{-time.Second, 3, 0, true}, // one before them may be gone
		{time.Millisecond, 3, 2, false},
		{time.Hour, 3, 0, false},
	} {
		got, err := within(log, begin.Add(row.since), row.kept)
		if len(got) != row.want || (err != nil) != row.wrong {
			t.Errorf("since %s of %d: got %d and error %v, want %d and an error: %t", row.since, row.kept, len(got), err, row.want, row.wrong)
		}
	}
	if span(log) != 3*time.Second || span(nil) != 0 || answered(log, 429) != 1 {
		t.Errorf("the log: got a span of %s and %d limited, want 3s, 0s for an empty log, and 1", span(log), answered(log, 429))
	}
	for requests, want := range map[int]time.Duration{10: 0, 50: 0, 51: 20 * time.Millisecond, 150: 2 * time.Second} {
		if got := idealTime(requests, rateLimit{PerSecond: 50, Burst: 50}); got != want {
			t.Errorf("the ideal time of %d requests: got %s, want %s", requests, got, want)
		}
	}
}

// The comparison uses the same run of another subject, and the worst shape counts.
func TestPlanTargets(t *testing.T) {
	t.Parallel()
	run := func(name string, in shape, n, requests int, wall, cpu float64) *planned {
		return &planned{
			configuration: configuration{shape: in, members: contents["alone"], n: n}, name: name, content: "alone",
			requests: requests, wall: series{wall * 2, wall}, cli: series{1}, provider: series{cpu}, peak: series{30, 39},
		}
	}
	all := []*planned{
		run(ours, byCount, 1000, 7, 3, 1400), run(theProgram, byCount, 1000, 0, 2, 700),
		run(ours, byForEach, 1000, 6, 2, 2100), run(theProgram, byForEach, 1000, 0, 2, 700),
		run(ours, byCount, 10, 3, 9, 99_999), run(theProgram, byCount, 10, 0, 1, 1),
	}
	var said []string
	for _, held := range planTargets(all) {
		if held.Value != nil {
			said = append(said, fmt.Sprintf("%.3g of %g: %t", *held.Value, held.Most, held.Held))
		}
	}
	want := []string{"2.1 of 2: false", "1.5 of 1.5: true", "7 of 8: true", "39 of 60: true"}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
}

func TestWhatTheSystemTells(t *testing.T) {
	t.Parallel()
	resident, peak, err := statusMemory("Name:\tx\nVmPeak:\t 9999 kB\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n")
	if resident != 1<<20 || peak != 2<<20 || err != nil {
		t.Errorf("memory: got %d and peak %d (%v), want %d and %d", resident, peak, err, 1<<20, 2<<20)
	}
	if _, _, err := statusMemory("Name:\tx\n"); err == nil {
		t.Error("a status without memory: got no error, want one")
	}
	if got := processor([]byte("processor\t: 0\nmodel name\t: Fast One\n\nprocessor\t: 1\nmodel name\t: Other\n"), "arm64"); got != "Fast One" {
		t.Errorf("the processor: got %q, want Fast One", got)
	}
	if got := processor([]byte("processor\t: 0\n"), "arm64"); got != "arm64" {
		t.Errorf("the processor: got %q, want arm64", got)
	}
}

func TestEnvironmentOfPrograms(t *testing.T) {
	t.Parallel()
	got := inherited([]string{"HOME=/h", "TF_LOG=trace", "HOSTING_API_KEY=k", "PATH=/p"})
	if !slices.Equal(got, []string{"HOME=/h", "PATH=/p"}) {
		t.Errorf("inherited: got %v, want HOME and PATH", got)
	}
	both, err := underBothHosts(`{"registry.terraform.io/a/b":{"Pid":1}}`)
	if want := `{"registry.opentofu.org/a/b":{"Pid":1},"registry.terraform.io/a/b":{"Pid":1}}`; both != want || err != nil {
		t.Errorf("underBothHosts: got %s and error %v, want %s", both, err, want)
	}
}
