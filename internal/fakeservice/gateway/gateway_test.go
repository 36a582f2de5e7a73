package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func TestStrike(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		w.get("/before")
		var seen []string
		w.Inject(gateway.Fault{Page: 502, Times: 3})
		w.SetFaultFunc(func(n int, r *http.Request) *gateway.Fault {
			seen = append(seen, fmt.Sprint(n, " ", r.Method, " ", r.URL.Path))
			if n == 2 {
				// The fields that select requests are ignored.
				return &gateway.Fault{Page: 404, Path: "/elsewhere", Skip: 7}
			}
			return nil
		})
		// If the FaultFunc takes a request from an injected fault, the fault acts on a later
		// request.
		equal(t, "statuses", w.statuses(5, "/things"), []int{502, 404, 502, 502, 201})
		equal(t, "seen", seen, []string{"1 GET /api/things", "2 GET /api/things", "3 GET /api/things", "4 GET /api/things", "5 GET /api/things"})

		w.SetFaultFunc(func(n int, _ *http.Request) *gateway.Fault { return &gateway.Fault{Page: 500 + n} })
		equal(t, "counted anew", w.statuses(2, "/things"), []int{501, 502})
		w.SetFaultFunc(nil)
		equal(t, "without", w.statuses(1, "/things"), []int{201})
	})
}

// Concurrent requests get distinct numbers and are seen one at a time, although one of them
// is held up.
func TestStrikeSeesRequestsInOrder(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		release := make(chan struct{})
		var numbers []int
		var inside atomic.Int32
		w.SetFaultFunc(func(n int, _ *http.Request) *gateway.Fault {
			if inside.Add(1) > 1 {
				t.Error("SetFaultFunc: got two concurrent calls, want one at a time")
			}
			defer inside.Add(-1)
			for range 100 {
				runtime.Gosched() // lets the others run
			}
			numbers = append(numbers, n)
			if n == 1 {
				return &gateway.Fault{Before: func() { <-release }}
			}
			return nil
		})
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { w.get("/things") })
		}
		synctest.Wait() // all but the first one are through
		equal(t, "served", len(w.noted()), 3*19)
		close(release)
		all.Wait()
		for i, n := range numbers {
			equal(t, "number", n, i+1)
		}
		equal(t, "requests", len(numbers), 20)
	})
}

func TestDateOffset(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		date := func(path string) time.Duration {
			at := must.Get(http.ParseTime(w.get(path).header.Get("Date")))(t)
			return time.Until(at)
		}
		equal(t, "right", date("/things"), 0)
		w.SetConditions(gateway.Conditions{DateOffset: 5 * time.Second})
		equal(t, "ahead", date("/things"), 5*time.Second)
		w.Inject(gateway.Fault{Page: 502})
		equal(t, "ahead on a page", date("/things"), 5*time.Second)
		w.SetConditions(gateway.Conditions{DateOffset: -time.Hour})
		equal(t, "behind", date("/things"), -time.Hour)
	})
}

func TestLag(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		seen := func(method string) string {
			w.noted()
			w.send(t.Context(), method, "/things", "")
			return strings.TrimPrefix(w.noted()[0], "0s service: "+method+" /api/things")
		}
		equal(t, "present", seen("GET"), "")
		w.SetConditions(gateway.Conditions{Lag: 10 * time.Second})
		equal(t, "a read", seen("GET"), "  as of 10s ago")
		equal(t, "a write", seen("PUT"), "")
		w.Inject(gateway.Fault{Lag: 3 * time.Second})
		equal(t, "one read", seen("GET"), "  as of 3s ago")
	})
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		w.SetConditions(gateway.Conditions{RateLimit: gateway.RateLimit{PerSecond: 0.4, Burst: 3}})
		burst := func() (statuses []int) {
			for range 5 {
				statuses = append(statuses, w.get("/things").status)
			}
			return statuses
		}
		equal(t, "a full bucket", burst(), []int{201, 201, 201, 429, 429})
		got := w.get("/things")
		equal(t, "envelope", got.text, `{"detail":"too many requests; try again in 3 s","code":"rate_limited"}`+"\n")
		equal(t, "Retry-After", got.header.Get("Retry-After"), "3")
		equal(t, "Content-Type", got.header.Get("Content-Type"), "application/json")
		time.Sleep(2500 * time.Millisecond)
		equal(t, "one token", burst(), []int{201, 429, 429, 429, 429})

		// The same limit keeps its bucket, even in combination with another condition.
		w.SetConditions(gateway.Conditions{Lag: time.Second, RateLimit: gateway.RateLimit{PerSecond: 0.4, Burst: 3}})
		equal(t, "an empty bucket", w.get("/things").status, 429)
		w.SetConditions(gateway.Conditions{})
		equal(t, "no limit", burst(), []int{201, 201, 201, 201, 201})
		equal(t, "served", strings.Count(strings.Join(w.noted(), "\n"), "service: "), 9)
	})
}

