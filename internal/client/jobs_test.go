package client

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func jobIs(status, operation string) http.HandlerFunc {
	return says(200, object{"id": "j-1", "status": status, "operation": operation, "progress": 40})
}

// Only the job's own record shows that a job is done. The rows contain the service's
// answers during the polling.
func TestJobIsDoneByItsRecordAlone(t *testing.T) {
	instance := func(fields ...any) http.HandlerFunc {
		i := object{"id": "i", "status": "running", "job_id": nil}
		for k := 0; k < len(fields); k += 2 {
			i[fields[k].(string)] = fields[k+1]
		}
		return says(200, i)
	}
	hangs := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	const pending = "pending" // stands for an *InterruptedError
	for name, row := range map[string]struct {
		operation     string
		job, instance func() http.HandlerFunc // created when the test's time begins
		list          []object
		err           any // nil, an error for errors.Is, or a pointer for errors.As
		takes         time.Duration
	}{
		"a gateway's 404 for 20 s": {
			OpCreate, func() http.HandlerFunc { return during(20*time.Second, gateway(404), jobIs("done", OpCreate)) },
			func() http.HandlerFunc { return gateway(404) }, nil, nil, 20 * time.Second,
		},
		"a gateway's 404 for 20 s, of a deletion": {
			OpDelete, func() http.HandlerFunc { return during(20*time.Second, gateway(404), jobIs("done", OpDelete)) },
			func() http.HandlerFunc { return gateway(404) }, nil, nil, 20 * time.Second,
		},
		"a gateway's 404 for good, of a deletion": {
			OpDelete, func() http.HandlerFunc { return gateway(404) },
			func() http.HandlerFunc { return gateway(404) }, nil, transport.ErrForeign, ToleratedOutage,
		},
		"a replica that lags by 10 s": {
			OpAllowlist, func() http.HandlerFunc { return during(10*time.Second, notFound, jobIs("failed", OpAllowlist)) },
			func() http.HandlerFunc { return instance() }, nil, &JobError{}, 10 * time.Second,
		},
		"a replica that lags, and then it is done": {
			OpAllowlist, func() http.HandlerFunc { return during(50*time.Second, notFound, jobIs("done", OpAllowlist)) },
			func() http.HandlerFunc { return instance() }, nil, nil, 50 * time.Second,
		},
		"a replica that lags by 8 s, and a record that hangs once": {
			OpCreate, func() http.HandlerFunc { return during(8*time.Second, notFound, jobIs("done", OpCreate)) },
			func() http.HandlerFunc { return inTurn(notFound, hangs, notFound) }, nil, nil, time.Minute,
		},
		"missing for good": {
			OpAllowlist, func() http.HandlerFunc { return notFound },
			func() http.HandlerFunc { return instance() }, nil, &MissingJobError{}, missingJobGrace,
		},
		"missing for good, and its instance is gone": {
			OpCreate, func() http.HandlerFunc { return notFound },
			func() http.HandlerFunc { return notFound }, nil, &MissingJobError{}, missingJobGrace,
		},
		"missing after it was seen": {
			OpAllowlist, func() http.HandlerFunc {
				return inTurn(jobIs("running", OpAllowlist), jobIs("running", OpAllowlist), notFound)
			},
			func() http.HandlerFunc { return instance() }, nil, &MissingJobError{}, missingJobGrace,
		},
		"missing now and then": {
			OpAllowlist, func() http.HandlerFunc {
				return inTurn(notFound, jobIs("running", OpAllowlist), notFound, notFound, jobIs("running", OpAllowlist), notFound, jobIs("done", OpAllowlist))
			},
			func() http.HandlerFunc { return instance() }, nil, nil, 0,
		},
		"a deletion's, gone with its instance": {
			OpDelete, func() http.HandlerFunc { return inTurn(jobIs("running", OpDelete), notFound) },
			func() http.HandlerFunc { return notFound }, nil, nil, absencePause,
		},
		"a deletion's, whose record says little": {
			OpDelete, func() http.HandlerFunc { return inTurn(says(200, object{"id": "j-1", "status": "running"}), notFound) },
			func() http.HandlerFunc { return notFound }, nil, nil, absencePause,
		},
		"a deletion's, missing while its instance is there": {
			OpDelete, func() http.HandlerFunc { return notFound },
			func() http.HandlerFunc { return instance("status", "deleting") }, nil, &MissingJobError{}, missingJobGrace,
		},
		"a deletion's, whose instance goes 40 s later": {
			OpDelete, func() http.HandlerFunc { return notFound },
			func() http.HandlerFunc { return during(40*time.Second, instance("status", "deleting"), notFound) }, nil, nil, 40*time.Second + absencePause,
		},
		"a deletion's, whose instance only a replica lacks": {
			OpDelete, func() http.HandlerFunc { return notFound },
			func() http.HandlerFunc { return during(10*time.Second, notFound, instance("status", "deleting")) }, nil, &MissingJobError{}, missingJobGrace,
		},
		"a deletion's, whose instance is in the list still": {
			OpDelete, func() http.HandlerFunc { return notFound },
			func() http.HandlerFunc { return notFound }, []object{{"id": "i"}}, ErrContradiction, ToleratedOutage,
		},
		"the service's own trouble": {
			OpConsole, func() http.HandlerFunc {
				return during(time.Minute, func(w http.ResponseWriter, _ *http.Request) { refuse(w, 500, "internal") }, jobIs("done", OpConsole))
			},
			func() http.HandlerFunc { return instance() }, nil, nil, time.Minute,
		},
		"another record": {
			OpConsole, func() http.HandlerFunc { return says(200, object{"id": "j-2", "status": "done"}) },
			func() http.HandlerFunc { return instance() }, nil, transport.ErrForeign, ToleratedOutage,
		},
		"maintenance": {
			OpConsole, func() http.HandlerFunc {
				return during(time.Minute, says(200, object{"message": "maintenance"}), jobIs("done", OpConsole))
			},
			func() http.HandlerFunc { return instance() }, nil, nil, time.Minute,
		},
		"a page that is no JSON": {
			OpConsole, func() http.HandlerFunc { return during(time.Minute, gateway(200), jobIs("done", OpConsole)) },
			func() http.HandlerFunc { return instance() }, nil, nil, time.Minute,
		},
		"a status nobody knows": {
			OpConsole, func() http.HandlerFunc { return jobIs("pondering", OpConsole) },
			func() http.HandlerFunc { return instance() }, nil, pending, 20 * time.Minute,
		},
		"cancelled": {
			OpConsole, func() http.HandlerFunc { return jobIs("cancelled", OpConsole) },
			func() http.HandlerFunc { return instance() }, nil, &JobError{}, 0,
		},
	} {
		inBubble(t, name, func(t *testing.T) {
			list := row.list
			if list == nil {
				list = []object{}
			}
			c, wire := newTestClient(t, script{"GET /jobs/j-1": row.job(), "GET /instances/i": row.instance(), "GET /instances": says(200, list)}.Serve)
			begun := time.Now()
			err := c.WaitJob(within(t, 20*time.Minute), "i", Pending{JobID: "j-1"}, row.operation, nil)
			took := time.Since(begun)
			var ok bool
			switch want := row.err.(type) {
			case nil:
				ok = err == nil
			case string:
				ok = isAs[*InterruptedError](err)
			case *JobError:
				ok = isAs[*JobError](err)
			case *MissingJobError:
				ok = isAs[*MissingJobError](err)
			case error:
				ok = errors.Is(err, want)
			}
			if !ok {
				t.Errorf("the wait: got error %v, want %T %v", err, row.err, row.err)
			}
			if most := row.takes + row.takes/3 + 25*time.Second; took < row.takes || took > most {
				t.Errorf("the wait: got an end after %s, want one from %s to %s", took, row.takes, most)
			}
			if n := len(wire.Requests()); n > 300 {
				t.Errorf("requests: got %d, want at most 300", n)
			}
		})
	}
}

