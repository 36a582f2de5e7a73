package client

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
)

// queues contains one first-come, first-served queue for each key. An empty queue uses no
// memory.
type queues[K comparable] struct {
	mu    sync.Mutex
	lines map[K]*line
}

type line struct {
	head  *semaphore.Weighted
	users int // callers at the head of the queue or waiting for it
}

func newQueues[K comparable]() *queues[K] { return &queues[K]{lines: map[K]*line{}} }

// enter waits until the caller is at the head of a queue. leave passes the head to the
// next caller.
func (q *queues[K]) enter(ctx context.Context, key K) (leave func(), err error) {
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
		return nil, lifetime.CauseOf(ctx) // Acquire only fails when the context has ended
	}
	return sync.OnceFunc(func() {
		l.head.Release(1)
		gone()
	}), nil
}
