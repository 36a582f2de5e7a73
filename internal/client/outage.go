package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

const (
	// outageLimit is for how long plain reads go on without any answer of the
	// service's own. With it, a dead host or a wrong address ends a plan within
	// 30 s, however many resources it has.
	outageLimit = 20 * time.Second
	// outageProbe is how often one read is let through after that.
	outageProbe = 5 * time.Second
)

// An outage is the time in which nothing came from the service itself. Plain
// reads share one patience for it. Polls have one of their own (wait.go), and
// the requests of an operation are bounded by its timeout.
type outage struct {
	mu       sync.Mutex
	known    bool      // the service has answered this client once
	since    time.Time // zero while the service answers
	probedAt time.Time
	last     error
}

// admit gives the time that an attempt may take, or ErrOutage when the outage
// has lasted too long for it.
func (o *outage) admit(ctx context.Context, call *call, timeout time.Duration) (time.Duration, error) {
	if !plainRead(ctx, call) {
		return timeout, nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	if o.since.IsZero() && !o.known {
		o.since, o.last = now, errors.New("it has not answered at all")
	}
	if o.since.IsZero() {
		return timeout, nil
	}
	left := outageLimit - now.Sub(o.since)
	if left > 0 {
		return min(timeout, left), nil
	}
	if now.Sub(o.probedAt) < outageProbe {
		return 0, fmt.Errorf("%w: %w", ErrOutage, o.last)
	}
	o.probedAt = now
	return min(timeout, outageProbe), nil
}

// note learns from an attempt that has ended.
func (o *outage) note(ctx context.Context, call *call, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case err != nil && ended(ctx):
		return // it was the caller who left
	case err == nil && (call.answer.refusal == nil || !call.answer.refusal.foreign()):
		o.known, o.since = true, time.Time{}
		return
	case err == nil && call.answer.status != http.StatusNotFound && call.answer.status < http.StatusInternalServerError:
		return // a page of somebody else, but no trouble of the service
	case err == nil:
		err = call.answer.refusal
	}
	if o.since.IsZero() {
		o.since = time.Now()
	}
	o.probedAt, o.last = time.Now(), err
}

// plainRead tells a read that belongs to no operation and to no wait, such as
// those of a refresh.
func plainRead(ctx context.Context, call *call) bool {
	return call.method == http.MethodGet && !call.once && !inOperation(ctx)
}
