package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A deletion is done once its instance is confirmed gone, regardless of the answers in
// between.
func TestDeletion(t *testing.T) {
	const path = "DELETE /instances/i"
	running := says(200, object{"id": "i", "status": "running"})
	deleting := says(200, object{"id": "i", "status": "deleting", "job_id": "j-1"})
	unnamed := says(200, object{"id": "i", "status": "deleting"})
	busy := func(w http.ResponseWriter, _ *http.Request) { refuse(w, 409, "job_running") }
	accepted := says(202, object{"job_id": "j-1"})
	gone := func(after time.Duration, before http.HandlerFunc) func() http.HandlerFunc {
		return func() http.HandlerFunc { return during(after, before, notFound) }
	}
	other := func(status string) http.HandlerFunc {
		return says(200, object{"id": "j-2", "status": status, "operation": OpRotate})
	}
	const some = -1 // as many as the pauses between them allow
	always := func(h http.HandlerFunc) func() http.HandlerFunc { return func() http.HandlerFunc { return h } }
	for name, row := range map[string]struct {
		remove   func() http.HandlerFunc
		instance func() http.HandlerFunc
		job      func() http.HandlerFunc
		err      error
		takes    time.Duration
		removes  int
	}{
		"as usual": {always(accepted), gone(30*time.Second, running), gone(30*time.Second, jobIs("running", OpDelete)), nil, 30 * time.Second, 1},
		"its job stays and says done": {always(accepted), gone(30*time.Second, running), func() http.HandlerFunc {
			return during(30*time.Second, jobIs("running", OpDelete), jobIs("done", OpDelete))
		}, nil, 30 * time.Second, 1},
		"gone before":            {always(notFound), always(notFound), always(notFound), nil, absencePause, 0},
		"a gateway's 404 before": {always(notFound), always(gateway(404)), always(notFound), transport.ErrForeign, 0, 0},
		"a gateway's 404 to it":  {always(gateway(404)), always(running), always(notFound), transport.ErrForeign, 0, 4},
		"a gateway's 404 for 20 s, after": {always(accepted), func() http.HandlerFunc {
			return inTurn(running, during(20*time.Second, gateway(404), during(20*time.Second, running, notFound)))
		}, func() http.HandlerFunc {
			return during(20*time.Second, gateway(404), during(40*time.Second, jobIs("running", OpDelete), notFound))
		}, nil, 40 * time.Second, 1},
		"deleting, its job named":                                    {always(busy), gone(30*time.Second, deleting), gone(30*time.Second, jobIs("running", OpDelete)), nil, 30 * time.Second, some},
		"deleting, and no job at work":                               {always(accepted), gone(30*time.Second, unnamed), gone(30*time.Second, jobIs("running", OpDelete)), nil, 30 * time.Second, 1},
		"deleting, no job named, and the service says that one runs": {always(busy), gone(40*time.Second, unnamed), always(notFound), nil, 40 * time.Second, some},
		"deleting, and refused as invalid":                           {always(func(w http.ResponseWriter, _ *http.Request) { refuse(w, 400, "invalid_request") }), gone(40*time.Second, unnamed), always(notFound), nil, 40 * time.Second, 1},
		"deleting, and refused with a code of its own":               {always(func(w http.ResponseWriter, _ *http.Request) { refuse(w, 409, "already_deleting") }), gone(40*time.Second, unnamed), always(notFound), nil, 40 * time.Second, some},
		"deleting, and the key is refused":                           {always(func(w http.ResponseWriter, _ *http.Request) { refuse(w, 403, "forbidden") }), always(unnamed), always(notFound), ErrForbidden, 0, 1},
		"deleting, another job at work": {func() http.HandlerFunc { return inTurn(busy, accepted) }, func() http.HandlerFunc {
			return during(20*time.Second, says(200, object{"id": "i", "status": "deleting", "job_id": "j-2"}), during(60*time.Second, unnamed, notFound))
		}, gone(60*time.Second, jobIs("running", OpDelete)), nil, 60 * time.Second, 2},
		"accepted without a job":                      {always(says(202, object{})), func() http.HandlerFunc { return inTurn(running, during(30*time.Second, unnamed, notFound)) }, always(notFound), nil, 30 * time.Second, 1},
		"accepted without a job, it stays":            {always(says(202, object{})), always(running), always(notFound), &NoProofError{}, missingJobGrace, 1},
		"somebody else deletes it":                    {func() http.HandlerFunc { return inTurn(busy, notFound) }, func() http.HandlerFunc { return inTurn(running, during(30*time.Second, deleting, notFound)) }, gone(30*time.Second, jobIs("running", OpDelete)), nil, 30 * time.Second, 2},
		"gone while it was refused":                   {func() http.HandlerFunc { return inTurn(busy, notFound) }, func() http.HandlerFunc { return inTurn(running, notFound) }, always(notFound), nil, absencePause, 2},
		"404 to it, the instance there":               {always(notFound), always(running), always(notFound), ErrNotFound, shortPatience, 1},
		"its answer is lost":                          {func() http.HandlerFunc { return inTurn(gateway(504), notFound) }, func() http.HandlerFunc { return inTurn(running, during(30*time.Second, deleting, notFound)) }, gone(30*time.Second, jobIs("running", OpDelete)), nil, 30 * time.Second, 2},
		"its answer is lost, and it was done at once": {func() http.HandlerFunc { return inTurn(gateway(504), notFound) }, gone(8*time.Second, running), always(notFound), nil, 8*time.Second + absencePause, 2},
		"its job fails":                               {always(accepted), always(running), always(jobIs("failed", OpDelete)), &JobError{}, 0, 1},
	} {
		inBubble(t, name, func(t *testing.T) {
			c, wire := newTestClient(t, script{path: row.remove(), "GET /instances/i": row.instance(), "GET /jobs/j-1": row.job(), "GET /jobs/j-2": during(20*time.Second, other("running"), other("done")), "GET /instances": says(200, []object{})}.Serve)
			turn := enter(t, c)
			begun := time.Now()
			err := turn.Do(within(t, 20*time.Minute), OpDelete, func(ctx context.Context) (Pending, error) { return turn.Delete(ctx, nil) })
			took := time.Since(begun)
			switch want := row.err.(type) {
			case nil:
				if err != nil {
					t.Error(err)
				}
			case *NoProofError:
				if !isAs[*NoProofError](err) {
					t.Errorf("the deletion: got error %v, want a *NoProofError", err)
				}
			case *JobError:
				if !isAs[*JobError](err) {
					t.Errorf("the deletion: got error %v, want a *JobError", err)
				}
			default:
				if !errors.Is(err, want) {
					t.Errorf("the deletion: got error %v, want %v", err, want)
				}
			}
			if took < row.takes || took > row.takes+row.takes/4+45*time.Second {
				t.Errorf("the deletion: got an end after %s, want one from %s to %s", took, row.takes, row.takes+row.takes/4+45*time.Second)
			}
			if n := wire.Count("DELETE"); n != row.removes && (row.removes != some || n == 0) {
				t.Errorf("DELETEs: got %d, want %d (%d stands for one or more)", n, row.removes, some)
			}
		})
	}
}

