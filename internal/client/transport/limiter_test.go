package transport

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
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
		inBubble(t, row.name, func(t *testing.T) {
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
				t.Errorf("the reads: got %d lost and %d served, want none and %d", lost, service.served, row.clients*row.records)
			}
			if service.refusals > row.refusals || took > row.takes {
				t.Errorf("the reads: got %d answers 429 in %s, want at most %d in %s", service.refusals, took, row.refusals, row.takes)
			}
		})
	}
}

func TestRequestsPerSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, transport := newTestSender(t, says(200, object{"id": "me"}), func(o *Options) { o.RequestsPerSecond = 10 })
		begun := time.Now()
		if lost := readMany(t.Context(), 100, 20, c); lost > 0 {
			t.Errorf("lost reads: got %d, want none", lost)
		}
		if took := time.Since(begun); took < 9900*time.Millisecond || took > 11*time.Second {
			t.Errorf("the time of 100 requests: got %s, want from 9.9s to 11s", took)
		}
		for k := 11; k < len(transport.Times()); k++ {
			if gap := transport.Times()[k].Sub(transport.Times()[k-11]); gap < time.Second {
				t.Fatalf("the time of 12 requests: got %s, want 1s at least", gap)
			}
		}
	})
}

// If a deadline comes before a request's turn, the error is the end of the context.
func TestRequestsPerSecondWithADeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestSender(t, says(200, object{"id": "me"}), func(o *Options) { o.RequestsPerSecond = 0.1 })
		must.Do(t, readMe(t.Context(), c))
		if err := readMe(within(t, 5*time.Second), c); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("GET: got error %v, want context.DeadlineExceeded", err)
		}
		wantAllPlacesFree(t, c)
	})
}

// wantAllPlacesFree fails the test if a client still counts a request as in flight.
func wantAllPlacesFree(t *testing.T, c *Sender) {
	t.Helper()
	places := limiterOf(c).places
	if !places.TryAcquire(maxConcurrency) {
		t.Error("a place for a request in flight was not released")
		return
	}
	places.Release(maxConcurrency)
}

func limiterOf(c *Sender) *limiter { return c.http.HTTPClient.Transport.(*attempts).limiter }

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
		wantAllPlacesFree(t, c)
	})
}

// Each refusal halves the rate, and answers raise it again, up to requests_per_second.
func TestRateFollowsTheAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const highest = firstRate + 40
		l := newLimiter(highest, NewRandom(nil))
		answered := func(status int) {
			time.Sleep(time.Millisecond)
			begun := time.Now()
			time.Sleep(time.Millisecond)
			l.learn(begun, &answer{status: status, header: http.Header{}})
		}
		want := func(after string, least, most rate.Limit) {
			t.Helper()
			if got := l.rate.Limit(); got < least || got > most {
				t.Errorf("requests per second after %s: got %.1f, want %g to %g", after, got, least, most)
			}
		}
		answered(200)
		want("an answer", highest, highest)
		answered(429)
		want("a refusal", firstRate/2, firstRate/2)
		l.learn(l.slowedAt.Add(-time.Millisecond), &answer{status: 429, header: http.Header{}})
		want("the refusal of a request that was in flight", firstRate/2, firstRate/2)
		answered(429)
		want("another refusal", firstRate/4, firstRate/4)
		for range firstRate / 4 {
			answered(200)
		}
		want("a second of answers", firstRate/4+0.9*rateGrowth, firstRate/4+rateGrowth)
		for range 50 {
			answered(429)
		}
		want("50 refusals", leastRate, leastRate)
		for range 10_000 {
			answered(200)
		}
		want("10,000 answers", highest, highest)
	})
}

// A rate that the user sets is never exceeded, even if it is lower than what refusals lead
// to.
func TestRefusalsRaiseNoRate(t *testing.T) {
	const highest = leastRate / 2.0
	l := newLimiter(highest, NewRandom(nil))
	l.learn(time.Now(), &answer{status: 429, header: http.Header{}})
	if got := l.rate.Limit(); got != highest {
		t.Errorf("requests per second: got %g, want %g", got, highest)
	}
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
				t.Errorf("lost reads: got %d, want all 300", lost)
			}
			took := time.Since(begun)
			t.Logf("Retry-After %q: %d requests in %s", retryAfter, len(transport.Requests()), took)
			if took < stallTime || took > stallTime+90*time.Second || len(transport.Requests()) > 500 {
				t.Errorf("the reads: got %d requests in %s, want at most 500 in %s to %s", len(transport.Requests()), took, stallTime, stallTime+90*time.Second)
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
				t.Errorf("GET after the limit has ended: got error %v, want none", err)
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
			t.Error("GET: got no error, want one")
		}
		time.Sleep(time.Hour)
		done := make(chan error)
		go func() { err := readMe(t.Context(), c); done <- err }()
		time.Sleep(10 * time.Second)
		limited.Store(false)
		must.Report(t, <-done)
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
				must.Report(t, readMe(t.Context(), c))
			})
		}
		all.Wait()
		again := transport.Times()[workers:]
		slices.SortFunc(again, time.Time.Compare)
		if len(again) != workers || again[0].Sub(begun) < time.Second {
			t.Fatalf("requests that were sent again: got %d, the first after %s, want %d, the first after 1s", len(again), again[0].Sub(begun), workers)
		}
		if spread := again[workers-1].Sub(again[0]); spread < 50*time.Millisecond {
			t.Errorf("the requests that were sent again: got them within %s, want 50ms at least", spread)
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
				l.learn(begun, &answer{status: 429, header: http.Header{}})
			}
			return l.closedFor()
		}
		for round, want := range []time.Duration{backoffBase, 2 * backoffBase, 4 * backoffBase} {
			if closed := refuseTogether(20); closed != want {
				t.Errorf("round %d: got the gate closed for %s, want %s", round, closed, want)
			}
			time.Sleep(l.closedFor())
		}
	})
}
