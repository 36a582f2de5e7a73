package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// An actionService executes actions and shows them in its activity with the lag of its
// replicas.
type actionService struct {
	answers []lostPOST // to the POSTs in turn; 202 is one
	lag     time.Duration
	quiet   bool     // it names no job anywhere
	mute    bool     // it shows no activity
	busy    []string // operations of another client that the POSTs meet first

	mu       sync.Mutex
	posts    int
	job      string
	jobs     map[string]object
	activity []object
	seen     []actionSight
}

type actionSight struct {
	at       time.Time
	job      string
	activity []object
}

func newActionService(s *actionService) *actionService {
	s.jobs = map[string]object{}
	s.activity = []object{{"at": "2020-01-01T00:00:00Z", "type": "rotate", "detail": ""}, {"at": "2020-01-01T00:00:00Z", "type": "created"}}
	s.note()
	return s
}

func (s *actionService) note() {
	s.seen = append(s.seen, actionSight{time.Now(), s.job, append([]object(nil), s.activity...)})
}

func (s *actionService) run(id, operation string, target any) {
	job := object{"id": id, "operation": operation, "target": target, "status": "running"}
	s.jobs[id], s.job = job, id
	s.note()
	time.AfterFunc(20*time.Second, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		job["status"], s.job = "done", ""
		if !s.mute {
			s.activity = append([]object{{"at": time.Now().Format(time.RFC3339), "type": operation}}, s.activity...)
		}
		s.note()
	})
}

func (s *actionService) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	shown := s.seen[0]
	for _, sight := range s.seen {
		if time.Since(sight.at) >= s.lag {
			shown = sight
		}
	}
	path := strings.TrimPrefix(r.URL.Path, "/api/v1")
	switch {
	case r.Method == http.MethodPost:
		s.posts++
		id := fmt.Sprint("j-", len(s.jobs)+1)
		operation := path[strings.LastIndex(path, "/")+1:]
		var target any
		if strings.Contains(path, "/engines/") {
			operation, target = OpEngineRestart, strings.TrimSuffix(strings.TrimPrefix(path, "/instances/i/"), "/actions/restart")
		}
		if s.job != "" {
			refuse(w, 409, "job_running")
			return
		}
		if len(s.busy) > 0 {
			s.run(id, s.busy[0], nil)
			s.busy = s.busy[1:]
			refuse(w, 409, "job_running")
			return
		}
		mishap := lostPOST{answer: 202}
		if len(s.answers) > 0 {
			mishap, s.answers = s.answers[0], s.answers[1:]
		}
		switch {
		case mishap.commits == 0:
			s.run(id, operation, target)
		case mishap.commits > 0:
			time.AfterFunc(mishap.commits, func() {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.run(id, operation, target)
			})
		}
		switch {
		case mishap.answer == 202 && s.quiet:
			respond(w, 202, object{})
		case mishap.answer == 202:
			respond(w, 202, object{"job_id": id})
		default:
			gatewayPage(w, mishap.answer)
		}
	case path == "/instances/i":
		record := object{"id": "i", "status": "running", "job_id": shown.job, "activity": shown.activity}
		if s.quiet {
			record["job_id"] = nil
		}
		respond(w, 200, record)
	case s.jobs[strings.TrimPrefix(path, "/jobs/")] != nil:
		respond(w, 200, s.jobs[strings.TrimPrefix(path, "/jobs/")])
	default:
		notFound(w, r)
	}
}

