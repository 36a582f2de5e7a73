package client

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// The result of a resize is visible: the record's plan. A resize is sent again only if the
// record does not show it.
func TestResizeIsFoundInTheRecord(t *testing.T) {
	record := func(plan string, job any) http.HandlerFunc {
		return says(200, object{"id": "i", "status": "running", "plan": plan, "job_id": job})
	}
	// Times count from the creation of a handler, in the fake time of the test.
	always := func(h http.HandlerFunc) func() http.HandlerFunc { return func() http.HandlerFunc { return h } }
	resizing := func() http.HandlerFunc {
		return during(60*time.Second, record("small", "j-1"), record("large", nil))
	}
	resized := func() http.HandlerFunc {
		return during(60*time.Second, jobIs("running", OpResize), jobIs("done", OpResize))
	}
	busy := func(w http.ResponseWriter, _ *http.Request) { refuse(w, 409, "job_running") }
	for name, row := range map[string]struct {
		post          http.HandlerFunc
		instance, job func() http.HandlerFunc
		pending       Pending
		unknown       bool
		posts         int
	}{
		"answered":                    {says(202, object{"job_id": "j-1"}), resizing, always(notFound), Pending{JobID: "j-1"}, false, 1},
		"lost, its job is named":      {gateway(504), resizing, resized, NothingPending(), false, 1},
		"lost, and it is done":        {gateway(504), always(record("large", nil)), always(notFound), NothingPending(), false, 1},
		"lost, and not carried out":   {inTurn(gateway(504), says(202, object{"job_id": "j-1"})), always(record("small", nil)), always(notFound), Pending{JobID: "j-1"}, false, 2},
		"lost, and never carried out": {gateway(504), always(record("small", nil)), always(notFound), Pending{}, true, 4},
		"somebody else resizes it":    {busy, resizing, resized, NothingPending(), false, 1},
	} {
		inBubble(t, name, func(t *testing.T) {
			c, wire := newTestClient(t, script{"POST /instances/i/actions/resize": row.post, "GET /instances/i": row.instance(), "GET /jobs/j-1": row.job()}.Serve)
			pending, err := enter(t, c).Resize(within(t, time.Hour), "large")
			if transport.OutcomeUnknown(err) != row.unknown || !row.unknown && (err != nil || pending != row.pending) {
				t.Errorf("Resize: got %+v and error %v, want %+v, or an unknown outcome: %t", pending, err, row.pending, row.unknown)
			}
			if n := wire.Count("POST"); n != row.posts {
				t.Errorf("POSTs: got %d, want %d", n, row.posts)
			}
		})
	}
}

// A build that did not exist before the first request belongs to the caller.
func TestRebuildIsProvedByItsBuild(t *testing.T) {
	busy := func(w http.ResponseWriter, _ *http.Request) { refuse(w, 409, "job_running") }
	for name, row := range map[string]struct {
		post    http.HandlerFunc
		builds  []object
		build   string
		unknown bool
	}{
		"answered":                   {says(202, object{"job_id": "j-2", "build_id": "b-2"}), nil, "b-2", false},
		"lost, a new build":          {gateway(502), []object{{"id": "b-2"}, {"id": "b-1"}}, "b-2", false},
		"lost, none":                 {gateway(502), []object{{"id": "b-1"}}, "", true},
		"an earlier one is at work":  {busy, []object{{"id": "b-2"}, {"id": "b-1"}}, "", false},
		"another job, then answered": {inTurn(busy, says(202, object{"job_id": "j-2", "build_id": "b-2"})), []object{{"id": "b-1"}}, "b-2", false},
	} {
		inBubble(t, name, func(t *testing.T) {
			job := object{"id": "j-1", "status": "done", "operation": OpAppRedeploy, "target": "apps/a"}
			c, _ := newTestClient(t, script{
				"POST /instances/i/apps/a/actions/redeploy": row.post,
				"GET /instances/i":                          says(200, object{"id": "i", "status": "running", "job_id": "j-1"}),
				"GET /jobs/j-1":                             says(200, job),
				"GET /instances/i/apps/a/builds":            says(200, object{"builds": row.builds}),
			}.Serve)
			pending, err := enter(t, c).RebuildApp(within(t, time.Hour), "a", map[string]bool{"b-1": true})
			if transport.OutcomeUnknown(err) != row.unknown || !row.unknown && (err != nil || pending.BuildID != row.build) {
				t.Errorf("RebuildApp: got %+v and error %v, want build %q, or an unknown outcome: %t", pending, err, row.build, row.unknown)
			}
		})
	}
}

