package transport

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
)

// closedPaths are the URL paths that get no requests for a time, because the service
// answered 503 with Retry-After. A path excludes the query and applies to all methods.
type closedPaths struct {
	random *Random

	mu     sync.Mutex
	closed map[string]closedPath
}

type closedPath struct {
	opens   time.Time
	refusal *APIError // the 503
}

// note closes a path if the answer to a request requires that.
func (p *closedPaths) note(path string, answer *answer) {
	if answer == nil || answer.status != http.StatusServiceUnavailable || answer.refusal.RetryAfter == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	opens := time.Now().Add(answer.refusal.RetryAfter)
	if opens.After(p.closed[path].opens) {
		p.closed[path] = closedPath{opens, answer.refusal}
	}
}

// closedFor returns how much longer a path is closed and the refusal that closed it. The
// refusal is nil if the path is open.
func (p *closedPaths) closedFor(path string) (time.Duration, *APIError) {
	p.mu.Lock()
	defer p.mu.Unlock()
	closed := p.closed[path]
	left := time.Until(closed.opens)
	if left <= 0 {
		delete(p.closed, path)
		return 0, nil
	}
	return left, closed.refusal
}

// wait waits until a call's path is open. It returns the error of the context, or the
// refusal if the path is closed for longer than the call may wait.
func (p *closedPaths) wait(ctx context.Context, call *Call, path string) error {
	for {
		left, refusal := p.closedFor(path)
		if refusal == nil {
			return nil
		}
		if !call.mayWaitFor(ctx, refusal, left) {
			return refusal
		}
		// All waiting calls got the same time; jitter spreads them.
		if err := lifetime.Pause(ctx, left+p.random.UpTo(backoffBase/2)); err != nil {
			return err
		}
	}
}

// mayWaitFor reports whether a call may wait as long as a refusal requires. A 503 that
// does not come from the service itself is part of an outage, during which plain reads
// wait only briefly. A call that only informs the user does not wait for a 503.
func (c *Call) mayWaitFor(ctx context.Context, refusal *APIError, told time.Duration) bool {
	if c.Informs && refusal.Status == http.StatusServiceUnavailable {
		return false
	}
	if refusal.Status == http.StatusServiceUnavailable && refusal.Foreign() && plainRead(ctx, c) && told > outageLimit {
		return false
	}
	return lifetime.MayWait(ctx, told)
}
