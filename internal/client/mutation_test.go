package client

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A refusal because the instance is busy leads to a wait. The rows contain the service's
// answers in turn.
func TestForeignJobs(t *testing.T) {
	const path = "PUT /instances/i/allowlist"
	busy := func(w http.ResponseWriter, _ *http.Request) { refuse(w, 409, "job_running") }
	strange := func(w http.ResponseWriter, _ *http.Request) { refuse(w, 409, "whatever") }
	accepted := says(202, object{"job_id": "j-own"})
	instance := func(fields object) http.HandlerFunc {
		i := object{"id": "i", "status": "running"}
		for name, value := range fields {
			i[name] = value
		}
		return says(200, i)
	}
	for name, row := range map[string]struct {
		put      http.HandlerFunc
		instance http.HandlerFunc
		job      http.HandlerFunc // the other client's job
		err      any
		log      string
	}{
		"waited for and sent again": {
			inTurn(busy, accepted), instance(object{"job_id": "j-1"}), jobIs("done", OpResize), nil,
			path + ", GET /instances/i, GET /jobs/j-1, " + path,
		},
		"its failure is not ours": {
			inTurn(busy, accepted), instance(object{"job_id": "j-1"}), jobIs("failed", OpResize), nil,
			path + ", GET /instances/i, GET /jobs/j-1, " + path,
		},
		"ended in between": {
			inTurn(busy, accepted), instance(object{"job_id": nil}), notFound, nil,
			path + ", GET /instances/i, " + path,
		},
		"an unknown code with a job named": {
			inTurn(strange, accepted), instance(object{"job_id": "j-1"}), jobIs("done", OpResize), nil,
			path + ", GET /instances/i, GET /jobs/j-1, " + path,
		},
		"locked": {
			inTurn(func(w http.ResponseWriter, _ *http.Request) { refuse(w, 423, "locked") }, accepted), instance(object{"job_id": "j-1"}),
			jobIs("done", OpResize), nil,
			path + ", GET /instances/i, GET /jobs/j-1, " + path,
		},
		"already exists": {
			func(w http.ResponseWriter, _ *http.Request) { refuse(w, 409, "already_exists") }, instance(nil), notFound, ErrAlreadyExists,
			path,
		},
		"its checkout is open": {
			busy, instance(object{"status": "creating", "job_id": "j-1", "checkout_url": "https://pay.example"}), jobIs("queued", OpCreate), &CheckoutError{},
			path + ", GET /instances/i, GET /jobs/j-1",
		},
		"its checkout is done, and its URL stays": {
			inTurn(busy, accepted), instance(object{"job_id": "j-1", "checkout_url": "https://pay.example"}), jobIs("done", OpResize), nil,
			path + ", GET /instances/i, GET /jobs/j-1, " + path,
		},
		"its creation is paid and runs, and the URL stays": {
			inTurn(busy, accepted), instance(object{"status": "creating", "job_id": "j-1", "checkout_url": "https://pay.example"}), inTurn(jobIs("running", OpCreate), jobIs("done", OpCreate)), nil,
			path + ", GET /instances/i, GET /jobs/j-1, GET /jobs/j-1, " + path,
		},
		"the instance is gone": {
			inTurn(busy, notFound), notFound, notFound, ErrNotFound,
			path + ", GET /instances/i, " + path,
		},
	} {
		inBubble(t, name, func(t *testing.T) {
			c, wire := newTestClient(t, script{path: row.put, "GET /instances/i": row.instance, "GET /jobs/j-1": row.job}.Serve)
			turn := enter(t, c)
			defer turn.Leave()
			pending, err := turn.SetAllowlist(t.Context(), nil)
			switch want := row.err.(type) {
			case nil:
				if err != nil || pending.JobID != "j-own" {
					t.Errorf("SetAllowlist: got %+v and error %v, want job j-own", pending, err)
				}
			case *transport.APIError:
				if !isAs[*transport.APIError](err) {
					t.Errorf("SetAllowlist: got error %v, want an *APIError", err)
				}
			case *CheckoutError:
				if !errors.As(err, &want) || want.URL != "https://pay.example" {
					t.Errorf("SetAllowlist: got error %v, want a *CheckoutError with the URL https://pay.example", err)
				}
			case error:
				if !errors.Is(err, want) {
					t.Errorf("SetAllowlist: got error %v, want %v", err, want)
				}
			}
			if got := strings.Join(wire.Requests(), ", "); got != row.log {
				t.Errorf("requests: got\n%s\nwant\n%s", got, row.log)
			}
		})
	}
}

