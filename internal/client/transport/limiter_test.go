package transport

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
)

// A bucket allows a number of requests per second, and a burst of the same size.
type bucket struct {
	perSecond float64
	tells     bool // sends a Retry-After

	mu       sync.Mutex
	tokens   float64
	filledAt time.Time
	refusals int
	served   int
}

func newBucket(perSecond float64, tells bool) *bucket {
	return &bucket{perSecond: perSecond, tells: tells, tokens: perSecond, filledAt: time.Now()}
}

func (b *bucket) serve(w http.ResponseWriter, _ *http.Request) {
	time.Sleep(50 * time.Millisecond)
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.tokens = min(b.perSecond, b.tokens+b.perSecond*now.Sub(b.filledAt).Seconds())
	b.filledAt = now
	if b.tokens < 1 {
		b.refusals++
		if b.tells {
			w.Header().Set("Retry-After", "1")
		}
		refuse(w, 429, "rate_limited")
		return
	}
	b.tokens--
	b.served++
	respond(w, 200, object{"id": "me"})
}

// readMany reads a number of records with several workers for each client, and counts the
// failed reads.
func readMany(ctx context.Context, records, workers int, clients ...*Sender) (lost int64) {
	var all sync.WaitGroup
	var errs atomic.Int64
	for _, c := range clients {
		var next atomic.Int64
		for range workers {
			all.Go(func() {
				for next.Add(1) <= int64(records) {
					if err := readMe(ctx, c); err != nil {
						errs.Add(1)
					}
				}
			})
		}
	}
	all.Wait()
	return errs.Load()
}

func TestNothingIsLostUnderARateLimit(t *testing.T) {
	for _, row := range []struct {
		name                      string
		perSecond                 float64
		tells                     bool
		clients, workers, records int
		refusals                  int           // maximum
		takes                     time.Duration // maximum
	}{
		{"5 a second, 50 workers", 5, true, 1, 50, 500, 400, 180 * time.Second},
		{"5 a second, 10 workers", 5, true, 1, 10, 100, 100, 40 * time.Second},
		{"5 a second, without Retry-After", 5, false, 1, 50, 500, 100, 120 * time.Second},
		{"four share 50 a second", 50, true, 4, 50, 500, 1200, 60 * time.Second},
		{"one at a time would do", 1, true, 1, 10, 40, 120, 80 * time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				service := newBucket(row.perSecond, row.tells)
				clients := make([]*Sender, row.clients)
				for k := range clients {
					clients[k], _ = newTestSender(t, service.serve)
				}
				begun := time.Now()
				lost := readMany(t.Context(), row.records, row.workers, clients...)
				took := time.Since(begun)
				t.Logf("%d records, %d lost, %d answers 429, in %s", row.clients*row.records, lost, service.refusals, took.Round(time.Second))
				if lost > 0 || service.served != row.clients*row.records {
					t.Errorf("%d lost, %d served", lost, service.served)
				}
				if service.refusals > row.refusals || took > row.takes {
					t.Errorf("%d answers 429 in %s, want at most %d in %s", service.refusals, took, row.refusals, row.takes)
				}
			})
		})
	}
}

func TestRequestsPerSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, transport := newTestSender(t, says(200, object{"id": "me"}), func(o *Options) { o.RequestsPerSecond = 10 })
		begun := time.Now()
		if lost := readMany(t.Context(), 100, 20, c); lost > 0 {
			t.Errorf("%d lost", lost)
		}
		if took := time.Since(begun); took < 9900*time.Millisecond || took > 11*time.Second {
			t.Errorf("100 requests took %s", took)
		}
		for k := 11; k < len(transport.Times()); k++ {
			if gap := transport.Times()[k].Sub(transport.Times()[k-11]); gap < time.Second {
				t.Fatalf("12 requests within %s", gap)
			}
		}
	})
}

// If a deadline comes before a request's turn, the error is the end of the context.
func TestRequestsPerSecondWithADeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestSender(t, says(200, object{"id": "me"}), func(o *Options) { o.RequestsPerSecond = 0.1 })
		if err := readMe(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if err := readMe(within(t, 5*time.Second), c); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("GET: got error %v, want context.DeadlineExceeded", err)
		}
		if underway, waiting := places(c); underway != 0 || waiting != 0 {
			t.Errorf("%d under way, %d waiting", underway, waiting)
		}
	})
}

