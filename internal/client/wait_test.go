package client

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// jobOf returns the record of a job that takes a while on the service's clock.
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
		name  string
		takes time.Duration
		tells bool
		late  time.Duration
		polls int
	}{
		{"a creation, progress told", 480 * time.Second, true, 22 * time.Second, 60},
		{"a creation, nothing told", 480 * time.Second, false, 11 * time.Second, 90},
		{"24 s, progress told", 24 * time.Second, true, 1200 * time.Millisecond, 45},
		{"24 s, nothing told", 24 * time.Second, false, 4 * time.Second, 45},
		{"ten minutes, progress told", 10 * time.Minute, true, 27 * time.Second, 120},
		{"three minutes, nothing told", 3 * time.Minute, false, 11 * time.Second, 60},
		{"at once", time.Millisecond, true, FirstPoll, 1},
	}
	for _, row := range rows {
		inBubble(t, row.name, func(t *testing.T) {
			begun := time.Now()
			c, wire := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) {
				respond(w, 200, jobOf(begun, row.takes, row.tells))
			})
			must.Do(t, c.WaitJob(t.Context(), "i", Pending{JobID: "j-1"}, "", nil))
			late := time.Since(begun) - row.takes
			t.Logf("%d polls, seen %s late", len(wire.Requests()), late)
			if late > row.late {
				t.Errorf("the end of the job: got it %s late, want it at most %s late", late, row.late)
			}
			if n := len(wire.Requests()); n > row.polls {
				t.Errorf("polls: got %d, want at most %d", n, row.polls)
			}
		})
	}
}

// Waits for the same job or build share its polls. Only at its beginning does a wait poll
// more often than those that have waited for longer. A wait that uses the poll of another,
// made just before the end, sees the end up to an interval later than by its own polls.
func TestWaitsForTheSameShareTheirPolls(t *testing.T) {
	const takes, spread = 100 * time.Second, 20 * 700 * time.Millisecond
	// The last wait has the longest interval at the end, with jitter.
	interval := nextPoll(takes-spread, 0) * 11 / 10
	for name, wait := range map[string]func(context.Context, *Client) error{
		"job": func(ctx context.Context, c *Client) error {
			return c.WaitJob(ctx, "i", Pending{JobID: "j-1"}, OpRestore, nil)
		},
		"build": func(ctx context.Context, c *Client) error { return c.waitBuilt(ctx, "i", "web", "b-1", "running") },
	} {
		polls := map[int]int{}
		for _, waits := range []int{1, 2, 20} {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				status := func(during, then string) string {
					if time.Since(begun) < takes {
						return during
					}
					return then
				}
				c, wire := newTestClient(t, script{
					"GET /jobs/j-1": func(w http.ResponseWriter, _ *http.Request) {
						time.Sleep(20 * time.Millisecond)
						respond(w, 200, object{"id": "j-1", "status": status("running", "done")})
					},
					"GET /instances/i/apps/web/builds": func(w http.ResponseWriter, _ *http.Request) {
						time.Sleep(20 * time.Millisecond)
						respond(w, 200, object{"builds": []object{{"id": "b-1", "status": status("running", "successful")}}})
					},
				}.Serve)
				impatient, leave := context.WithCancel(t.Context())
				var all sync.WaitGroup
				for k := range waits {
					all.Go(func() {
						time.Sleep(time.Duration(k) * spread / 20)
						must.Report(t, wait(t.Context(), c))
						if late := time.Since(begun) - takes; late > 2*interval {
							t.Errorf("%s: one of %d waits: got the end %s late, want it at most %s late", name, waits, late, 2*interval)
						}
					})
					all.Go(func() { _ = wait(impatient, c) })
				}
				time.Sleep(10 * time.Second)
				leave() // while the others wait
				all.Wait()
				polls[waits] = len(wire.Requests())
			})
		}
		if polls[2] > polls[1]*5/4 || polls[20] > polls[1]*4 {
			t.Errorf("%s: polls by how many wait: got %v, want at most 5/4 of one wait for 2, and 4 times for 20", name, polls)
		}
	}
}

func TestFailedJobIsSeenAtTheNextPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, wire := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) {
			respond(w, 200, object{"id": "j-1", "operation": "resize", "status": "failed", "progress": 40, "error": object{"code": "no_capacity", "detail": "full"}})
		})
		err := c.WaitJob(t.Context(), "i", Pending{JobID: "j-1"}, OpResize, nil)
		var failed *JobError
		if !errors.As(err, &failed) || err.Error() != "full (no_capacity): job j-1 (resize) failed at 40 %" {
			t.Errorf("WaitJob: got error %v, want a *JobError with the failure of job j-1", err)
		}
		if n := len(wire.Requests()); n != 1 {
			t.Errorf("polls: got %d, want 1", n)
		}
	})
}

