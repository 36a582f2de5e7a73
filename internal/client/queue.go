package client

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

// queues holds the queue of each instance. Only one job runs per instance at a
// time (service.md, "States and transitions"); standing in line here saves the
// service a storm of requests that it would answer 409.
type queues struct {
	mu   sync.Mutex
	byID map[string]chan struct{}
}

func newQueues() *queues { return &queues{byID: map[string]chan struct{}{}} }

func (q *queues) of(id string) chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	line, ok := q.byID[id]
	if !ok {
		// Senders that block on a channel are served in the order they came.
		line = make(chan struct{}, 1)
		q.byID[id] = line
	}
	return line
}

// A Turn is the head of an instance's queue. Every mutation of an instance is a
// method of Turn, so that none can be sent from elsewhere. Mutations return
// when the service has accepted them; the Turn is to be kept until their job
// has ended (Turn.Wait).
type Turn struct {
	c    *Client
	id   string // the instance's
	line chan struct{}
	once sync.Once
}

// Enter waits for the caller's turn to change an instance. It must not be
// called by who has a Turn of the same instance. The caller leaves with Leave.
func (c *Client) Enter(ctx context.Context, instanceID string) (*Turn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	line := c.queues.of(instanceID)
	select {
	case line <- struct{}{}:
		return &Turn{c: c, id: instanceID, line: line}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Leave gives the turn to the next in line.
func (t *Turn) Leave() { t.once.Do(func() { <-t.line }) }

// InstanceID is the instance whose turn this is.
func (t *Turn) InstanceID() string { return t.id }

// Wait waits for the job of a mutation; see Client.WaitJob.
func (t *Turn) Wait(ctx context.Context, p Pending, operation string) error {
	return t.c.WaitJob(ctx, t.id, p.JobID, operation, nil)
}

// Do sends a mutation and waits for its job.
func (t *Turn) Do(ctx context.Context, operation string, mutate func(context.Context) (Pending, error)) error {
	pending, err := mutate(ctx)
	if err != nil {
		return err
	}
	return t.Wait(ctx, pending, operation)
}

// change sends a mutation that can be sent twice without harm.
func (t *Turn) change(ctx context.Context, r request) (Pending, error) {
	return whenFree(ctx, t, func(ctx context.Context) (Pending, error) {
		return do[Pending](ctx, t.c, r)
	})
}

func (t *Turn) put(ctx context.Context, body any, path ...string) (Pending, error) {
	return t.change(ctx, request{method: http.MethodPut, path: t.path(path...), body: body})
}

func (t *Turn) patch(ctx context.Context, body any, path ...string) (Pending, error) {
	return t.change(ctx, request{method: http.MethodPatch, path: t.path(path...), body: body})
}

// delete removes something of the instance. What is gone already is done.
func (t *Turn) delete(ctx context.Context, r request) (Pending, error) {
	r.method = http.MethodDelete
	pending, err := t.change(ctx, r)
	if errors.Is(err, ErrNotFound) {
		return Pending{}, nil
	}
	return pending, err
}

// post sends a POST, settling a lost answer by find; see settle.
func (t *Turn) post(ctx context.Context, body any, find finder[Pending], path ...string) (Pending, error) {
	r := request{method: http.MethodPost, path: t.path(path...), body: body, key: newKey()}
	return whenFree(ctx, t, func(ctx context.Context) (Pending, error) {
		return settle(ctx, t.c, find, func(ctx context.Context) (Pending, error) {
			return do[Pending](ctx, t.c, r)
		})
	})
}

// act sends a POST that must not take effect twice, and that leaves nothing behind
// by which a second look could tell for sure: it is sent once. When its answer is
// lost and find sees nothing of it, the error is an *OutcomeError.
func (t *Turn) act(ctx context.Context, body any, find finder[Pending], path ...string) (Pending, error) {
	r := request{method: http.MethodPost, path: t.path(path...), body: body, key: newKey()}
	return whenFree(ctx, t, func(ctx context.Context) (Pending, error) {
		since, err := t.c.now(ctx)
		if err != nil {
			return Pending{}, err
		}
		pending, err := do[Pending](ctx, t.c, r)
		if err == nil || !outcomeUnknown(err) {
			return pending, err
		}
		found, ok, findErr := look(ctx, find, since)
		if ok {
			return found, nil
		}
		return pending, errors.Join(err, findErr)
	})
}

func (t *Turn) path(below ...string) []string {
	return append([]string{"instances", t.id}, below...)
}

// whenFree sends a mutation, and sends it again after each foreign job that the
// service refuses it for: another process, or the portal, changes the same
// instance. It ends with the context.
func whenFree[T any](ctx context.Context, t *Turn, send func(context.Context) (T, error)) (T, error) {
	t.c.reads.changed(t.id)
	defer t.c.reads.changed(t.id)
	for again := firstPoll; ; again = min(2*again, 5*time.Second) {
		answer, err := send(ctx)
		var refused *APIError
		if err == nil || !errors.As(err, &refused) || refused.Status != http.StatusConflict || errors.Is(err, ErrAlreadyExists) {
			return answer, err
		}
		instance, readErr := t.c.Instance(ctx, t.id)
		switch {
		case readErr != nil:
			return answer, errors.Join(err, readErr)
		case instance.CheckoutURL != "":
			return answer, &CheckoutError{InstanceID: t.id, URL: instance.CheckoutURL, JobID: instance.JobID}
		case instance.JobID != "":
			// A foreign job's failure is not ours to report.
			var failed *JobError
			if err := t.c.WaitJob(ctx, t.id, instance.JobID, "", nil); err != nil && !errors.As(err, &failed) {
				return answer, err
			}
		case errors.Is(err, ErrJobRunning):
			// It ended in between.
			if err := pause(ctx, again); err != nil {
				return answer, err
			}
		default:
			return answer, err
		}
	}
}