func TestWhatIsPending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, wire := newTestClient(t, nil)
		if err := c.WaitJob(t.Context(), "i", NothingPending(), OpConsole, nil); err != nil {
			t.Errorf("WaitJob, nothing pending: got error %v, want none", err)
		}
		err := c.WaitJob(t.Context(), "i", Pending{}, OpConsole, nil)
		if !isAs[*NoProofError](err) {
			t.Errorf("WaitJob, nothing known: got error %v, want a *NoProofError", err)
		}
		if n := len(wire.Requests()); n != 0 {
			t.Errorf("requests: got %d, want none", n)
		}
	})
}

func TestProgressIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestClient(t, inTurn(jobIs("queued", OpRotate), jobIs("running", OpRotate), gateway(502), jobIs("done", OpRotate)))
		var seen []string
		must.Do(t, c.WaitJob(t.Context(), "i", Pending{JobID: "j-1"}, OpRotate, func(j Job) { seen = append(seen, string(j.Status)) }))
		if len(seen) != 3 || seen[0] != "queued" || seen[2] != "done" {
			t.Errorf("job statuses: got %v, want 3 from queued to done", seen)
		}
	})
}

// If the job of a deletion is not named, the wait watches the instance.
func TestWaitGone(t *testing.T) {
	status := func(status string) http.HandlerFunc { return says(200, object{"id": "i", "status": status}) }
	for name, row := range map[string]struct {
		instance func() http.HandlerFunc
		err      any
		takes    time.Duration
	}{
		"gone":                {func() http.HandlerFunc { return notFound }, nil, absencePause},
		"gone after a minute": {func() http.HandlerFunc { return during(time.Minute, status("deleting"), notFound) }, nil, time.Minute + absencePause},
		"a replica lags":      {func() http.HandlerFunc { return during(10*time.Second, status("running"), notFound) }, nil, 10*time.Second + absencePause},
		"never deleted":       {func() http.HandlerFunc { return status("running") }, &NoProofError{}, missingJobGrace},
		"a gateway's 404 for 20 s": {func() http.HandlerFunc {
			return during(20*time.Second, gateway(404), during(30*time.Second, status("deleting"), notFound))
		}, nil, 45 * time.Second},
		"a gateway's 404 for good": {func() http.HandlerFunc { return gateway(404) }, transport.ErrForeign, ToleratedOutage},
	} {
		inBubble(t, name, func(t *testing.T) {
			c, _ := newTestClient(t, script{"GET /instances/i": row.instance(), "GET /instances": says(200, []object{})}.Serve)
			begun := time.Now()
			err := c.WaitJob(t.Context(), "i", Pending{deletion: true}, OpDelete, nil)
			took := time.Since(begun)
			switch want := row.err.(type) {
			case nil:
				if err != nil {
					t.Error(err)
				}
			case *NoProofError:
				if !isAs[*NoProofError](err) {
					t.Errorf("the wait: got error %v, want a *NoProofError", err)
				}
			case error:
				if !errors.Is(err, want) {
					t.Errorf("the wait: got error %v, want %v", err, want)
				}
			}
			if most := row.takes + row.takes/3 + 10*time.Second; took < row.takes || took > most {
				t.Errorf("the wait: got an end after %s, want one from %s to %s", took, row.takes, most)
			}
		})
	}
}

func TestNoReasonNoName(t *testing.T) {
	for _, row := range []struct {
		job  Job
		want string
	}{
		{Job{ID: "j", Operation: "reset", Target: "engines/redis"}, "job j (reset of engines/redis) failed at 0 %, and the service gave no reason"},
		{Job{ID: "j", Error: JobFault{Detail: "full"}}, "full: job j failed at 0 %"},
		{Job{ID: "j", Operation: "create", Error: JobFault{Code: "c", Detail: "full"}, Progress: Informal[int]{Value: 7}}, "full (c): job j (create) failed at 7 %"},
	} {
		if got := (&JobError{Job: row.job}).Error(); got != row.want {
			t.Errorf("the error: got %q, want %q", got, row.want)
		}
	}
}
