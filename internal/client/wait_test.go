package client

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// jobOf answers as a job that takes a while on the service's clock.
func jobOf(begun time.Time, takes time.Duration, tells bool) object {
	progress := min(100, int(time.Since(begun)*100/takes))
	status := "running"
	if progress == 100 {
		status = "done"
	}
	if !tells {
		progress = 0
	}
	return object{"id": "j-1", "operation": "create", "status": status, "progress": progress}
}

func TestWaitSeesTheEndSoonAndPollsSeldom(t *testing.T) {
	rows := []struct {
		name      string
		operation string
		takes     time.Duration
		tells     bool
		late      time.Duration
		polls     int
	}{
		{"as usual, progress told", OpCreate, 480 * time.Second, true, 6 * time.Second, 60},
		{"as usual, nothing told", OpCreate, 480 * time.Second, false, 6 * time.Second, 60},
		{"much faster than usual", OpCreate, 24 * time.Second, true, time.Second, 45},
		{"much faster, nothing told", OpCreate, 24 * time.Second, false, 7 * time.Second, 40},
		{"much slower than usual", OpConsole, 10 * time.Minute, true, 8 * time.Second, 120},
		{"unknown operation", "", 3 * time.Minute, false, 16 * time.Second, 80},
		{"at once", OpConsole, time.Millisecond, true, firstPoll, 1},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				c, transport := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) {
					respond(w, 200, jobOf(begun, row.takes, row.tells))
				})
				if err := c.WaitJob(t.Context(), "i", "j-1", row.operation, nil); err != nil {
					t.Fatal(err)
				}
				late := time.Since(begun) - row.takes
				t.Logf("%d polls, seen %s late", len(transport.requests()), late)
				if late > row.late {
					t.Errorf("the end was seen %s late, want at most %s", late, row.late)
				}
				if n := len(transport.requests()); n > row.polls {
					t.Errorf("%d polls, want at most %d", n, row.polls)
				}
			})
		})
	}
}

func TestNextPollBounds(t *testing.T) {
	for elapsed := time.Duration(0); elapsed < time.Hour; elapsed += 777 * time.Millisecond {
		for _, total := range []time.Duration{0, time.Second, 5 * time.Minute, 24 * time.Hour} {
			delay := nextPoll(elapsed, total)
			if delay < firstPoll || delay > longestDelay || delay > max(time.Second, elapsed/4) {
				t.Fatalf("after %s of %s the delay is %s", elapsed, total, delay)
			}
		}
	}
}

func TestFailedJobIsSeenAtTheNextPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, transport := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) {
			respond(w, 200, object{"id": "j-1", "operation": "resize", "status": "failed", "progress": 40, "error": object{"code": "no_capacity", "detail": "full"}})
		})
		err := c.WaitJob(t.Context(), "i", "j-1", OpResize, nil)
		var failed *JobError
		if !errors.As(err, &failed) || err.Error() != "job j-1 (resize) failed at 40 %: full (no_capacity)" {
			t.Errorf("%v", err)
		}
		if n := len(transport.requests()); n != 1 {
			t.Errorf("%d polls, want 1", n)
		}
	})
}

func TestPollsTolerateFiveFailuresInARow(t *testing.T) {
	failures := []func(http.ResponseWriter){
		func(w http.ResponseWriter) { respond(w, drop, nil) },
		func(w http.ResponseWriter) { refuse(w, 500, "internal") },
		func(w http.ResponseWriter) { w.Write([]byte("<html>oops")) },
		func(w http.ResponseWriter) { w.Write([]byte(`{"id": "j-1", "sta`)) },
	}
	for _, row := range []struct {
		failures int
		ok       bool
	}{{5, true}, {6, false}} {
		synctest.Test(t, func(t *testing.T) {
			polls := 0
			c, transport := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) {
				if polls++; polls <= row.failures {
					failures[polls%len(failures)](w)
					return
				}
				respond(w, 200, object{"id": "j-1", "status": "done"})
			})
			err := c.WaitJob(t.Context(), "i", "j-1", OpConsole, nil)
			if (err == nil) != row.ok {
				t.Errorf("%d failures: %v", row.failures, err)
			}
			if n := len(transport.requests()); n != 6 {
				t.Errorf("%d polls, want 6", n)
			}
		})
	}
}