// Each request is delayed before it reaches the limit, and concurrent requests are delayed
// at the same time.
func TestLatency(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		w.SetConditions(gateway.Conditions{Latency: 20 * time.Millisecond, RateLimit: gateway.RateLimit{PerSecond: 1, Burst: 2}})
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				if got := w.get("/things"); got.status != http.StatusCreated || got.at != 20*time.Millisecond {
					t.Errorf("the answer: got status %d after %s, want %d after 20ms", got.status, got.at, http.StatusCreated)
				}
			})
		}
		all.Wait()
		limited := w.get("/things")
		equal(t, "status of the limited", limited.status, 429)
		equal(t, "time of the limited", limited.at, 40*time.Millisecond)
		w.noted()

		ctx, leave := context.WithTimeout(t.Context(), time.Millisecond)
		defer leave()
		w.send(ctx, "POST", "/things", "x")
		equal(t, "what reached the service of a client that left", strings.Contains(strings.Join(w.noted(), "\n"), "service: "), false)
	})
}

func TestAway(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		w.Away(3*time.Second, 503)
		equal(t, "pages", w.statuses(5, "/things"), []int{503, 503, 503, 201, 201})
		w.noted()

		w.Away(time.Minute, 0)
		if got := w.get("/things"); !errors.Is(got.err, gateway.ErrConnectionClosed) {
			t.Errorf("the client: got %+v, want the error %v", got, gateway.ErrConnectionClosed)
		}
		equal(t, "what happened", w.noted(), []string{"5s answered: GET  , faulted"})
		w.Away(0, 0)
		equal(t, "back", w.get("/things").status, 201)
	})
}

func TestLateRequests(t *testing.T) {
	t.Parallel()
	late := gateway.Fault{CommitAfter: time.Hour, Times: -1}
	t.Run("delivered", func(t *testing.T) {
		t.Parallel()
		in(t, func(t *testing.T, w *world) {
			w.Inject(late)
			w.send(t.Context(), "POST", "/things", "a")
			w.send(t.Context(), "POST", "/things", "b")
			w.noted()
			equal(t, "late", w.LateRequests(), 2)
			time.Sleep(time.Second)
			equal(t, "delivered", w.DeliverLate(), 2)
			equal(t, "left", w.LateRequests(), 0)
			notes := w.noted()
			slices.Sort(notes) // they arrive at the same time
			equal(t, "notes", notes, []string{
				"1s served: POST a Created", "1s served: POST b Created",
				"1s service: POST /api/things a", "1s service: POST /api/things b",
			})
			time.Sleep(2 * time.Hour)
			equal(t, "served twice", w.noted(), []string(nil))
		})
	})
	for name, forget := range map[string]func(*world){"reset": func(w *world) { w.Reset() }, "closed": func(w *world) { w.Close() }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in(t, func(t *testing.T, w *world) {
				w.Inject(late)
				w.send(t.Context(), "POST", "/things", "a")
				w.noted()
				forget(w)
				equal(t, "late", w.LateRequests(), 0)
				time.Sleep(2 * time.Hour)
				equal(t, "served", w.noted(), []string(nil))
			})
		})
	}
	t.Run("after closing", func(t *testing.T) {
		t.Parallel()
		in(t, func(t *testing.T, w *world) {
			w.Inject(late)
			w.Close()
			equal(t, "status", w.send(t.Context(), "POST", "/things", "a").status, 504)
			equal(t, "late", w.LateRequests(), 0)
		})
	})
}

func TestReset(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		w.Inject(gateway.Fault{Page: 404, Times: -1})
		w.SetFaultFunc(func(int, *http.Request) *gateway.Fault { return &gateway.Fault{Drop: true} })
		w.SetConditions(gateway.Conditions{Lag: time.Second, RateLimit: gateway.RateLimit{PerSecond: 1e-9}})
		w.Away(time.Hour, 503)
		w.Reset()
		equal(t, "statuses", w.statuses(3, "/things"), []int{201, 201, 201})
		equal(t, "conditions", w.Conditions(), gateway.Conditions{})
		equal(t, "lag", strings.Contains(strings.Join(w.noted(), "\n"), "ago"), false)
	})
}

// Close releases delayed requests, so that a server can stop.
func TestCloseEndsDelays(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		w.Inject(gateway.Fault{Delay: time.Hour, AfterCommit: true})
		time.AfterFunc(time.Second, w.Close)
		got := w.send(t.Context(), "POST", "/things", "x")
		equal(t, "status", got.status, 201)
		equal(t, "time", got.at, time.Second)
	})
}

// A body that exceeds the gateway's buffer reaches the service whole.
func TestLongBody(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		body := strings.Repeat("x", 5<<20)
		w.send(t.Context(), "POST", "/things", body)
		equal(t, "body", strings.HasSuffix(w.noted()[0], " "+body), true)
	})
}