// The guard is called before each request, because a job that the deletion waited for
// may have created something that must not be deleted.
func TestDeletionIsPermittedBeforeEachRequest(t *testing.T) {
	errNoMore := errors.New("no more")
	for name, row := range map[string]struct {
		send    func(context.Context, *Turn, DeleteGuard) (Pending, error)
		address string
	}{
		"instance": {func(ctx context.Context, turn *Turn, p DeleteGuard) (Pending, error) { return turn.Delete(ctx, p) }, "/instances/i"},
		"app": {func(ctx context.Context, turn *Turn, p DeleteGuard) (Pending, error) {
			return turn.DeleteApp(ctx, "a", p)
		}, "/instances/i/apps/a"},
		"database": {func(ctx context.Context, turn *Turn, p DeleteGuard) (Pending, error) {
			return turn.DropDatabase(ctx, "d", p)
		}, "/instances/i/postgres/databases/d"},
	} {
		for permitted, want := range map[int]error{0: errNoMore, 1: errNoMore, 2: nil} {
			inBubble(t, fmt.Sprint(name, " permitted ", permitted, " times"), func(t *testing.T) {
				busy := func(w http.ResponseWriter, _ *http.Request) { refuse(w, 409, "job_running") }
				c, wire := newTestClient(t, script{
					"DELETE " + row.address: inTurn(busy, says(202, object{"job_id": "j-own"})),
					"GET /instances/i":      says(200, object{"id": "i", "status": "running"}),
				}.Serve)
				turn := enter(t, c)
				defer turn.Leave()
				asked := 0
				_, err := row.send(t.Context(), turn, func(context.Context) error {
					if asked++; asked > permitted {
						return errNoMore
					}
					return nil
				})
				if sent := strings.Count(strings.Join(wire.Requests(), "\n"), "DELETE"); !errors.Is(err, want) || sent != permitted {
					t.Errorf("the deletion: got error %v after %d DELETEs, want %v after %d", err, sent, want, permitted)
				}
			})
		}
	}
}

// A deletion whose answer names no job is done once the absence is confirmed.
func TestDeletionWithoutAJob(t *testing.T) {
	for name, gone := range map[string]bool{"it goes": true, "it stays": false} {
		synctest.Test(t, func(t *testing.T) {
			dropped := false
			c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
				list := []object{{"name": "e", "database": "d"}}
				switch {
				case r.Method == http.MethodDelete:
					dropped = gone
					respond(w, 202, object{})
				case strings.HasSuffix(r.URL.Path, "/extensions") && dropped:
					respond(w, 200, object{"extensions": []object{}})
				case strings.HasSuffix(r.URL.Path, "/extensions"):
					respond(w, 200, object{"extensions": list})
				default:
					respond(w, 200, object{"id": "i", "status": "running"})
				}
			})
			must.Get(c.RefreshExtension(t.Context(), "i", "d", "e"))(t)
			pending, err := enter(t, c).DropExtension(within(t, time.Hour), "d", "e")
			if gone && (err != nil || pending != NothingPending()) || !gone && !isAs[*NoProofError](err) {
				t.Errorf("%s: got %+v and error %v, want nothing pending if it is gone, and otherwise a *NoProofError", name, pending, err)
			}
		})
	}
}

// An instance whose record cannot be read can still be deleted.
func TestDeletionOfAnUnreadableInstance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, wire := newTestClient(t, script{
			"GET /instances/i":    says(200, object{"id": "i", "engines": object{"redis": object{"memory_mb": "much"}}}),
			"DELETE /instances/i": says(202, object{"job_id": "j-1"}),
			"GET /jobs/j-1":       jobIs("done", OpDelete),
		}.Serve)
		turn := enter(t, c)
		err := turn.Do(t.Context(), OpDelete, func(ctx context.Context) (Pending, error) { return turn.Delete(ctx, nil) })
		if err != nil || wire.Count("DELETE") != 1 {
			t.Errorf("the deletion: got error %v after %d DELETEs, want none after one", err, wire.Count("DELETE"))
		}
	})
}