func TestActionsAreProved(t *testing.T) {
	rotate := func(ctx context.Context, turn *Turn) (Pending, error) { return turn.Rotate(ctx) }
	for name, row := range map[string]struct {
		service *actionService
		job     string // "" if its activity proves it
		err     any
		takes   time.Duration
	}{
		"answered":                             {&actionService{}, "j-1", nil, 0},
		"lost, seen by its job":                {&actionService{answers: []lostPOST{{504, 0}}}, "j-1", nil, 0},
		"dropped, seen by its job":             {&actionService{answers: []lostPOST{{dropped, 0}}}, "j-1", nil, 0},
		"carried out 40 s later":               {&actionService{answers: []lostPOST{{504, 40 * time.Second}}}, "j-1", nil, 40 * time.Second},
		"seen by its job behind a replica":     {&actionService{answers: []lostPOST{{504, 0}}, lag: 10 * time.Second}, "j-1", nil, 10 * time.Second},
		"seen by its activity":                 {&actionService{answers: []lostPOST{{504, 0}}, quiet: true}, "", nil, 20 * time.Second},
		"seen by its activity, late":           {&actionService{answers: []lostPOST{{504, 0}}, quiet: true, lag: 10 * time.Second}, "", nil, 30 * time.Second},
		"not carried out":                      {&actionService{answers: []lostPOST{{502, never}}}, "", &transport.OutcomeError{}, actionPatience},
		"carried out, and it shows nothing":    {&actionService{answers: []lostPOST{{502, 0}}, quiet: true, mute: true}, "", &transport.OutcomeError{}, actionPatience},
		"carried out after ten minutes":        {&actionService{answers: []lostPOST{{502, patience}}}, "", &transport.OutcomeError{}, actionPatience},
		"accepted without a job, none is seen": {&actionService{quiet: true, mute: true}, "", &NoProofError{}, ReadLag},
		"after somebody else's of another kind": {
			&actionService{busy: []string{OpResize}}, "j-2", nil, 20 * time.Second,
		},
		"after somebody else's of that kind": {
			&actionService{busy: []string{OpRotate}, lag: 10 * time.Second}, "j-2", nil, 20 * time.Second,
		},
		"lost, after somebody else's of that kind": {
			&actionService{busy: []string{OpRotate}, lag: 10 * time.Second, answers: []lostPOST{{502, never}}}, "", &transport.OutcomeError{}, actionPatience,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newActionService(row.service)
				c, _ := newTestClient(t, s.serve)
				met := len(s.busy)
				begun := time.Now()
				pending, err := rotate(within(t, time.Hour), enter(t, c))
				switch row.err.(type) {
				case nil:
					if err != nil || pending.JobID != row.job || row.job == "" && pending != NothingPending() {
						t.Errorf("rotate: got %+v and error %v, want job %q and none", pending, err, row.job)
					}
				case *transport.OutcomeError:
					if !transport.OutcomeUnknown(err) {
						t.Errorf("rotate: got %+v and error %v, want an unknown outcome", pending, err)
					}
				case *NoProofError:
					if !isAs[*NoProofError](err) {
						t.Errorf("rotate: got %+v and error %v, want a *NoProofError", pending, err)
					}
				}
				if n := s.posts - met; s.posts < 1 || n > 1 && met == 0 || n > 9 {
					t.Errorf("POSTs: got %d, and %d for others that were met, want 1, and at most 9 if others were met", n, met)
				}
				if took := time.Since(begun); took < row.takes || took > row.takes+row.takes/3+time.Minute {
					t.Errorf("rotate: got an end after %s, want one from %s to %s", took, row.takes, row.takes+row.takes/3+time.Minute)
				}
			})
		})
	}
}

// A regression test: an action was reported as done although it never reached the
// service, because an earlier action of the same kind had just ended.
func TestActionAfterOneOfItsKind(t *testing.T) {
	for name, act := range map[string]func(ctx context.Context, turn *Turn, k int) (Pending, error){
		OpReset: func(ctx context.Context, turn *Turn, k int) (Pending, error) {
			return turn.Reset(ctx, "i", []string{"postgres", "redis"}[k])
		},
		OpRestore: func(ctx context.Context, turn *Turn, k int) (Pending, error) {
			return turn.Restore(ctx, "i", fmt.Sprint("b-", k))
		},
		OpRotate: func(ctx context.Context, turn *Turn, _ int) (Pending, error) { return turn.Rotate(ctx) },
		OpEngineRestart: func(ctx context.Context, turn *Turn, k int) (Pending, error) {
			return turn.RestartEngine(ctx, []string{"postgres", "redis"}[k])
		},
	} {
		for _, lag := range []time.Duration{0, 3 * time.Second, 10 * time.Second, 14 * time.Second} {
			for _, quiet := range []bool{false, true} {
				synctest.Test(t, func(t *testing.T) {
					s := newActionService(&actionService{lag: lag, quiet: quiet, answers: []lostPOST{{202, 0}, {502, never}}})
					c, _ := newTestClient(t, s.serve)
					turn := enter(t, c)
					ctx := within(t, time.Hour)
					err := turn.Do(ctx, name, func(ctx context.Context) (Pending, error) { return act(ctx, turn, 0) })
					if err != nil && !quiet {
						t.Fatalf("%s, a lag of %s: got error %v, want none", name, lag, err)
					}
					if quiet && err != nil {
						return // its 202 named no job, and it appeared later than reads may lag
					}
					if pending, err := act(ctx, turn, 1); !transport.OutcomeUnknown(err) {
						t.Errorf("%s, a lag of %s: got %+v and error %v, want an unknown outcome, as the second was never carried out", name, lag, pending, err)
					}
					if s.posts != 2 {
						t.Errorf("POSTs: got %d, want 2", s.posts)
					}
				})
			}
		}
	}
}