func TestUnknownJobStatusCountsAsInProgressUntilTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) {
			respond(w, 200, object{"id": "j-1", "operation": "create", "status": "pondering", "progress": 3})
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := c.WaitJob(ctx, "i", "j-1", OpCreate, nil)
		var interrupted *InterruptedError
		if !errors.As(err, &interrupted) || !errors.Is(err, context.DeadlineExceeded) || interrupted.JobID != "j-1" {
			t.Fatalf("%v", err)
		}
		if want := "stopped waiting for job j-1 (create), pondering at 3 %: context deadline exceeded"; err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	})
}

func TestMissingJobIsDecidedByItsInstance(t *testing.T) {
	rows := map[string]struct {
		instance []object // as read one after the other; nil answers 404
		ok       bool
	}{
		"names another job":   {[]object{{"id": "i", "status": "running", "job_id": "j-2"}}, true},
		"names no job":        {[]object{{"id": "i", "status": "running", "job_id": nil}}, true},
		"names it for a time": {[]object{{"id": "i", "status": "running", "job_id": "j-1"}, {"id": "i", "status": "running", "job_id": nil}}, true},
		"still creating":      {[]object{{"id": "i", "status": "creating"}, {"id": "i", "status": "running"}}, true},
		"failed":              {[]object{{"id": "i", "status": "failed"}}, false},
		"gone":                {[]object{nil}, true},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, transport := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/api/v1/jobs/j-1" || len(row.instance) == 0 || row.instance[0] == nil {
						refuse(w, 404, "not_found")
						return
					}
					respond(w, 200, row.instance[0])
					row.instance = row.instance[1:]
				})
				reads := len(row.instance)
				err := c.WaitJob(t.Context(), "i", "j-1", "", nil)
				if (err == nil) != row.ok {
					t.Errorf("%v", err)
				}
				if n := transport.count("GET /instances"); n != reads {
					t.Errorf("%d reads of the instance, want %d", n, reads)
				}
			})
		})
	}
}

func TestRetryAfterIsAMinimumBetweenPolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		polls := 0
		c, transport := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) {
			if polls++; polls == 1 {
				w.Header().Set("Retry-After", "30")
				refuse(w, 503, "unavailable")
				return
			}
			respond(w, 200, object{"status": "done"})
		})
		if err := c.WaitJob(t.Context(), "i", "j-1", OpConsole, nil); err != nil {
			t.Fatal(err)
		}
		if gap := transport.times[1].Sub(transport.times[0]); gap < 30*time.Second {
			t.Errorf("polled again after %s", gap)
		}
	})
}

func TestBuilds(t *testing.T) {
	rows := map[string]struct {
		builds []object
		app    string
		want   string // in the error; "" for none
	}{
		"deployed":             {[]object{{"id": "b-1", "status": "successful"}}, AppRunning, ""},
		"in other words":       {[]object{{"id": "b-1", "status": "Deployed"}}, AppRunning, ""},
		"failed":               {[]object{{"id": "b-1", "status": "failed", "error": "line 1\nline 2"}}, AppBuilding, "build b-1 of app a ended failed:\nline 1\nline 2"},
		"cancelled":            {[]object{{"id": "b-1", "status": "canceled"}}, AppBuilding, "build b-1 of app a ended canceled"},
		"unhealthy":            {[]object{{"id": "b-1", "status": "successful"}}, AppFailed, "did not answer 200 on its health path"},
		"a newer one is there": {[]object{{"id": "b-2", "status": "failed"}, {"id": "b-1", "status": "successful"}}, AppRunning, ""},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/api/v1/instances/i/apps/a" {
						respond(w, 200, object{"name": "a", "status": row.app})
						return
					}
					respond(w, 200, object{"builds": row.builds})
				})
				err := c.WaitDeployed(t.Context(), "i", "a", "b-1")
				switch {
				case row.want == "" && err != nil, row.want != "" && (err == nil || !contains(err.Error(), row.want)):
					t.Errorf("%v, want %q", err, row.want)
				}
			})
		})
	}
}
