package probe

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// change sends a change to the instance, waits for its job and records whether the
// service has applied the change. shows reports whether the change is visible afterwards.
// change returns whether everything succeeded. It returns an
// error only if that could not be determined.
func (p *probe) change(ctx context.Context, c call, shows func() (bool, error)) (*exchange, bool, error) {
	x, err := p.sendWhenFree(ctx, c)
	if err != nil {
		return x, false, err
	}
	if !x.as() {
		if x.judged() {
			p.took(x, false, x.answered()+" to "+x.said())
		}
		return x, false, nil
	}
	if err := p.awaitJob(ctx, x); err != nil {
		return x, false, err
	}
	seen, err := p.soon(ctx, shows)
	if err != nil {
		return x, false, err
	}
	p.took(x, seen, "is accepted by "+x.operation.name()+" and cannot be seen afterwards")
	return x, seen, nil
}

// sendWhenFree sends a change, and repeats it as long as another job runs.
func (p *probe) sendWhenFree(ctx context.Context, c call) (*exchange, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, p.options.Wait, errors.New("another job runs all the time"))
	defer cancel()
	for {
		x, err := p.send(ctx, c)
		if err != nil || !x.busy() {
			return x, err
		}
		if pause(ctx, p.options.Poll) != nil {
			return x, context.Cause(ctx)
		}
	}
}

// awaitJob waits until the job named by an answer is over. If the answer names none, it
// waits until the instance has no job. A failed job is an error.
func (p *probe) awaitJob(ctx context.Context, x *exchange) error {
	id := jobOf(x.json)
	ctx, cancel := context.WithTimeoutCause(ctx, p.options.Wait, fmt.Errorf("the job of %s is not over after %s", x.operation.name(), p.options.Wait))
	defer cancel()
	for misses := 0; ; {
		over, err := p.jobIsOver(ctx, id)
		if err != nil {
			misses++
		}
		if over || misses == tries {
			return err
		}
		if pause(ctx, p.options.Poll) != nil {
			return context.Cause(ctx)
		}
	}
}

// jobIsOver checks a job once. Without an id, it checks the instance's job.
func (p *probe) jobIsOver(ctx context.Context, id string) (bool, error) {
	if id == "" {
		x, err := p.read(ctx, "/instances/{id}", nil)
		if err != nil {
			return false, err
		}
		return object(x.json)["job_id"] == nil, nil
	}
	x, err := p.read(ctx, "/jobs/{id}", map[string]string{"id": id})
	switch {
	case err != nil:
		return false, err
	case !x.as():
		return false, fmt.Errorf("the job cannot be read: %s", x.answered())
	}
	job := object(x.json)
	switch strings.ToLower(text(job["status"])) {
	case "done":
		return true, nil
	case "failed":
		return true, errors.New("its job failed")
	}
	return job["finished_at"] != nil, nil
}

// soon repeats a check until it succeeds, because reads may lag behind writes.
func (p *probe) soon(ctx context.Context, shows func() (bool, error)) (bool, error) {
	for look := 1; ; look++ {
		seen, err := shows()
		if seen || err != nil || look == tries {
			return seen, err
		}
		if err := pause(ctx, max(p.options.Poll, time.Second)); err != nil {
			return false, err
		}
	}
}