// A refusal that no job explains is returned once reads would show a job.
func TestRefusalThatNoJobExplains(t *testing.T) {
	for _, code := range []string{"job_running", "not_running", "whatever"} {
		synctest.Test(t, func(t *testing.T) {
			c, wire := newTestClient(t, script{
				"PUT /instances/i/allowlist": func(w http.ResponseWriter, _ *http.Request) { refuse(w, 409, code) },
				"GET /instances/i":           says(200, object{"id": "i", "status": "failed", "job_id": nil}),
			}.Serve)
			begun := time.Now()
			_, err := enter(t, c).SetAllowlist(within(t, time.Hour), nil)
			if took := time.Since(begun); !isAs[*transport.APIError](err) || took < ReadLag || took > 2*ReadLag {
				t.Errorf("%s: got error %v after %s and %d requests, want an *APIError from %s to %s", code, err, took, wire.Count("PUT"), ReadLag, 2*ReadLag)
			}
		})
	}
}

func TestForeignJobThatNeverEndsIsLeftWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestClient(t, script{
			"PUT /instances/i/allowlist": func(w http.ResponseWriter, _ *http.Request) { refuse(w, 409, "job_running") },
			"GET /instances/i":           says(200, object{"id": "i", "job_id": "j-1"}),
			"GET /jobs/j-1":              jobIs("running", OpResize),
		}.Serve)
		ctx := within(t, 10*time.Minute)
		turn := enter(t, c)
		_, err := turn.SetAllowlist(ctx, nil)
		var interrupted *InterruptedError
		if !errors.As(err, &interrupted) || interrupted.JobID != "j-1" {
			t.Errorf("SetAllowlist: got error %v, want an *InterruptedError of job j-1", err)
		}
	})
}

// While the service keeps answering 409, every loop pauses between requests.
func TestTenMinutesOf409(t *testing.T) {
	ended := jobIs("done", OpResize)
	for name, row := range map[string]struct{ instance, job http.HandlerFunc }{
		"the record names a job that has ended": {says(200, object{"id": "i", "status": "running", "job_id": "j-1"}), ended},
		"the record names no job":               {says(200, object{"id": "i", "status": "running"}), notFound},
		"the record names a job that is gone":   {says(200, object{"id": "i", "status": "running", "job_id": "j-1"}), notFound},
		"the record is gone":                    {notFound, notFound},
	} {
		for kind, send := range map[string]func(context.Context, *Turn) error{
			"set":    func(ctx context.Context, turn *Turn) error { return second(turn.SetAllowlist(ctx, nil)) },
			"create": func(ctx context.Context, turn *Turn) error { return second(turn.CreateDatabase(ctx, "d")) },
			"action": func(ctx context.Context, turn *Turn) error { return second(turn.Rotate(ctx)) },
		} {
			synctest.Test(t, func(t *testing.T) {
				c, wire := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
					switch {
					case r.Method != http.MethodGet:
						refuse(w, 409, "job_running")
					case r.URL.Path == "/api/v1/instances/i":
						row.instance(w, r)
					case strings.HasPrefix(r.URL.Path, "/api/v1/jobs/"):
						row.job(w, r)
					default:
						respond(w, 200, object{"databases": []object{}})
					}
				})
				begun := time.Now()
				err := send(within(t, 10*time.Minute), enter(t, c))
				if err == nil || time.Since(begun) > 10*time.Minute+time.Second {
					t.Errorf("%s, %s: got error %v after %s, want an error within %s", name, kind, err, time.Since(begun), 10*time.Minute+time.Second)
				}
				t.Logf("%s, %s: %d requests in %s", name, kind, len(wire.Requests()), time.Since(begun))
				if n := len(wire.Requests()); n > 700 {
					t.Errorf("%s, %s: got %d requests, want at most 700", name, kind, n)
				}
			})
		}
	}
}