// An instance is idle once the job named by its record is over according to the job's own
// record, whatever its outcome.
func TestAwaitIdle(t *testing.T) {
	named := says(200, object{"id": "i", "status": "running", "job_id": "j-1"})
	idle := says(200, object{"id": "i", "status": "running", "job_id": nil})
	unpaid := says(200, object{"id": "i", "status": "creating", "checkout_url": "https://pay.example", "job_id": "j-1"})
	always := func(h http.HandlerFunc) func() http.HandlerFunc { return func() http.HandlerFunc { return h } }
	at20 := func(before, after http.HandlerFunc) func() http.HandlerFunc {
		return func() http.HandlerFunc { return during(20*time.Second, before, after) }
	}
	for name, row := range map[string]struct {
		instance, job func() http.HandlerFunc
		takes         time.Duration
		waited        bool
		err           any
	}{
		"no job":                        {always(idle), always(notFound), 0, false, nil},
		"a job at work":                 {at20(named, idle), at20(jobIs("running", OpResize), jobIs("done", OpResize)), 20 * time.Second, true, nil},
		"a job that fails":              {at20(named, idle), at20(jobIs("running", OpResize), jobIs("failed", OpResize)), 20 * time.Second, true, nil},
		"a job that a replica names":    {always(named), always(jobIs("done", OpResize)), 0, true, nil},
		"a job that nobody knows":       {always(named), always(notFound), missingJobGrace, true, nil},
		"a checkout that is open":       {always(unpaid), always(jobIs("queued", OpCreate)), 0, false, &CheckoutError{}},
		"an instance that is not there": {always(notFound), always(notFound), 0, false, &transport.APIError{}},
	} {
		inBubble(t, name, func(t *testing.T) {
			c, _ := newTestClient(t, script{"GET /instances/i": row.instance(), "GET /jobs/j-1": row.job()}.Serve)
			begun := time.Now()
			_, waited, err := enter(t, c).AwaitIdle(within(t, time.Hour))
			switch row.err.(type) {
			case nil:
				if err != nil || waited != row.waited {
					t.Errorf("AwaitIdle: got waited %t and error %v, want %t and none", waited, err, row.waited)
				}
			case *CheckoutError:
				if !isAs[*CheckoutError](err) {
					t.Errorf("AwaitIdle: got error %v, want a *CheckoutError", err)
				}
			default:
				if !isAs[*transport.APIError](err) {
					t.Errorf("AwaitIdle: got error %v, want an *APIError", err)
				}
			}
			if took := time.Since(begun); took < row.takes || took > 2*row.takes+15*time.Second {
				t.Errorf("AwaitIdle: got an end after %s, want one from %s to %s", took, row.takes, 2*row.takes+15*time.Second)
			}
		})
	}
}