func TestNewActivity(t *testing.T) {
	at := func(second int, kind, detail string) Activity {
		return Activity{At: Time{time.Date(2026, 1, 1, 0, 0, second, 0, time.UTC)}, Type: kind, Detail: detail}
	}
	old := []Activity{at(1, "rotate", ""), at(1, "rotate", ""), at(0, "reset", "redis")}
	for name, row := range map[string]struct {
		now  []Activity
		want bool
	}{
		"nothing new":             {old, false},
		"a third of that second":  {append([]Activity{at(1, "rotate", "")}, old...), true},
		"a later one":             {append([]Activity{at(2, "rotate", "")}, old...), true},
		"one with another detail": {append([]Activity{at(1, "rotate", "x")}, old...), true},
		"one of another kind":     {append([]Activity{at(2, "reset", "redis")}, old...), false},
		"older ones dropped out":  {old[:1], false},
		"none at all":             {nil, false},
		"one without a time":      {append([]Activity{{Type: "rotate"}}, old...), true},
	} {
		before := baseline{activities: count(old)}
		if got := before.newActivity(OpRotate, row.now); got != row.want {
			t.Errorf("%s: got new activity %v, want %v", name, got, row.want)
		}
	}
}

// A new build proves a redeployment.
func TestRedeployIsProvedByItsBuild(t *testing.T) {
	for name, row := range map[string]struct {
		answer http.HandlerFunc
		builds []object // after it
		build  string
		unsure bool
	}{
		"answered":             {says(202, object{"job_id": "j-1", "build_id": "b-2"}), nil, "b-2", false},
		"lost, a new build":    {gateway(502), []object{{"id": "b-2"}, {"id": "b-1"}}, "b-2", false},
		"lost, two new builds": {gateway(502), []object{{"id": "b-3"}, {"id": "b-2"}, {"id": "b-1"}}, "b-3", false},
		"lost, none":           {gateway(502), []object{{"id": "b-1"}}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				builds := []object{{"id": "b-1"}}
				c, wire := newTestClient(t, script{
					"POST /instances/i/apps/a/actions/redeploy": func(w http.ResponseWriter, r *http.Request) {
						builds = row.builds
						row.answer(w, r)
					},
					"GET /instances/i": says(200, object{"id": "i"}),
					"GET /instances/i/apps/a/builds": func(w http.ResponseWriter, _ *http.Request) {
						respond(w, 200, object{"builds": builds})
					},
				}.Serve)
				pending, err := enter(t, c).RedeployApp(t.Context(), "a")
				if transport.OutcomeUnknown(err) != row.unsure || !row.unsure && (err != nil || pending.BuildID != row.build) {
					t.Errorf("RedeployApp: got %+v and error %v, want build %q, or an unknown outcome: %t", pending, err, row.build, row.unsure)
				}
				if n := wire.Count("POST"); n != 1 {
					t.Errorf("POSTs: got %d, want 1", n)
				}
			})
		})
	}
}

// A running job may belong to another client, with a different operation or target.
func TestJobOfSomebodyElseProvesNothing(t *testing.T) {
	for name, job := range map[string]object{
		"another kind":   {"operation": "resize"},
		"another engine": {"operation": "engine_restart", "target": "engines/postgres"},
	} {
		synctest.Test(t, func(t *testing.T) {
			sent := false
			job["id"], job["status"] = "j-1", "running"
			c, _ := newTestClient(t, script{
				"POST /instances/i/engines/redis/actions/restart": func(w http.ResponseWriter, _ *http.Request) {
					sent = true
					gatewayPage(w, 504)
				},
				"GET /instances/i": func(w http.ResponseWriter, _ *http.Request) {
					record := object{"id": "i", "job_id": nil}
					if sent {
						record["job_id"] = "j-1"
					}
					respond(w, 200, record)
				},
				"GET /jobs/j-1": says(200, job),
			}.Serve)
			if pending, err := enter(t, c).RestartEngine(t.Context(), "redis"); !transport.OutcomeUnknown(err) {
				t.Errorf("%s: got %+v and error %v, want an unknown outcome", name, pending, err)
			}
		})
	}
}

