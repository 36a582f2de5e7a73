package client

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// closedPaths are the paths to which nothing is sent for a time, as a 503 of theirs had a
// Retry-After. A path is that of the URL, without the query, and for all methods alike.
type closedPaths struct {
	random *random

	mu     sync.Mutex
	closed map[string]closedPath
}

type closedPath struct {
	opens   time.Time
	refusal *APIError // the 503
}

// note closes a path if the answer to a request asks for that.
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

// closedFor returns for how much longer a path is closed and the refusal that closed it, or
// nil where it is open.
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

// wait waits until a call's path is open. Its error is the context's, or the refusal that
// closed the path for longer than the call may wait.
func (p *closedPaths) wait(ctx context.Context, call *call, path string) error {
	for {
		left, refusal := p.closedFor(path)
		if refusal == nil {
			return nil
		}
		if !call.mayWaitFor(ctx, refusal, left) {
			return refusal
		}
		// Everybody was told the same time: what comes on top spreads them.
		if err := pause(ctx, left+p.random.upTo(backoffBase/2)); err != nil {
			return err
		}
	}
}

// mayWaitFor tells whether a call may wait for as long as a refusal asks it to. A 503 that is
// not the service's own is part of an outage, for which plain reads have little patience. A
// call that only informs does not wait for a 503.
func (c *call) mayWaitFor(ctx context.Context, refusal *APIError, told time.Duration) bool {
	if c.informs && refusal.Status == http.StatusServiceUnavailable {
		return false
	}
	if refusal.Status == http.StatusServiceUnavailable && refusal.foreign() && plainRead(ctx, c) && told > outageLimit {
		return false
	}
	return mayWait(ctx, told)
}
