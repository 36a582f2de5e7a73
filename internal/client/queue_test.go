package client

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func contains(text, part string) bool { return strings.Contains(text, part) }

func TestQueueIsFirstInFirstOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestClient(t, nil)
		first, err := c.Enter(t.Context(), "i")
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var order []int
		for n := range 10 {
			go func() {
				turn, err := c.Enter(t.Context(), "i")
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				order = append(order, n)
				mu.Unlock()
				turn.Leave()
				turn.Leave() // leaving twice gives no second turn away
			}()
			synctest.Wait()
		}
		other, err := c.Enter(t.Context(), "another")
		if err != nil {
			t.Fatal(err)
		}
		other.Leave()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.Enter(ctx, "i"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want to give up with the context", err)
		}
		first.Leave()
		synctest.Wait()
		for n, got := range order {
			if n != got {
				t.Fatalf("order %v", order)
			}
		}
		if len(order) != 10 {
			t.Errorf("%d turns, want 10", len(order))
		}
	})
}

func TestForeignJobs(t *testing.T) {
	type reply struct {
		status int
		body   object
	}
	busy := reply{409, object{"code": "job_running"}}
	strange := reply{409, object{"code": "whatever"}}
	accepted := reply{202, object{"job_id": "j-own"}}
	rows := map[string]struct {
		puts     []reply
		instance object
		job      string // the foreign job's end
		err      error
		log      string
	}{
		"waited for and sent again": {
			[]reply{busy, accepted}, object{"job_id": "j-1"}, "done", nil,
			"PUT /instances/i/allowlist, GET /instances/i, GET /jobs/j-1, PUT /instances/i/allowlist",
		},
		"its failure is not ours": {
			[]reply{busy, accepted}, object{"job_id": "j-1"}, "failed", nil,
			"PUT /instances/i/allowlist, GET /instances/i, GET /jobs/j-1, PUT /instances/i/allowlist",
		},
		"ended in between": {
			[]reply{busy, accepted}, object{"job_id": nil}, "", nil,
			"PUT /instances/i/allowlist, GET /instances/i, PUT /instances/i/allowlist",
		},
		"an unknown code with a job named": {
			[]reply{strange, accepted}, object{"job_id": "j-1"}, "done", nil,
			"PUT /instances/i/allowlist, GET /instances/i, GET /jobs/j-1, PUT /instances/i/allowlist",
		},
		"an unknown code and no job": {
			[]reply{strange}, object{"job_id": nil}, "", &APIError{},
			"PUT /instances/i/allowlist, GET /instances/i",
		},
		"already exists": {
			[]reply{{409, object{"code": "already_exists"}}}, nil, "", ErrAlreadyExists,
			"PUT /instances/i/allowlist",
		},
		"its checkout is open": {
			[]reply{busy}, object{"job_id": "j-1", "checkout_url": "https://pay.example"}, "", &CheckoutError{},
			"PUT /instances/i/allowlist, GET /instances/i",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, transport := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
					switch {
					case r.Method == http.MethodPut:
						respond(w, row.puts[0].status, row.puts[0].body)
						row.puts = row.puts[1:]
					case r.URL.Path == "/api/v1/instances/i":
						respond(w, 200, row.instance)
					default:
						respond(w, 200, object{"id": "j-1", "status": row.job})
					}
				})
				turn, err := c.Enter(t.Context(), "i")
				if err != nil {
					t.Fatal(err)
				}
				defer turn.Leave()
				pending, err := turn.SetAllowlist(t.Context(), nil)
				switch want := row.err.(type) {
				case nil:
					if err != nil || pending.JobID != "j-own" {
						t.Errorf("%+v, %v", pending, err)
					}
				case *APIError:
					if !errors.As(err, &want) {
						t.Errorf("%v", err)
					}
				case *CheckoutError:
					if !errors.As(err, &want) || want.URL != "https://pay.example" {
						t.Errorf("%v", err)
					}
				default:
					if !errors.Is(err, row.err) {
						t.Errorf("%v", err)
					}
				}
				if got := strings.Join(transport.requests(), ", "); got != row.log {
					t.Errorf("requests\n%s\nwant\n%s", got, row.log)
				}
			})
		})
	}
}

func TestForeignJobThatNeverEndsIsLeftWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodPut:
				refuse(w, 409, "job_running")
			case r.URL.Path == "/api/v1/instances/i":
				respond(w, 200, object{"id": "i", "job_id": "j-1"})
			default:
				respond(w, 200, object{"id": "j-1", "operation": "resize", "status": "running"})
			}
		})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		turn, _ := c.Enter(ctx, "i")
		_, err := turn.SetAllowlist(ctx, nil)
		var interrupted *InterruptedError
		if !errors.As(err, &interrupted) || interrupted.JobID != "j-1" {
			t.Errorf("%v", err)
		}
	})
}