// An outage is tolerated by its duration, regardless of the number of failed polls.
func TestWaitOutlivesAnOutage(t *testing.T) {
	for name, status := range map[string]int{"no connection": refused, "silent": silent, "dropped": dropped, "broken off": brokenOff, "truncated": truncated, "foreign 404": 404, "502": 502, "503": 503, "504": 504} {
		for _, operation := range []string{OpConsole, OpCreate} {
			for _, row := range []struct {
				from, lasts time.Duration
				ok          bool
			}{
				{0, 20 * time.Second, true},
				{0, 110 * time.Second, true},
				{100 * time.Second, 110 * time.Second, true}, // where polls are rare
				{0, 5 * time.Minute, false},
				{100 * time.Second, 5 * time.Minute, false},
			} {
				synctest.Test(t, func(t *testing.T) {
					begun := time.Now()
					c, wire := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) {
						since := time.Since(begun)
						switch {
						case since >= row.from && since < row.from+row.lasts:
							gatewayPage(w, status)
						case since < 480*time.Second && row.ok || since < row.from:
							respond(w, 200, jobOf(begun, 480*time.Second, true))
						default:
							respond(w, 200, object{"id": "j-1", "status": "done"})
						}
					}, func(o *Options) { o.RequestTimeout = 10 * time.Second })
					err := c.WaitJob(t.Context(), "i", Pending{JobID: "j-1"}, operation, nil)
					took := time.Since(begun)
					if (err == nil) != row.ok {
						t.Errorf("%s, %s: an outage of %s from %s: got error %v, want none: %t", name, operation, row.lasts, row.from, err, row.ok)
					}
					if lasted := took - row.from; !row.ok && (lasted < ToleratedOutage || lasted > 2*ToleratedOutage) {
						t.Errorf("%s, %s: got it given up after %s of the outage, want from %s to %s", name, operation, lasted, ToleratedOutage, 2*ToleratedOutage)
					}
					if n := len(wire.Requests()); n > 200 {
						t.Errorf("%s, %s: got %d requests, want at most 200", name, operation, n)
					}
				})
			}
		}
	}
}

// A refusal by the service itself ends a wait immediately.
func TestRefusedPollEndsAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, wire := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) { refuse(w, 401, "unauthorized") })
		if err := c.WaitJob(t.Context(), "i", Pending{JobID: "j-1"}, OpConsole, nil); !errors.Is(err, ErrUnauthorized) {
			t.Errorf("WaitJob: got error %v, want ErrUnauthorized", err)
		}
		if n := len(wire.Requests()); n != 1 {
			t.Errorf("polls: got %d, want 1", n)
		}
	})
}

// A failure that was seen is returned even if the context ends at that moment.
func TestEndOfTheContextHidesNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c, _ := newTestClient(t, nil)
		err := c.wait(ctx, 0, func(context.Context) (observation, error) {
			cancel()
			return observation{}, permanent(&JobError{Job: Job{ID: "j-1"}})
		})
		if err = interrupted(ctx, err, "job j-1", "j-1"); !isAs[*JobError](err) {
			t.Errorf("interrupted: got error %v, want a *JobError", err)
		}
	})
}

func TestUnknownJobStatusCountsAsInProgressUntilTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) {
			respond(w, 200, object{"id": "j-1", "operation": "create", "status": "pondering", "progress": 3})
		})
		ctx, cancel := lifetime.WithTimeout(t.Context(), "create", time.Minute)
		defer cancel()
		err := c.WaitJob(ctx, "i", Pending{JobID: "j-1"}, OpCreate, nil)
		var interrupted *InterruptedError
		if !errors.As(err, &interrupted) || !errors.Is(err, context.DeadlineExceeded) || interrupted.JobID != "j-1" {
			t.Fatalf("WaitJob: got error %v, want an *InterruptedError of job j-1 for context.DeadlineExceeded", err)
		}
		if want := "stopped waiting for job j-1 (create), pondering at 3 %: the create timeout of 1m is over"; err.Error() != want {
			t.Errorf("the error: got %q, want %q", err, want)
		}
	})
}

func TestRetryAfterIsAMinimumBetweenPolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		polls := 0
		c, wire := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) {
			if polls++; polls == 1 {
				w.Header().Set("Retry-After", "30")
				refuse(w, 503, "unavailable")
				return
			}
			respond(w, 200, object{"id": "j-1", "status": "done"})
		})
		must.Do(t, c.WaitJob(t.Context(), "i", Pending{JobID: "j-1"}, OpConsole, nil))
		if gap := wire.Times()[1].Sub(wire.Times()[0]); gap < 30*time.Second {
			t.Errorf("the second poll: got it after %s, want it after 30 s at least", gap)
		}
	})
}

// If a poll is refused by a rate limit, that says nothing about the job. The poll is sent
// again like any other request, and does not wait until the next poll is due.
func TestPollThatIsRefusedForALimitIsSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const takes = 400 * time.Second
		begun, requests := time.Now(), 0
		c, _ := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) {
			if requests++; requests%6 != 0 {
				w.Header().Set("Retry-After", "1")
				refuse(w, 429, "rate_limited")
				return
			}
			status := "running"
			if time.Since(begun) >= takes {
				status = "done"
			}
			respond(w, 200, object{"id": "j-1", "operation": "create", "status": status})
		})
		if err := c.WaitJob(t.Context(), "i", Pending{JobID: "j-1"}, OpCreate, nil); err != nil {
			t.Fatalf("WaitJob: got error %v after %s, want none", err, time.Since(begun))
		}
		if late := time.Since(begun) - takes; late > 40*time.Second {
			t.Errorf("the end of the job: got it %s late, want it at most 40 s late", late)
		}
	})
}