// places returns the number of a client's requests in flight and of those waiting.
func places(c *Sender) (underway, waiting int) {
	l := c.http.HTTPClient.Transport.(*attempts).limiter
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.underway, len(l.waiting)
}

func TestLimiterIsFirstInFirstOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(0, NewRandom(nil))
		l.window = 1
		if err := l.enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var order []int
		impatient, cancel := context.WithCancel(t.Context())
		for n := range 10 {
			ctx := t.Context()
			if n%3 == 1 {
				ctx = impatient
			}
			go func() {
				if l.enter(ctx) != nil {
					return
				}
				mu.Lock()
				order = append(order, n)
				mu.Unlock()
				l.leave(time.Now(), nil)
			}()
			synctest.Wait()
		}
		cancel()
		synctest.Wait()
		l.leave(time.Now(), nil)
		synctest.Wait()
		if got := fmt.Sprint(order); got != "[0 2 3 5 6 8 9]" {
			t.Errorf("order %s", got)
		}
		if l.underway != 0 || len(l.waiting) != 0 {
			t.Errorf("%d under way, %d waiting", l.underway, len(l.waiting))
		}
	})
}

// Every place is released, regardless of what happens to the requests and to the waiting
// callers.
func TestNoPlaceIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var underway, most atomic.Int64
		random := NewRandom(rand.NewPCG(1, 2))
		c, _ := newTestSender(t, func(w http.ResponseWriter, r *http.Request) {
			if n := underway.Add(1); n > most.Load() {
				most.Store(n)
			}
			defer underway.Add(-1)
			if lifetime.Pause(r.Context(), random.UpTo(300*time.Millisecond)) != nil {
				return
			}
			switch random.UpTo(9) {
			case 0:
				refuse(w, 429, "rate_limited")
			case 1:
				w.Header().Set("Retry-After", "2")
				refuse(w, 503, "unavailable")
			case 2:
				respond(w, dropped, nil)
			case 3:
				respond(w, brokenOff, object{"id": "me"})
			default:
				respond(w, 200, object{"id": "me"})
			}
		}, func(o *Options) { o.RequestsPerSecond = 300 })
		var all sync.WaitGroup
		for range 200 {
			all.Go(func() {
				for range 10 {
					ctx, cancel := context.WithTimeout(t.Context(), random.UpTo(2*time.Second))
					_ = readMe(ctx, c)
					_ = post(ctx, c)
					cancel()
				}
			})
		}
		all.Wait()
		if most.Load() > maxConcurrency || most.Load() < 2 {
			t.Errorf("concurrent requests: got %d, want 2 to %d", most.Load(), maxConcurrency)
		}
		if underway, waiting := places(c); underway != 0 || waiting != 0 {
			t.Errorf("%d under way, %d waiting", underway, waiting)
		}
	})
}

// If a caller's turn comes at the moment when its context ends, it passes its place on.
func TestTurnThatComesTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 50 { // it is random which of the two it sees
			l := newLimiter(0, NewRandom(nil))
			l.window = 1
			if err := l.enter(t.Context()); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				if l.enter(ctx) == nil {
					l.leave(time.Now(), nil)
				}
			}()
			synctest.Wait()
			cancel()
			l.leave(time.Now(), nil)
			synctest.Wait()
			if l.underway != 0 || len(l.waiting) != 0 {
				t.Fatalf("%d under way, %d waiting", l.underway, len(l.waiting))
			}
		}
	})
}

func TestWindowFollowsTheAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(0, NewRandom(nil))
		answered := func(status int) {
			begun := time.Now()
			time.Sleep(time.Millisecond)
			l.underway++
			l.leave(begun, &answer{status: status, header: http.Header{}})
		}
		answered(429)
		if l.window != startConcurrency/2 {
			t.Errorf("a window of %v after one 429", l.window)
		}
		old := l.cutAt.Add(-time.Second)
		l.underway++
		l.leave(old, &answer{status: 429, header: http.Header{}})
		if l.window != startConcurrency/2 {
			t.Errorf("the window after a 429 to a request sent before the last halving: got %v, want %v", l.window, startConcurrency/2)
		}
		for range 50 {
			answered(429)
		}
		if l.window != 1 {
			t.Errorf("a window of %v, want at least and at most 1", l.window)
		}
		for range 10_000 {
			answered(200)
		}
		if l.window != maxConcurrency {
			t.Errorf("a window of %v after many answers", l.window)
		}
		if l.underway != 0 {
			t.Errorf("%d under way", l.underway)
		}
	})
}

