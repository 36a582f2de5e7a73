package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
)

const (
	// outageLimit is the time after which plain reads give up if the service itself sends no
	// answer. With this limit, a dead host or a wrong address ends a plan within 30 s,
	// regardless of the number of resources.
	outageLimit = 20 * time.Second
	// outageProbe is the interval at which single reads are let through after that.
	outageProbe = 5 * time.Second
)

// An outage is a period without any answer from the service itself. All plain reads share
// one limit for it. Polls have the limit of their wait, and the timeout of an operation
// limits its requests.
type outage struct {
	mu       sync.Mutex
	known    bool      // the service has answered this client once
	since    time.Time // zero while the service answers
	failedAt time.Time // the newest failure
	last     error
	probe    chan struct{} // closed when the probing read has ended; nil if there is none
}

// admit returns the time that an attempt may take, or ErrOutage if the outage has lasted
// too long for it. While one read probes the service, other reads wait for its result.
// The caller must release an admitted attempt.
func (o *outage) admit(ctx context.Context, call *Call, timeout time.Duration) (time.Duration, error) {
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
			return 0, lifetime.CauseOf(ctx)
		}
	}
}

// judge decides about one read. It returns the time that the read may take, a probe that
// the read must wait for, or an error.
func (o *outage) judge(call *Call, timeout time.Duration) (time.Duration, <-chan struct{}, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	switch {
	case o.since.IsZero() && o.known:
		return timeout, nil, nil
	case o.since.IsZero():
		o.since, o.failedAt, o.last = now, now, errors.New("it has not answered at all")
	case now.Sub(o.failedAt) >= outageLimit:
		o.since, o.failedAt = now, now // no read was sent since then, so the old result says little
	}
	switch left := outageLimit - now.Sub(o.since); {
	case left > 0:
		return min(timeout, left, outageLimit/2), nil, nil // so that a second attempt can use another connection
	case o.probe != nil:
		return 0, o.probe, nil
	case now.Sub(o.failedAt) < outageProbe:
		return 0, nil, fmt.Errorf("%w: %w", ErrOutage, o.last)
	}
	o.probe = make(chan struct{})
	call.probe = o.probe
	return min(timeout, outageProbe), nil, nil
}

// release ends the admission of an attempt.
func (o *outage) release(call *Call) {
	if call.probe == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	close(call.probe)
	o.probe, call.probe = nil, nil
}

// note records the result of an attempt.
func (o *outage) note(ctx context.Context, call *Call, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case err != nil && lifetime.Ended(ctx):
		return // the caller has cancelled it
	case err == nil && (call.answer.refusal == nil || !call.answer.refusal.Foreign()), errors.Is(err, ErrBodyTooLarge):
		o.known, o.since = true, time.Time{}
		return
	case err == nil && call.answer.status != http.StatusNotFound && call.answer.status < http.StatusInternalServerError:
		return // a page of another server, but not a failure of the service
	case err == nil:
		err = call.answer.refusal
	}
	if o.since.IsZero() {
		o.since = time.Now()
	}
	o.failedAt, o.last = time.Now(), err
}

func (o *outage) hasAnswered() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.known
}

// plainRead reports whether a call is a read outside of operations and waits, such as a
// read of a refresh.
func plainRead(ctx context.Context, call *Call) bool {
	return call.Method == http.MethodGet && !call.Poll && !lifetime.InOperation(ctx)
}
