package client

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// queues are the queues of those who wait for the same thing, first come, first
// served. A queue that nobody stands in takes no memory.
type queues[K comparable] struct {
	mu    sync.Mutex
	lines map[K]*line
}

type line struct {
	head  *semaphore.Weighted
	users int // who hold its head or wait for it
}

func newQueues[K comparable]() *queues[K] { return &queues[K]{lines: map[K]*line{}} }

// enter waits for the head of a queue, which leave gives on.
func (q *queues[K]) enter(ctx context.Context, key K) (leave func(), err error) {
	if err := CauseOf(ctx); err != nil {
		return nil, err
	}
	q.mu.Lock()
	l, ok := q.lines[key]
	if !ok {
		l = &line{head: semaphore.NewWeighted(1)}
		q.lines[key] = l
	}
	l.users++
	q.mu.Unlock()
	gone := func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if l.users--; l.users == 0 {
			delete(q.lines, key)
		}
	}
	if l.head.Acquire(ctx, 1) != nil {
		gone()
		return nil, CauseOf(ctx) // what Acquire fails with is the context's end
	}
	return sync.OnceFunc(func() {
		l.head.Release(1)
		gone()
	}), nil
}

// A Turn is the head of an instance's queue. Only one job runs per instance at a
// time (SERVICE.md#jobs); standing in line here saves the
// service a storm of requests that it would answer 409. Every mutation of an
// instance is a method of Turn, so that none can be sent from elsewhere. Mutations
// return when the service has accepted them; the Turn is to be kept until their
// job has ended (Turn.Wait).
type Turn struct {
	c     *Client
	id    string // the instance's
	leave func()

	// over are the jobs that AwaitIdle has waited for.
	over map[string]bool
	// busyUntil is when the instance was found free after it had refused a mutation
	// because it was busy, zero if it has refused none.
	busyUntil time.Time

	mu   sync.Mutex
	left bool
}

// ErrTurnLeft is a mutation that was asked of a Turn after Leave. It was not
// sent. It is a mistake of the caller.
var ErrTurnLeft = errors.New("the turn of the instance has been left")

// Enter waits for the caller's turn to change an instance. It must not be
// called by who has a Turn of the same instance. The caller leaves with Leave.
func (c *Client) Enter(ctx context.Context, instanceID string) (*Turn, error) {
	leave, err := c.instanceQueues.enter(ctx, instanceID)
	if err != nil {
		return nil, err
	}
	return &Turn{c: c, id: instanceID, leave: leave, over: map[string]bool{}}, nil
}

// Leave gives the turn to the next in line.
func (t *Turn) Leave() {
	t.mu.Lock()
	t.left = true
	t.mu.Unlock()
	t.leave()
}

func (t *Turn) held() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.left {
		return ErrTurnLeft
	}
	return nil
}

// ReadsMayLag tells whether this process has changed the instance so lately that a
// read may show what was before.
func (t *Turn) ReadsMayLag() bool { return time.Since(t.c.reads.lastChange(t.id)) < readLag }

// BusySince tells whether the instance has refused a mutation of this turn since a
// time because it was busy. What it was busy with may have changed what was read before.
func (t *Turn) BusySince(begun time.Time) bool { return !t.busyUntil.Before(begun) }

// InstanceID is the instance whose turn this is.
func (t *Turn) InstanceID() string { return t.id }

// Wait waits for the job of a mutation; see Client.WaitJob.
func (t *Turn) Wait(ctx context.Context, p Pending, operation string) error {
	return t.c.WaitJob(ctx, t.id, p, operation, nil)
}

// Do sends a mutation and waits for its job.
func (t *Turn) Do(ctx context.Context, operation string, mutate func(context.Context) (Pending, error)) error {
	pending, err := mutate(ctx)
	if err != nil {
		return err
	}
	return t.Wait(ctx, pending, operation)
}

func (t *Turn) path(below ...string) []string {
	return append([]string{"instances", t.id}, below...)
}
