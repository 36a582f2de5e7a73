package client

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// startConcurrency and maxConcurrency bound how many requests a client has
	// under way at once. Terraform itself runs 10 operations at a time, unless
	// -parallelism says otherwise.
	startConcurrency = 32
	maxConcurrency   = 64
	// stallTime is how long a client goes on while each of its requests is
	// answered 429. All of its calls share it.
	stallTime = 2 * time.Minute
	// longestClosing is the longest that the gate closes by itself, where the
	// service does not say when to come back.
	longestClosing = 10 * time.Second
)

// A limiter sets the pace of all requests of a client together. The service's
// limits are not shown, so the answers teach them: 429 halves how many requests
// may be under way, each other answer raises it a little, and the Retry-After of
// a 429 closes the gate to everybody until then. A 503 says nothing about the
// pace; see closedPaths.
type limiter struct {
	random *random
	rate   *rate.Limiter // requests_per_second; infinite where none is set

	mu           sync.Mutex
	underway     int
	window       float64         // how many may be under way
	waiting      []chan struct{} // first come, first served
	cutAt        time.Time       // of the newest halving
	opensAt      time.Time       // the gate
	refusals     int             // in a row; those under way at once are one
	refusedSince time.Time       // the first of them
	refusedAt    time.Time       // the newest
	allowance    allowance
}

// errStalled is a request that was not sent, as nobody gets through any more.
var errStalled = fmt.Errorf("%w: every request of the last %s was refused", ErrRateLimited, stallTime)

// errClosed is a request that was not sent, as the gate is closed for longer than the
// request may wait.
var errClosed = fmt.Errorf("%w: the service asks to wait for more than %s", ErrRateLimited, shortDuration(longestTold))

func newLimiter(perSecond float64, random *random) *limiter {
	limit := rate.Inf
	if perSecond > 0 {
		limit = rate.Limit(perSecond)
	}
	return &limiter{random: random, rate: rate.NewLimiter(limit, 1), window: startConcurrency}
}

// enter waits for a request's turn. Its error is the context's, errStalled
// where it would wait to be refused like all others, or errClosed where it would
// wait for too long.
func (l *limiter) enter(ctx context.Context) error {
	if err := CauseOf(ctx); err != nil {
		return err
	}
	if err := l.acquire(ctx); err != nil {
		return err
	}
	for {
		if err := l.rate.Wait(ctx); err != nil {
			l.release()
			if ended(ctx) {
				return CauseOf(ctx)
			}
			return deadlineOf(ctx) // it would end before its turn comes
		}
		closed := l.closedFor()
		if closed <= 0 {
			wait := l.take()
			if wait <= 0 {
				return nil
			}
			if err := pause(ctx, wait); err != nil {
				l.release()
				return err
			}
			if closed = l.closedFor(); closed <= 0 {
				return nil
			}
		}
		switch {
		case !mayWait(ctx, closed):
			l.release()
			return errClosed
		case l.stalled(ctx):
			l.release()
			return errStalled
		}
		// Everybody was told the same time: what comes on top spreads them.
		if err := pause(ctx, closed+l.random.upTo(backoffBase/2)); err != nil {
			l.release()
			return err
		}
	}
}

// acquire takes one of the places under way, which release gives back.
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
			return CauseOf(ctx)
		}
	}
	l.underway-- // its turn came in that very moment
	l.admit()
	return CauseOf(ctx)
}

func (l *limiter) closedFor() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Until(l.opensAt)
}

// take gives a request its place among those that the service allows per second, and
// tells how long that is to be waited for.
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

// admit lets those in whose turn it is. The lock is held.
func (l *limiter) admit() {
	for l.underway < int(l.window) && len(l.waiting) > 0 {
		close(l.waiting[0])
		l.waiting = l.waiting[1:]
		l.underway++
	}
}

// learn learns from the answer to a request that was begun at a time, nil when there was
// none.
func (l *limiter) learn(begun time.Time, answer *answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	switch {
	case answer == nil, answer.status == http.StatusServiceUnavailable:
	case answer.status == http.StatusTooManyRequests:
		isNew := begun.After(l.cutAt) // what was under way at a halving teaches nothing new
		if isNew {
			l.window = max(1, l.window/2)
			l.cutAt = now
		}
		if l.refusals == 0 || now.Sub(latest(l.refusedAt, l.opensAt)) > stallTime { // or nobody asked for long
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

// close closes the gate for as long as an answer asks. A 429 that does not say
// for how long closes it for longer each time. The lock is held.
func (l *limiter) close(now time.Time, answer *answer) {
	closing := retryAfter(answer.header)
	if closing == 0 {
		closing = min(longestClosing, backoffBase<<min(l.refusals-1, 8))
	}
	l.opensAt = latest(l.opensAt, now.Add(closing))
}

// stalled tells whether nobody got through for too long. Where the service has said
// to wait for longer than that, an operation with a timeout goes on until then.
func (l *limiter) stalled(ctx context.Context) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opensAt.Sub(l.refusedAt) > stallTime && hasTimeout(ctx) {
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