// A call continues while other requests succeed. If none succeeds for two minutes, all
// calls end together, and later calls end after a single request.
func TestRateLimitThatNeverEnds(t *testing.T) {
	for _, retryAfter := range []string{"", "1", "60"} {
		synctest.Test(t, func(t *testing.T) {
			limited := true
			c, transport := newTestSender(t, func(w http.ResponseWriter, _ *http.Request) {
				if limited {
					w.Header().Set("Retry-After", retryAfter)
					refuse(w, 429, "rate_limited")
					return
				}
				respond(w, 200, object{"id": "me"})
			})
			begun := time.Now()
			if lost := readMany(t.Context(), 300, 10, c); lost != 300 {
				t.Errorf("%d lost", lost)
			}
			took := time.Since(begun)
			t.Logf("Retry-After %q: %d requests in %s", retryAfter, len(transport.Requests()), took)
			if took < stallTime || took > stallTime+90*time.Second || len(transport.Requests()) > 500 {
				t.Errorf("%d requests in %s", len(transport.Requests()), took)
			}
			if err := readMe(t.Context(), c); !errors.Is(err, ErrRateLimited) || OutcomeUnknown(err) {
				t.Errorf("GET: got error %v, want ErrRateLimited with a known outcome", err)
			}
			if err := post(t.Context(), c); !errors.Is(err, ErrRateLimited) || OutcomeUnknown(err) {
				t.Errorf("POST: got error %v, want ErrRateLimited with a known outcome", err)
			}
			time.Sleep(time.Minute)
			limited = false
			if err := readMe(t.Context(), c); err != nil {
				t.Errorf("%v, after the limit has ended", err)
			}
		})
	}
}

// One refusal followed by an hour without requests is no reason for the next request to
// fail.
func TestRateLimitIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var limited atomic.Bool
		limited.Store(true)
		c, _ := newTestSender(t, func(w http.ResponseWriter, _ *http.Request) {
			if limited.Load() {
				refuse(w, 429, "rate_limited")
				return
			}
			respond(w, 200, object{"id": "me"})
		})
		if err := readMe(within(t, time.Second), c); err == nil {
			t.Error("no error")
		}
		time.Sleep(time.Hour)
		done := make(chan error)
		go func() { err := readMe(t.Context(), c); done <- err }()
		time.Sleep(10 * time.Second)
		limited.Store(false)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// Workers that were refused together do not retry together.
func TestRefusedTogetherAreSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const workers = 10
		var refused atomic.Int64
		c, transport := newTestSender(t, func(w http.ResponseWriter, _ *http.Request) {
			if refused.Add(1) <= workers {
				time.Sleep(100 * time.Millisecond) // so that all are in flight
				w.Header().Set("Retry-After", "1")
				refuse(w, 429, "rate_limited")
				return
			}
			respond(w, 200, object{"id": "me"})
		})
		begun := time.Now()
		var all sync.WaitGroup
		for range workers {
			all.Go(func() {
				if err := readMe(t.Context(), c); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		again := transport.Times()[workers:]
		slices.SortFunc(again, time.Time.Compare)
		if len(again) != workers || again[0].Sub(begun) < time.Second {
			t.Fatalf("%d were sent again, the first after %s", len(again), again[0].Sub(begun))
		}
		if spread := again[workers-1].Sub(again[0]); spread < 50*time.Millisecond {
			t.Errorf("they came back within %s", spread)
		}
	})
}

// Requests that are refused together count as one refusal: the gate closes only for as
// long as after a single one.
func TestRefusedTogetherCloseTheGateOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(0, NewRandom(nil))
		refuseTogether := func(requests int) (closed time.Duration) {
			begun := time.Now()
			time.Sleep(20 * time.Millisecond)
			for range requests {
				l.underway++
				l.leave(begun, &answer{status: 429, header: http.Header{}})
			}
			return l.closedFor()
		}
		for round, want := range []time.Duration{backoffBase, 2 * backoffBase, 4 * backoffBase} {
			if closed := refuseTogether(20); closed != want {
				t.Errorf("round %d closes the gate for %s, want %s", round, closed, want)
			}
			time.Sleep(l.closedFor())
		}
	})
}

// leave ends a request like an attempt does.
func (l *limiter) leave(begun time.Time, answer *answer) {
	l.learn(begun, answer)
	l.release()
}
