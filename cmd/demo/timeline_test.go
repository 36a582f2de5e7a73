package main

import (
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

	summary, jobs, err := log.report(20)
	if err != nil {
		t.Fatal(err)
	}
	if want := "10m0s of the service's time: 8m20s for jobs, 1m40s for the rest"; summary != want {
		t.Errorf("the summary: got %q, want %q", summary, want)
	}
	if want := "The jobs that waited for each other: create 8m0s, app_import 20s"; jobs != want {
		t.Errorf("the jobs: got %q, want %q", jobs, want)
	}
}

func TestReportOfTooMuch(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	create := job("i", "create", 400)
	for took, fails := range map[time.Duration]bool{25 * time.Second: false, 26 * time.Second: true} {
		create.settled = start.Add(took)
		summary, jobs, err := timeline{firstPOST: start, tasks: []task{create}}.report(20)
		if (err != nil) != fails || summary == "" || jobs == "" {
			t.Errorf("the report after %s: got %q, %q and error %v, want two lines and an error: %t", took, summary, jobs, err, fails)
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
		if summary, _, err := log.report(20); err == nil {
			t.Errorf("%s: got the report %q, want an error", name, summary)
		}
	}
}