// If the baseline cannot be read, nothing is sent.
func TestActionNeedsItsBaseline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, wire := newTestClient(t, gateway(404))
		if _, err := enter(t, c).Rotate(t.Context()); !errors.Is(err, transport.ErrForeign) || transport.OutcomeUnknown(err) {
			t.Errorf("Rotate: got error %v, want ErrForeign with a known outcome", err)
		}
		if n := wire.Count("POST"); n != 0 {
			t.Errorf("POSTs: got %d, want none", n)
		}
	})
}

func TestProofOutlivesAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newActionService(&actionService{answers: []lostPOST{{dropped, 0}}})
		var sent time.Time
		c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPost && !sent.IsZero() && time.Since(sent) < time.Minute {
				gatewayPage(w, 404)
				return
			}
			if r.Method == http.MethodPost {
				sent = time.Now()
			}
			s.serve(w, r)
		})
		if pending, err := enter(t, c).Rotate(t.Context()); err != nil || pending != NothingPending() {
			t.Errorf("Rotate: got %+v and error %v, want nothing pending", pending, err)
		}
	})
}

func TestQueryIsNeverSentTwice(t *testing.T) {
	for _, status := range []int{dropped, brokenOff, truncated, 500, 502, 503, 504, 404} {
		synctest.Test(t, func(t *testing.T) {
			c, wire := newTestClient(t, gateway(status))
			err := enter(t, c).Query(t.Context(), "", "DELETE FROM t")
			if !transport.OutcomeUnknown(err) || !strings.Contains(err.Error(), "it is unknown whether the service carried it out") {
				t.Errorf("Query: got error %v, want an unknown outcome", err)
			}
			if n := len(wire.Requests()); n != 1 {
				t.Errorf("requests: got %d, want 1", n)
			}
		})
	}
}

// Another process runs an action of the same kind, and the records lag. Only the refusal
// shows that something runs. Traces of that action that appear later do not prove an
// action whose answer was lost.
func TestActionBesideOneThatIsNotShownYet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		record := func(fields object) http.HandlerFunc {
			i := object{"id": "i", "status": "running"}
			for name, value := range fields {
				i[name] = value
			}
			return says(200, i)
		}
		theirs := object{"activity": []object{{"at": "2026-01-01T00:00:20Z", "type": "rotate", "detail": ""}}}
		busy := func(w http.ResponseWriter, _ *http.Request) { refuse(w, 409, "job_running") }
		const lag = 8 * time.Second
		c, wire := newTestClient(t, script{
			"POST /instances/i/actions/rotate": during(20*time.Second, busy, gateway(404)),
			"GET /instances/i":                 during(lag, record(nil), during(20*time.Second+lag, record(object{"job_id": "j-1"}), record(theirs))),
			"GET /jobs/j-1":                    during(20*time.Second+lag, jobIs("running", OpRotate), jobIs("done", OpRotate)),
		}.Serve)
		turn := enter(t, c)
		if pending, err := turn.Rotate(within(t, time.Hour)); !transport.OutcomeUnknown(err) {
			t.Errorf("Rotate: got %+v and error %v, want an unknown outcome, as it was never carried out\n%s", pending, err, strings.Join(wire.Requests(), "\n"))
		}
	})
}

// While a job is in progress, an action would be refused. It is not sent during the job,
// because traces of the job could otherwise prove an action whose answer was lost.
func TestActionBesideAnother(t *testing.T) {
	theirs := object{"activity": []object{{"at": "2026-01-01T00:00:20Z", "type": "rotate", "detail": ""}}}
	for name, row := range map[string]struct {
		status, after string // of the job that the record names; after 20 s
		operation     string
		waits         bool
	}{
		"in progress":       {"running", "done", OpRotate, true},
		"of a foreign kind": {"queued", "failed", OpAppUpdate, true},
		"ended":             {"done", "done", OpRotate, false},
		"failed":            {"failed", "failed", OpRotate, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var sent time.Duration
				begun := time.Now()
				named := object{"id": "i", "status": "running", "job_id": "j-1"}
				ended := object{"id": "i", "status": "running", "activity": theirs["activity"]}
				c, _ := newTestClient(t, script{
					"POST /instances/i/actions/rotate": func(w http.ResponseWriter, r *http.Request) {
						sent = time.Since(begun)
						gateway(404)(w, r)
					},
					"GET /instances/i": during(20*time.Second, says(200, named), says(200, ended)),
					"GET /jobs/j-1":    during(20*time.Second, jobIs(row.status, row.operation), jobIs(row.after, row.operation)),
				}.Serve)
				_, err := enter(t, c).Rotate(within(t, time.Hour))
				if waited := sent >= 20*time.Second; waited != row.waits || row.waits && !transport.OutcomeUnknown(err) {
					t.Errorf("Rotate: got a request after %s and error %v, want a wait for the job: %t", sent, err, row.waits)
				}
			})
		})
	}
}

