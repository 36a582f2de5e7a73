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
	failedAt time.Time // the newest failure
	last     error
	probe    chan struct{} // closed when the read that was let through has ended; nil where none was
}

// admit gives the time that an attempt may take, or ErrOutage when the outage
// has lasted too long for it. Whoever comes while a read is let through waits for
// what that one finds. What was admitted is to be released.
func (o *outage) admit(ctx context.Context, call *call, timeout time.Duration) (time.Duration, error) {
	if !plainRead(ctx, call) {
		return timeout, nil
	}
	for {
		allowed, probe, err := o.judge(call, timeout)
		if probe == nil {
			return allowed, err
		}
		select {
		case <-probe:
		case <-ctx.Done():
			return 0, CauseOf(ctx)
		}
	}
}

// judge decides about one read: the time that it may take, a probe that it has to
// wait for, or an error.
func (o *outage) judge(call *call, timeout time.Duration) (time.Duration, <-chan struct{}, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	switch {
	case o.since.IsZero() && o.known:
		return timeout, nil, nil
	case o.since.IsZero():
		o.since, o.failedAt, o.last = now, now, errors.New("it has not answered at all")
	case now.Sub(o.failedAt) >= outageLimit:
		o.since, o.failedAt = now, now // nobody has asked since: what was then says little
	}
	switch left := outageLimit - now.Sub(o.since); {
	case left > 0:
		return min(timeout, left), nil, nil
	case o.probe != nil:
		return 0, o.probe, nil
	case now.Sub(o.failedAt) < outageProbe:
		return 0, nil, fmt.Errorf("%w: %w", ErrOutage, o.last)
	}
	o.probe = make(chan struct{})
	call.probe = o.probe
	return min(timeout, outageProbe), nil, nil
}

// release ends what an attempt was admitted for.
func (o *outage) release(call *call) {
	if call.probe == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	close(call.probe)
	o.probe, call.probe = nil, nil
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
	o.failedAt, o.last = time.Now(), err
}

// HasAnswered reports whether the service has answered this client at all.
func (c *Client) HasAnswered() bool {
	c.outage.mu.Lock()
	defer c.outage.mu.Unlock()
	return c.outage.known
}

// plainRead tells a read that belongs to no operation and to no wait, such as
// those of a refresh.
func plainRead(ctx context.Context, call *call) bool {
	return call.method == http.MethodGet && !call.poll && !inOperation(ctx)
}