func TestAccountID(t *testing.T) {
	me := says(200, object{"id": "acc-1", "email": "a@example.com"})
	for name, row := range map[string]struct {
		me       http.HandlerFunc
		id       string
		fails    bool
		requests int
	}{
		"read once":             {me, "acc-1", false, 1},
		"told none":             {says(200, object{"email": "a@example.com"}), "", false, 1},
		"the first one failed":  {inTurn(gateway(502), me), "acc-1", false, 2},
		"it cannot be read":     {gateway(403), "", true, 2},
		"somebody else's page":  {says(200, object{"status": "ok"}), "", true, 2},
		"the service's 404":     {notFound, "", true, 2},
		"no answer of any kind": {gateway(404), "", true, 5},
	} {
		inBubble(t, name, func(t *testing.T) {
			c, wire := newTestClient(t, script{"GET /me": row.me}.Serve)
			if _, known := c.KnownAccountID(); known {
				t.Error("KnownAccountID: got a known account ID before it was read, want an unknown one")
			}
			for range 3 {
				c.StartReadingAccountID(t.Context())
			}
			id, err := c.AccountID(t.Context())
			if id != row.id || (err != nil) != row.fails {
				t.Errorf("AccountID: got %q and error %v, want %q, or an error: %t", id, err, row.id, row.fails)
			}
			if known, ok := c.KnownAccountID(); ok == row.fails || known != row.id {
				t.Errorf("KnownAccountID: got %q, %t, want %q, %t", known, ok, row.id, !row.fails)
			}
			if n := wire.Count("GET"); n != row.requests {
				t.Errorf("requests: got %d, want %d", n, row.requests)
			}
		})
	}
}

// While the account cannot be read, not every caller waits for the retries.
func TestAccountIDThatCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := gateway(404)
		c, wire := newTestClient(t, func(w http.ResponseWriter, r *http.Request) { answer(w, r) })
		ask := func(requests int) {
			t.Helper()
			for range 3 {
				_, err := c.AccountID(t.Context())
				if _, known := c.RetryAccountID(t.Context()); known || !errors.Is(err, transport.ErrForeign) {
					t.Errorf("AccountID: got error %v and known %t, want ErrForeign and an unknown one", err, known)
				}
			}
			if n := wire.Count("GET"); n != requests {
				t.Errorf("requests: got %d, want %d", n, requests)
			}
		}
		ask(6) // the first attempt, the next one with its retries, and that of RetryAccountID
		ask(6)
		time.Sleep(snapshotAge)
		ask(11)
		time.Sleep(snapshotAge)
		answer = says(200, object{"id": "acc-1"})
		if id, err := c.AccountID(t.Context()); id != "acc-1" || err != nil {
			t.Errorf("AccountID: got %q and error %v, want acc-1 and none", id, err)
		}
	})
}

// No caller waits for an account whose path is closed: callers that need it fail
// immediately.
func TestAccountIDOfAClosedPath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			respond(w, 503, object{"code": "unavailable", "detail": "later"})
		})
		begun := time.Now()
		ctx, cancel := lifetime.WithTimeout(t.Context(), "create", 2*time.Hour)
		defer cancel()
		_, err := c.AccountID(ctx)
		if took := time.Since(begun); !errors.Is(err, ErrUnavailable) || took > time.Minute {
			t.Errorf("AccountID: got error %v after %s, want ErrUnavailable within a minute", err, took)
		}
	})
}

// A caller whose context has ended does not wait for the account.
func TestAccountIDOfACallerWhoLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := make(chan struct{})
		c, _ := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) {
			<-slow
			respond(w, 200, object{"id": "acc-1"})
		})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, known := c.WaitForAccountID(ctx); known {
			t.Error("WaitForAccountID: got a known account ID before it was read, want an unknown one")
		}
		close(slow)
		if id, known := c.WaitForAccountID(t.Context()); id != "acc-1" || !known {
			t.Errorf("WaitForAccountID: got %q, %t, want acc-1, true", id, known)
		}
	})
}

func TestOrigin(t *testing.T) {
	for base, want := range map[string]string{
		"https://hosting.example/api/v1":        "https://hosting.example",
		"https://Hosting.Example:443/api/v1":    "https://hosting.example",
		"https://hosting.example:8443/x/api/v1": "https://hosting.example:8443",
		"http://127.0.0.1:8090/api/v1":          "http://127.0.0.1:8090",
		"http://localhost:80/api/v1":            "http://localhost",
	} {
		c := must.Get(New(Options{BaseURL: base, APIKey: "key"}))(t)
		if got := c.Origin(); got != want {
			t.Errorf("the origin of %s: got %s, want %s", base, got, want)
		}
	}
}
