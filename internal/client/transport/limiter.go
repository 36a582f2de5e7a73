package transport

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
)

const (
	// maxConcurrency limits the number of concurrent requests of a client. Terraform itself
	// runs 10 operations at a time, unless -parallelism says otherwise.
	maxConcurrency = 64
	// firstRate, in requests per second, is what the first refusal halves. Before it, no
	// limit is known.
	firstRate = 128
	// leastRate is the lowest rate to which refusals slow a client.
	leastRate = 1
	// rateGrowth is what a second of answers at the present rate adds to it.
	rateGrowth = 2
	// stallTime is the time after which a client gives up if every request is limited.
	// All of its calls share this time.
	stallTime = 2 * time.Minute
	// longestClosing is the longest time that the gate closes if the service does not say
	// when to come back.
	longestClosing = 10 * time.Second
)

// A limiter sets the pace of all requests of a client. The service does not publish its
// limits, so the limiter learns from the answers. Each limit halves the number of requests
// per second, and each other answer raises it slightly. The Retry-After of a limit closes
// the gate for all requests until then. A 503 says nothing about the pace; see
// closedPaths.
type limiter struct {
	random  *Random
	places  *semaphore.Weighted // for requests in flight, first come, first served
	highest rate.Limit          // requests_per_second; infinite if not set
	rate    *rate.Limiter
	turn    *semaphore.Weighted // to wait for the rate

	mu           sync.Mutex
	slowedAt     time.Time // the newest halving
	opensAt      time.Time // the gate
	refusals     int       // in a row; concurrent ones count once
	refusedSince time.Time // the first of them
	refusedAt    time.Time // the newest
}

// errStalled is the error of a request that was not sent, because every request has been
// refused for too long.
var errStalled = fmt.Errorf("%w: every request of the last %s was refused", ErrRateLimited, stallTime)

// ClosedError is the error of a request that was not sent, because an earlier answer asked
// to wait for longer than the request may. It matches ErrRateLimited.
type ClosedError struct {
	RetryAfter time.Duration // the rest of that time
}

func (e *ClosedError) Error() string {
	return fmt.Sprintf("%v: the service asks to wait for %s", ErrRateLimited, lifetime.ShortDuration(e.RetryAfter.Round(time.Minute)))
}

func (e *ClosedError) Unwrap() error { return ErrRateLimited }

func newLimiter(perSecond float64, random *Random) *limiter {
	highest := rate.Inf
	if perSecond > 0 {
		highest = rate.Limit(perSecond)
	}
	return &limiter{
		random: random, places: semaphore.NewWeighted(maxConcurrency), turn: semaphore.NewWeighted(1),
		highest: highest, rate: rate.NewLimiter(highest, 1),
	}
}

// enter waits until a request may be sent. It returns the error of the context,
// errStalled if all requests have been refused for too long, or a ClosedError if the wait
// would be too long.
func (l *limiter) enter(ctx context.Context) error {
	if l.places.Acquire(ctx, 1) != nil {
		return lifetime.CauseOf(ctx)
	}
	if err := l.pace(ctx); err != nil {
		l.release()
		return err
	}
	return nil
}

// pace waits until the gate is open and the rate allows another request.
func (l *limiter) pace(ctx context.Context) error {
	for {
		closed := l.closedFor()
		if closed <= 0 {
			if err := l.awaitTurn(ctx); err != nil || l.closedFor() <= 0 {
				return err
			}
			continue
		}
		switch {
		case !lifetime.MayWait(ctx, closed):
			return &ClosedError{RetryAfter: closed}
		case l.stalled(ctx):
			return errStalled
		}
		// All waiting requests got the same time; jitter spreads them.
		if err := lifetime.Pause(ctx, closed+l.random.UpTo(backoffBase/2)); err != nil {
			return err
		}
	}
}

// awaitTurn waits until the rate allows another request. One request waits at a time, so
// that a new rate holds from the next request on.
func (l *limiter) awaitTurn(ctx context.Context) error {
	if l.turn.Acquire(ctx, 1) != nil {
		return lifetime.CauseOf(ctx)
	}
	defer l.turn.Release(1)
	if err := l.rate.Wait(ctx); err != nil {
		if lifetime.Ended(ctx) {
			return lifetime.CauseOf(ctx)
		}
		return lifetime.DeadlineOf(ctx) // the deadline comes before its turn
	}
	return nil
}

func (l *limiter) closedFor() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Until(l.opensAt)
}

func (l *limiter) release() { l.places.Release(1) }

// learn adjusts the pace to the answer to a request that began at begun. answer is nil if
// there was none.
func (l *limiter) learn(begun time.Time, answer *answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	switch {
	case answer == nil, answer.status == http.StatusServiceUnavailable:
	case answer.isLimit():
		isNew := begun.After(l.slowedAt)                                            // requests in flight at a halving teach nothing new
		if l.refusals == 0 || now.Sub(latest(l.refusedAt, l.opensAt)) > stallTime { // or no request was made for long
			l.refusedSince = now
		}
		if isNew || l.refusals == 0 {
			l.refusals++
		}
		l.refusedAt = now
		l.close(now, answer)
		if isNew {
			l.slowedAt = now
			l.rate.SetLimit(min(l.highest, max(leastRate, min(l.rate.Limit(), firstRate)/2)))
		}
	default:
		l.refusals = 0
		if limit := l.rate.Limit(); limit < l.highest {
			l.rate.SetLimit(min(l.highest, limit+rateGrowth/limit))
		}
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