// The forms of the service's answer to an accepted change.
func TestAcceptedShapes(t *testing.T) {
	instance := func(job any) http.HandlerFunc {
		return says(200, object{"id": "i", "status": "running", "job_id": job})
	}
	own := says(200, object{"id": "j-1", "operation": "allowlist", "status": "failed"})
	late := func() http.HandlerFunc { return during(10*time.Second, instance(nil), instance("j-1")) }
	always := func(h http.HandlerFunc) func() http.HandlerFunc { return func() http.HandlerFunc { return h } }
	for name, row := range map[string]struct {
		answer   any
		instance func() http.HandlerFunc
		err      error // of the wait for the job, which has failed
		jobs     int   // minimum number of reads of the job
	}{
		"job_id":                             {object{"job_id": "j-1"}, always(notFound), &JobError{}, 1},
		"a job object":                       {object{"job": object{"id": "j-1", "status": "queued"}}, always(notFound), &JobError{}, 1},
		"a job string":                       {object{"job": "j-1"}, always(notFound), &JobError{}, 1},
		"the job's own record":               {object{"id": "j-1", "operation": "allowlist", "status": "queued"}, always(notFound), &JobError{}, 1},
		"the record without its operation":   {object{"id": "j-1", "status": "queued", "progress": 0}, always(notFound), &JobError{}, 1},
		"none, the record names it":          {object{}, always(instance("j-1")), nil, 1},
		"none, the record names it late":     {object{"status": "ok"}, late, nil, 1},
		"null, the record names it":          {nil, always(instance("j-1")), nil, 1},
		"none, and the record names none":    {object{}, always(instance(nil)), nil, 0},
		"none, and a gateway's page first":   {object{}, always(inTurn(gateway(404), gateway(502), instance(nil))), nil, 0},
		"none, and the record is in the way": {object{}, always(func(w http.ResponseWriter, _ *http.Request) { refuse(w, 403, "forbidden") }), ErrForbidden, 0},
	} {
		inBubble(t, name, func(t *testing.T) {
			c, wire := newTestClient(t, script{"PUT /instances/i/allowlist": says(202, row.answer), "GET /instances/i": row.instance(), "GET /jobs/j-1": own}.Serve)
			turn := enter(t, c)
			begun := time.Now()
			err := turn.Do(t.Context(), OpAllowlist, func(ctx context.Context) (Pending, error) {
				return turn.SetAllowlist(ctx, []string{"203.0.113.0/24"})
			})
			switch want := row.err.(type) {
			case nil:
				if err != nil {
					t.Error(err)
				}
			case *JobError:
				if !isAs[*JobError](err) {
					t.Errorf("the change: got error %v, want a *JobError", err)
				}
			default:
				if !errors.Is(err, want) {
					t.Errorf("the change: got error %v, want %v", err, want)
				}
			}
			if took := time.Since(begun); took > time.Minute {
				t.Errorf("the change: got an end after %s, want one within a minute", took)
			}
			if n := wire.Count("PUT"); n != 1 {
				t.Errorf("PUTs: got %d, want 1", n)
			}
			if n := wire.Count("GET /jobs/j-1"); n < row.jobs {
				t.Errorf("reads of the job: got %d, want at least %d", n, row.jobs)
			}
		})
	}
}

// A lost answer to a change that can be sent twice.
func TestLostAnswerToAChange(t *testing.T) {
	for _, lost := range []int{dropped, brokenOff, truncated, 502, 404} {
		for name, row := range map[string]struct {
			commits time.Duration // after the first PUT; negative for never
			takes   time.Duration // by its job
			puts    int           // maximum
		}{
			"not carried out":       {-1, 0, 2},
			"at once":               {0, 0, 2},
			"at once, with its job": {0, 20 * time.Second, 3},
			"late, with its job":    {300 * time.Millisecond, 40 * time.Second, 3},
		} {
			inBubble(t, fmt.Sprint(name, lost), func(t *testing.T) {
				var mu sync.Mutex
				var committed, second bool
				var at time.Time
				running := func() bool { return committed && time.Since(at) < row.takes }
				commit := func() { committed, at = true, time.Now() }
				c, wire := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
					mu.Lock()
					defer mu.Unlock()
					switch {
					case r.Method == http.MethodPut && at.IsZero():
						at = time.Now()
						if row.commits == 0 {
							commit()
						} else if row.commits > 0 {
							time.AfterFunc(row.commits, func() {
								mu.Lock()
								defer mu.Unlock()
								commit()
							})
						}
						gatewayPage(w, lost)
					case r.Method == http.MethodPut && running():
						refuse(w, 409, "job_running")
					case r.Method == http.MethodPut:
						second = true
						respond(w, 202, object{"job_id": "j-2"})
					case strings.HasSuffix(r.URL.Path, "/instances/i") && running():
						respond(w, 200, object{"id": "i", "status": "running", "job_id": "j-1"})
					case strings.HasSuffix(r.URL.Path, "/instances/i"):
						respond(w, 200, object{"id": "i", "status": "running"})
					case strings.HasSuffix(r.URL.Path, "/allowlist"):
						list := []string{}
						if committed && !running() || second {
							list = []string{"203.0.113.7/32"}
						}
						respond(w, 200, object{"allowlist": list})
					case strings.HasSuffix(r.URL.Path, "/jobs/j-1") && running():
						respond(w, 200, object{"id": "j-1", "operation": "allowlist", "status": "running"})
					default:
						respond(w, 200, object{"id": r.URL.Path[len("/api/v1/jobs/"):], "operation": "allowlist", "status": "done"})
					}
				})
				turn := enter(t, c)
				must.Report(t, turn.Do(t.Context(), OpAllowlist, func(ctx context.Context) (Pending, error) {
					return turn.SetAllowlist(ctx, []string{"203.0.113.7"})
				}))
				if n := wire.Count("PUT"); n > row.puts {
					t.Errorf("PUTs: got %d, want at most %d", n, row.puts)
				}
			})
		}
	}
}

