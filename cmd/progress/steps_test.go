package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/progress"
)

var begin = time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)

// after returns a line of a job after a number of seconds.
func after(seconds int, key, status string, percent int) progress.Line {
	return progress.Line{
		Time: begin.Add(time.Duration(seconds) * time.Second), Type: "hosting_instance", Name: "shop", Operation: "create",
		JobID: key, Status: status, Percent: percent,
	}
}

func TestPercent(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		line  progress.Line
		after time.Duration
		want  int
	}{
		"reported":                {after(0, "j", "running", 40), time.Minute, 40},
		"done":                    {after(0, "j", "done", 0), time.Minute, 100},
		"by the usual duration":   {progress.Line{Time: begin, Status: "running", EstimatedEnd: begin.Add(4 * time.Minute)}, time.Minute, 25},
		"longer than usual":       {progress.Line{Time: begin, Status: "running", EstimatedEnd: begin.Add(time.Minute)}, time.Hour, nearlyDone},
		"further than usual":      {progress.Line{Time: begin, Status: "running", Percent: 80, EstimatedEnd: begin.Add(4 * time.Minute)}, time.Minute, 80},
		"nothing is known":        {progress.Line{Time: begin, Status: "queued"}, time.Minute, 0},
		"an end before the begin": {progress.Line{Time: begin, Status: "queued", EstimatedEnd: begin.Add(-time.Minute)}, time.Minute, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var all steps
			of, _ := all.add(row.line)
			if got := of.percent(begin.Add(row.after)); got != row.want {
				t.Errorf("got %d, want %d", got, row.want)
			}
		})
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	var all steps
	for _, l := range []progress.Line{
		after(0, "job-1", "queued", 0), after(60, "job-1", "running", 12), after(480, "job-1", "done", 100),
		{Time: begin.Add(490 * time.Second), Type: "hosting_app", ID: "i-1/web", Operation: "build", BuildID: "b-1", Status: "running"},
		{Time: begin.Add(590 * time.Second), Type: "hosting_app", ID: "i-1/web", Operation: "build", BuildID: "b-1", Status: "failed", Log: "no space left"},
		after(600, "job-2", "running", 30),
	} {
		all.add(l)
	}
	var out strings.Builder
	all.summarize(&out, begin.Add(605*time.Second))
	want := `The steps, the longest first:
  done        8m0s  hosting_instance shop: create
  failed     1m40s  hosting_app i-1/web: build
                  no space left
  open          5s  hosting_instance shop: create, running at 30 %
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
}

// fileOf writes lines to a file.
func fileOf(t *testing.T, lines ...progress.Line) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "progress")
	var text []byte
	for _, l := range lines {
		line, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		text = append(append(text, line...), '\n')
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Without a terminal, each step has a line when it begins and when it ends.
// A build's log cannot control the terminal.
func TestStepsArePrintable(t *testing.T) {
	t.Parallel()
	failed := after(0, "job-1", "failed", 0)
	failed.Name, failed.Log = "sh\x1b[2Jop", "\x1b]0;title\aApply complete!\r\x1b[8mhidden"
	var all steps
	of, _ := all.add(failed)
	want := "failed        0s  hosting_instance sh[2Jop: create\n                  ]0;titleApply complete![8mhidden"
	if got := of.result(begin); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	path := fileOf(t, after(0, "job-1", "queued", 0), after(60, "job-1", "running", 12), after(480, "job-1", "done", 100))
	var out strings.Builder
	if err := run(t.Context(), []string{"--follow=false", path}, nil, &out, io.Discard, false); err != nil {
		t.Fatal(err)
	}
	want := `begun             hosting_instance shop: create
done        8m0s  hosting_instance shop: create
The steps, the longest first:
  done        8m0s  hosting_instance shop: create
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

// screen stores what is drawn, and calls seen once that has a text.
type screen struct {
	strings.Builder
	wanted string
	seen   func()
}

func (s *screen) Write(text []byte) (int, error) {
	n, err := s.Builder.Write(text)
	if strings.Contains(s.String(), s.wanted) {
		s.seen()
	}
	return n, err
}

// On a terminal, the result of a step stays above the bars of the others.
func TestBars(t *testing.T) {
	t.Parallel()
	path := fileOf(t, after(0, "job-1", "queued", 0), after(0, "job-2", "running", 50), after(480, "job-1", "done", 100))
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	out := &screen{wanted: "50 %", seen: interrupt}
	if err := run(ctx, []string{path}, nil, out, io.Discard, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"50 %", "hosting_instance shop: create", "done        8m0s", "open", "The steps"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output: got\n%s\nwant %q in it", out.String(), want)
		}
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"a", "b"}, {"--unknown"}, {filepath.Join(t.TempDir(), "missing", "file")}} {
		if err := run(t.Context(), args, nil, io.Discard, io.Discard, false); err == nil {
			t.Errorf("%q: got no error, want one", args)
		}
	}
}