// After another's resize, the record says whether this one is still to be made. If it cannot
// be read, the resize is not sent again.
func TestResizeWhoseRecordCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const job = 20 * time.Second
		busy := says(200, object{"id": "i", "status": "running", "plan": "small", "job_id": "j-1"})
		c, wire := newTestClient(t, script{
			"POST /instances/i/actions/resize": during(job, func(w http.ResponseWriter, _ *http.Request) { refuse(w, 409, "job_running") }, says(202, object{"job_id": "j-2"})),
			"GET /instances/i":                 during(job, busy, func(w http.ResponseWriter, _ *http.Request) { refuse(w, 403, "forbidden") }),
			"GET /jobs/j-1":                    during(job, jobIs("running", OpResize), jobIs("done", OpResize)),
		}.Serve)
		_, err := enter(t, c).Resize(within(t, time.Hour), "medium")
		if n := wire.Count("POST /instances/i/actions/resize"); err == nil || n != 1 {
			t.Errorf("got %d requests and error %v, want one request and an error", n, err)
		}
	})
}

// A replica answers with a record from before the baseline, which still names the job of
// an action that has ended. That job does not prove the next action.
func TestProofFromBeforeTheBaseline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		activity := []object{{"at": "2026-01-01T00:00:20Z", "type": "rotate", "detail": ""}, {"at": "2026-01-01T00:00:00Z", "type": "ready", "detail": ""}}
		current := says(200, object{"id": "i", "status": "running", "activity": activity})
		older := says(200, object{"id": "i", "status": "running", "job_id": "j-1", "activity": activity[1:]})
		c, wire := newTestClient(t, script{
			"POST /instances/i/actions/rotate": gateway(502),
			"GET /instances/i":                 inTurn(current, older, older, current),
			"GET /jobs/j-1":                    jobIs("done", OpRotate),
		}.Serve)
		if pending, err := enter(t, c).Rotate(within(t, time.Hour)); !transport.OutcomeUnknown(err) {
			t.Errorf("Rotate: got %+v and error %v, want an unknown outcome, as it was never carried out\n%s", pending, err, strings.Join(wire.Requests(), "\n"))
		}
	})
}

// A record is older than the baseline if it lacks the baseline's newest activity.
func TestOlderThanTheBaseline(t *testing.T) {
	at := func(minute int) Time { return Time{Time: time.Date(2026, 1, 2, 3, minute, 0, 0, time.UTC)} }
	first, second, third := Activity{Type: "create", At: at(1)}, Activity{Type: "rotate", At: at(2)}, Activity{Type: "rotate", At: at(3)}
	for name, row := range map[string]struct {
		before, now []Activity
		want        bool
	}{
		"the same":                    {[]Activity{first, second}, []Activity{first, second}, false},
		"it lacks the newest":         {[]Activity{first, second}, []Activity{first}, true},
		"it lacks an older one":       {[]Activity{first, second}, []Activity{second}, false},
		"it has a newer one":          {[]Activity{first, second}, []Activity{first, second, third}, false},
		"it lacks one of two":         {[]Activity{second, second}, []Activity{second}, true},
		"none before":                 {nil, []Activity{first}, false},
		"none at all":                 {nil, nil, false},
		"none any more":               {[]Activity{first}, nil, true},
		"the newest is not the last":  {[]Activity{third, first}, []Activity{first}, true},
		"the newest is not the first": {[]Activity{first, third}, []Activity{first}, true},
	} {
		for range 10 { // the order in a map changes
			if got := (baseline{activities: count(row.before)}).isOlder(Instance{Activity: row.now}); got != row.want {
				t.Fatalf("%s: got %v, want %v", name, got, row.want)
			}
		}
	}
}