// After a lost answer, a refusal for a reason other than a job is returned early, and not
// only at the timeout of the operation.
func TestRefusalAfterALostAnswerIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestClient(t, script{
			"PUT /instances/i/allowlist": inTurn(gateway(502), func(w http.ResponseWriter, _ *http.Request) { refuse(w, 409, "plan_too_small") }),
			"GET /instances/i/allowlist": says(200, object{"allowlist": []string{}}),
			"GET /instances/i":           says(200, object{"id": "i", "status": "running"}),
		}.Serve)
		turn := enter(t, c)
		begun := time.Now()
		_, err := turn.SetAllowlist(within(t, time.Hour), []string{"203.0.113.7"})
		var refused *transport.APIError
		if took := time.Since(begun); !errors.As(err, &refused) || refused.Code != "plan_too_small" || took > time.Minute {
			t.Errorf("SetAllowlist: got error %v after %s, want plan_too_small within a minute", err, took)
		}
	})
}

// A gateway is being reconfigured while a change waits for a busy instance.
func TestForeign404For20sWhileTheInstanceIsBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestClient(t, script{
			"PUT /instances/i/allowlist": inTurn(func(w http.ResponseWriter, _ *http.Request) { refuse(w, 409, "job_running") }, says(202, object{"job_id": "j-2"})),
			"GET /instances/i":           during(20*time.Second, gateway(404), says(200, object{"id": "i", "status": "running", "job_id": "j-1"})),
			"GET /jobs/j-1":              during(50*time.Second, gateway(404), jobIs("done", OpResize)),
		}.Serve)
		turn := enter(t, c)
		if pending, err := turn.SetAllowlist(t.Context(), nil); err != nil || pending.JobID != "j-2" {
			t.Errorf("SetAllowlist: got %+v and error %v, want job j-2", pending, err)
		}
	})
}

// The whole set of engines is sent, so it is chosen from the current record right before
// it is sent. An engine that another client's job has turned on in between is not turned
// off.
func TestEnginesAreChosenFromWhatIsThere(t *testing.T) {
	instance := func(job any, engines ...string) http.HandlerFunc {
		return says(200, object{"id": "i", "status": "running", "job_id": job, "engines": engines})
	}
	busy := func(w http.ResponseWriter, _ *http.Request) { refuse(w, 409, "job_running") }
	errNoMore := errors.New("no more")
	for name, row := range map[string]struct {
		put, instance http.HandlerFunc
		seen          string // by choose in each call
		err           error
	}{
		"at once": {says(202, object{"job_id": "j-own"}), instance(nil, "postgres"), "[[postgres]]", nil},
		"after another's job": {
			inTurn(busy, says(202, object{"job_id": "j-own"})), inTurn(instance(nil, "postgres"), instance("j-1", "postgres"), instance(nil, "nats", "postgres")),
			"[[postgres] [nats postgres]]", nil,
		},
		"after a lost answer, and a person's change": {
			inTurn(gateway(504), says(202, object{"job_id": "j-own"})), inTurn(instance(nil, "postgres"), instance(nil, "nats", "postgres")),
			"[[postgres] [nats postgres]]", nil,
		},
		"that turns on what must not go": {busy, inTurn(instance(nil, "postgres"), instance("j-1", "postgres"), instance(nil, "postgres", "redis")), "[[postgres] [postgres redis]]", errNoMore},
	} {
		inBubble(t, name, func(t *testing.T) {
			c, wire := newTestClient(t, script{"PUT /instances/i/engines": row.put, "GET /instances/i": row.instance, "GET /jobs/j-1": jobIs("done", OpEngines)}.Serve)
			turn, _ := c.Enter(t.Context(), "i")
			defer turn.Leave()
			var seen [][]string
			_, err := turn.SetEngines(t.Context(), func(i Instance) (map[string]EngineBudget, error) {
				on := slices.Sorted(maps.Keys(i.Engines.Value))
				seen = append(seen, on)
				if slices.Contains(on, "redis") {
					return nil, errNoMore
				}
				return map[string]EngineBudget{"postgres": {}}, nil
			})
			if !errors.Is(err, row.err) || fmt.Sprint(seen) != row.seen {
				t.Errorf("the change: got error %v and seen %v, want %v and %s", err, seen, row.err, row.seen)
			}
			if puts := strings.Count(strings.Join(wire.Requests(), "\n"), "PUT"); row.err != nil && puts != 1 {
				t.Errorf("PUTs: got %d, want 1", puts)
			}
		})
	}
}

