package transport

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
)

const (
	// startConcurrency and maxConcurrency limit the number of concurrent requests of a
	// client. Terraform itself runs 10 operations at a time, unless -parallelism says
	// otherwise.
	startConcurrency = 32
	maxConcurrency   = 64
	// stallTime is the time after which a client gives up if every request is answered 429.
	// All of its calls share this time.
	stallTime = 2 * time.Minute
	// longestClosing is the longest time that the gate closes if the service does not say
	// when to come back.
	longestClosing = 10 * time.Second
)

// A limiter sets the pace of all requests of a client. The service does not publish its
// limits, so the limiter learns them from the answers. A 429 halves the number of
// requests that may be in flight, and each other answer raises it slightly. The
// Retry-After of a 429 closes the gate for all requests until then. A 503 says nothing
// about the pace; see closedPaths.
type limiter struct {
	random *Random
	rate   *rate.Limiter // requests_per_second; infinite if not set

	mu           sync.Mutex
	underway     int
	window       float64         // how many requests may be in flight
	waiting      []chan struct{} // first come, first served
	cutAt        time.Time       // the newest halving
	opensAt      time.Time       // the gate
	refusals     int             // in a row; concurrent ones count once
	refusedSince time.Time       // the first of them
	refusedAt    time.Time       // the newest
	allowance    allowance
}

// errStalled is the error of a request that was not sent, because every request has been
// refused for too long.
var errStalled = fmt.Errorf("%w: every request of the last %s was refused", ErrRateLimited, stallTime)

// errClosed is the error of a request that was not sent, because the gate is closed for
// longer than the request may wait.
var errClosed = fmt.Errorf("%w: the service asks to wait for more than %s", ErrRateLimited, lifetime.ShortDuration(lifetime.MaxWait))

func newLimiter(perSecond float64, random *Random) *limiter {
	limit := rate.Inf
	if perSecond > 0 {
		limit = rate.Limit(perSecond)
	}
	return &limiter{random: random, rate: rate.NewLimiter(limit, 1), window: startConcurrency}
}

// enter waits until a request may be sent. It returns the error of the context,
// errStalled if all requests have been refused for too long, or errClosed if the wait
// would be too long.
func (l *limiter) enter(ctx context.Context) error {
	if err := lifetime.CauseOf(ctx); err != nil {
		return err
	}
	if err := l.acquire(ctx); err != nil {
		return err
	}
	for {
		if err := l.rate.Wait(ctx); err != nil {
			l.release()
			if lifetime.Ended(ctx) {
				return lifetime.CauseOf(ctx)
			}
			return lifetime.DeadlineOf(ctx) // the deadline comes before its turn
		}
		closed := l.closedFor()
		if closed <= 0 {
			wait := l.take()
			if wait <= 0 {
				return nil
			}
			if err := lifetime.Pause(ctx, wait); err != nil {
				l.release()
				return err
			}
			if closed = l.closedFor(); closed <= 0 {
				return nil
			}
		}
		switch {
		case !lifetime.MayWait(ctx, closed):
			l.release()
			return errClosed
		case l.stalled(ctx):
			l.release()
			return errStalled
		}
		// All waiting requests got the same time; jitter spreads them.
		if err := lifetime.Pause(ctx, closed+l.random.UpTo(backoffBase/2)); err != nil {
			l.release()
			return err
		}
	}
}

// acquire takes one of the places for requests in flight. release frees it.
func (l *limiter) acquire(ctx context.Context) error {
	l.mu.Lock()
	if l.underway < int(l.window) && len(l.waiting) == 0 {
		l.underway++
		l.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	l.waiting = append(l.waiting, turn)
	l.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, waiting := range l.waiting {
		if waiting == turn {
			l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
			return lifetime.CauseOf(ctx)
		}
	}
	l.underway-- // its turn came at this very moment
	l.admit()
	return lifetime.CauseOf(ctx)
}

func (l *limiter) closedFor() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Until(l.opensAt)
}

// take reserves a slot for a request at the rate that the service allows, and returns the
// time until that slot.
func (l *limiter) take() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.allowance.take(time.Now())
}

func (l *limiter) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.underway--
	l.admit()
}

// admit lets the next waiting requests in. The caller must hold the lock.
func (l *limiter) admit() {
	for l.underway < int(l.window) && len(l.waiting) > 0 {
		close(l.waiting[0])
		l.waiting = l.waiting[1:]
		l.underway++
	}
}

// learn adjusts the pace to the answer to a request that began at begun. answer is nil if
// there was none.
func (l *limiter) learn(begun time.Time, answer *answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	switch {
	case answer == nil, answer.status == http.StatusServiceUnavailable:
	case answer.status == http.StatusTooManyRequests:
		isNew := begun.After(l.cutAt) // requests in flight at a halving teach nothing new
		if isNew {
			l.window = max(1, l.window/2)
			l.cutAt = now
		}
		if l.refusals == 0 || now.Sub(latest(l.refusedAt, l.opensAt)) > stallTime { // or no request was made for long
			l.refusedSince = now
		}
		if isNew || l.refusals == 0 {
			l.refusals++
		}
		l.refusedAt = now
		l.close(now, answer)
		if isNew {
			l.allowance.refuse(now, l.opensAt)
		}
	default:
		l.refusals = 0
		l.allowance.serve(now)
		l.window = min(maxConcurrency, l.window+1/l.window)
	}
}

// close closes the gate for the time that an answer asks for. A 429 without a time closes
// it for longer each time. The caller must hold the lock.
func (l *limiter) close(now time.Time, answer *answer) {
	closing := retryAfter(answer.header)
	if closing == 0 {
		closing = min(longestClosing, backoffBase<<min(l.refusals-1, 8))
	}
	l.opensAt = latest(l.opensAt, now.Add(closing))
}

// stalled reports whether no request has succeeded for too long. If the service asked to
// wait even longer, an operation with a timeout keeps waiting until then.
func (l *limiter) stalled(ctx context.Context) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opensAt.Sub(l.refusedAt) > stallTime && lifetime.HasTimeout(ctx) {
		return false
	}
	return l.refusals > 0 && l.refusedAt.Sub(l.refusedSince) >= stallTime
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
