package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// job returns a task with a duration in seconds.
func job(instance, operation string, seconds int) task {
	return task{instance: instance, operation: operation, took: time.Duration(seconds) * time.Second}
}

func TestCriticalPath(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tasks []task
		want  []string
	}{
		"nothing":         {},
		"one job":         {tasks: []task{job("i", "create", 480)}, want: []string{"create"}},
		"unlisted job":    {tasks: []task{job("i", "create", 480), job("i", "allowlist", 20)}, want: []string{"create", "allowlist"}},
		"longest sibling": {tasks: []task{job("i", "create", 480), job("i", "console", 5), job("i", "allowlist", 20)}, want: []string{"create", "allowlist"}},
		"guestbook, in any order": {
			tasks: []task{
				job("i", "auth_settings", 5), job("i", buildOperation, 180), job("i", "app_update", 5), job("i", "allowlist", 20),
				job("i", "console", 5), job("i", "app_import", 20), job("i", "create", 480),
			},
			want: []string{"create", "app_import", buildOperation, "auth_settings"},
		},
		"what is needed is missing": {tasks: []task{job("i", buildOperation, 180)}, want: []string{buildOperation}},
		"instances do not wait for each other": {
			tasks: []task{job("a", "create", 480), job("b", "create", 10), job("b", "app_import", 20)},
			want:  []string{"create"},
		},
		"the longest of two builds": {
			tasks: []task{job("i", "create", 480), job("i", "app_import", 20), job("i", buildOperation, 120), job("i", buildOperation, 180), job("i", "auth_settings", 5)},
			want:  []string{"create", "app_import", buildOperation, "auth_settings"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, task := range criticalPath(test.tasks) {
				got = append(got, task.operation)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
		})
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	create, imported := job("i", "create", 480), job("i", "app_import", 20)
	create.settled, imported.settled = start.Add(25*time.Second), start.Add(30*time.Second)
	log := timeline{firstPOST: start, tasks: []task{imported, create}}

	lines, err := log.report(20)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(lines, "\n")
	for _, want := range []string{"10m0s of the service's time, 1.20 times", "8m20s (create 8m0s, app_import 20s)"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
}

func TestReportOfTooMuch(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	create := job("i", "create", 400)
	for took, fails := range map[time.Duration]bool{25 * time.Second: false, 26 * time.Second: true} {
		create.settled = start.Add(took)
		lines, err := timeline{firstPOST: start, tasks: []task{create}}.report(20)
		if (err != nil) != fails || len(lines) != 2 {
			t.Errorf("after %s the report is %q, %v", took, lines, err)
		}
	}
}

func TestReportOfNothing(t *testing.T) {
	t.Parallel()
	start := time.Now()
	for name, log := range map[string]timeline{
		"no POST":         {tasks: []task{job("i", "create", 480)}},
		"no job":          {firstPOST: start},
		"jobs of no time": {firstPOST: start, tasks: []task{job("i", "create", 0)}},
	} {
		if lines, err := log.report(20); err == nil {
			t.Errorf("%s: reported %q", name, lines)
		}
	}
}