// Engines are set again after another client's job, unless the record proves that they and
// their budgets are as requested. Nothing waits for a record that hides budgets.
func TestEnginesAreSetAgainUnlessTheRecordProvesThem(t *testing.T) {
	asked := map[string]EngineBudget{"postgres": {MemoryMB: new(int64(1024))}}
	both := map[string]EngineBudget{"postgres": {MemoryMB: new(int64(1024))}, "redis": {MemoryMB: new(int64(128))}}
	floor := map[string]EngineBudget{"postgres": {}}
	small, large := object{"postgres": object{"memory_mb": 512}}, object{"postgres": object{"memory_mb": 1024}}
	for name, row := range map[string]struct {
		asked         map[string]EngineBudget
		before, after any // the engines in the record, before and after the other client's job
		requests      int
	}{
		"the budget is hidden":                         {asked, object{"postgres": true}, object{"postgres": true}, 2},
		"the set is shown and its budgets are hidden":  {both, []string{"postgres"}, []string{"postgres", "redis"}, 2},
		"the engines are hidden":                       {asked, nil, nil, 2},
		"the record is as requested from the start on": {asked, large, large, 1},
		"the record becomes as requested":              {asked, small, large, 1},
		"the floor of an engine that was on":           {floor, large, large, 2},
		"the floor of a new engine":                    {floor, object{}, small, 1},
	} {
		inBubble(t, name, func(t *testing.T) {
			record := func(job, engines any) http.HandlerFunc {
				fields := object{"id": "i", "status": "running", "job_id": job}
				if engines != nil {
					fields["engines"] = engines
				}
				return says(200, fields)
			}
			c, wire := newTestClient(t, script{
				"PUT /instances/i/engines": inTurn(func(w http.ResponseWriter, _ *http.Request) { refuse(w, 409, "job_running") }, says(202, object{"job_id": "j-own"})),
				"GET /instances/i":         inTurn(record(nil, row.before), record("j-1", row.before), record(nil, row.after)),
				"GET /jobs/j-1":            jobIs("done", OpEngines),
			}.Serve)
			begun := time.Now()
			pending, err := enter(t, c).SetEngines(t.Context(), func(Instance) (map[string]EngineBudget, error) { return row.asked, nil })
			if puts := wire.Count("PUT"); err != nil || puts != row.requests || (pending.JobID == "j-own") != (row.requests == 2) {
				t.Errorf("set engines: got job %q, error %v and %d requests, want %d", pending.JobID, err, puts, row.requests)
			}
			if took := time.Since(begun); took > 2*ReadLag {
				t.Errorf("SetEngines: got an end after %s, want one within %s", took, 2*ReadLag)
			}
		})
	}
}

// A request that may have had an effect is not forgotten if a later one is refused: the
// record may hide what it changed.
func TestRefusalAfterALostResponse(t *testing.T) {
	refused := func(status int, code string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { refuse(w, status, code) }
	}
	for path, send := range map[string]func(context.Context, *Turn) (Pending, error){
		"PUT /instances/i/engines": func(ctx context.Context, turn *Turn) (Pending, error) {
			return turn.SetEngines(ctx, func(Instance) (map[string]EngineBudget, error) {
				return map[string]EngineBudget{"postgres": {MemoryMB: new(int64(1024))}}, nil
			})
		},
		"PATCH /instances/i/apps/a": func(ctx context.Context, turn *Turn) (Pending, error) {
			return turn.UpdateApp(ctx, "a", AppSettings{Links: Some([]string{"auth"})})
		},
	} {
		inBubble(t, path, func(t *testing.T) {
			c, wire := newTestClient(t, script{
				path:                      inTurn(gateway(502), refused(409, "job_running"), refused(422, "validation_failed")),
				"GET /instances/i":        says(200, object{"id": "i", "status": "running", "engines": []string{"postgres"}}),
				"GET /instances/i/apps/a": says(200, object{"name": "a"}),
			}.Serve)
			_, err := send(t.Context(), enter(t, c))
			if sent := wire.Count(path[:3]); err == nil || NothingDone(err) || sent != 3 {
				t.Errorf("got error %v after %d requests, want an error after which something may be done, after 3", err, sent)
			}
		})
	}
}
