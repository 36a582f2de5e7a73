package client

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

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
		inBubble(t, name, func(t *testing.T) {
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
	}
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

// The outcome of an action is unknown if its answer was lost or names no job. It is sent
// again only after a refusal.
func TestActionsAreNeverSentAgain(t *testing.T) {
	busy := func(w http.ResponseWriter, _ *http.Request) { refuse(w, 409, "job_running") }
	accepted := says(202, object{"job_id": "j-2"})
	for name, row := range map[string]struct {
		post    []http.HandlerFunc
		job     string
		unknown bool // its answer was lost
		noJob   bool
	}{
		"answered":              {[]http.HandlerFunc{accepted}, "j-2", false, false},
		"a page of a gateway":   {[]http.HandlerFunc{gateway(504)}, "", true, false},
		"dropped":               {[]http.HandlerFunc{gateway(dropped)}, "", true, false},
		"no job is named":       {[]http.HandlerFunc{says(202, object{})}, "", false, true},
		"no answer of the kind": {[]http.HandlerFunc{says(202, object{"status": "ok"})}, "", false, true},
		"refused, then sent":    {[]http.HandlerFunc{busy, accepted}, "j-2", false, false},
		"refused, then lost":    {[]http.HandlerFunc{busy, gateway(502)}, "", true, false},
	} {
		for action, send := range map[string]func(context.Context, *Turn) (Pending, error){
			OpRotate:        func(ctx context.Context, turn *Turn) (Pending, error) { return turn.Rotate(ctx) },
			OpReset:         func(ctx context.Context, turn *Turn) (Pending, error) { return turn.Reset(ctx, "i", "redis") },
			OpRestore:       func(ctx context.Context, turn *Turn) (Pending, error) { return turn.Restore(ctx, "i", "b-1") },
			OpEngineRestart: func(ctx context.Context, turn *Turn) (Pending, error) { return turn.RestartEngine(ctx, "redis") },
			OpAppRestart:    func(ctx context.Context, turn *Turn) (Pending, error) { return turn.RestartApp(ctx, "web") },
		} {
			synctest.Test(t, func(t *testing.T) {
				posts := 0
				answer := inTurn(row.post...)
				c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
					if r.Method == http.MethodPost {
						posts++
						answer(w, r)
						return
					}
					respond(w, 200, object{"id": "i", "status": "running", "activity": []object{{"at": "2026-01-01T00:00:20Z", "type": action}}})
				})
				pending, err := send(within(t, time.Hour), enter(t, c))
				if pending.JobID != row.job || transport.OutcomeUnknown(err) != row.unknown || isAs[*NoProofError](err) != row.noJob || posts != len(row.post) {
					t.Errorf("%s, %s: got %+v and error %v after %d POSTs, want job %q after %d, outcome unknown: %t, *NoProofError: %t",
						action, name, pending, err, posts, row.job, len(row.post), row.unknown, row.noJob)
				}
			})
		}
	}
}
