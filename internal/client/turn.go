package client

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
)

// A Turn is the exclusive right to change an instance. Only one job runs per instance at
// a time (SERVICE.md#jobs). Waiting in the client avoids many requests that the service
// would answer with 409. Every mutation of an instance is a method of Turn, so that none
// can be sent without one. Mutations return when the service has accepted them. The
// caller must keep the Turn until their job has ended (Turn.Wait).
type Turn struct {
	c     *Client
	id    string // the instance's id
	leave func()
	begun time.Time

	// over has the jobs that AwaitIdle has waited for.
	over map[string]bool
	// busyUntil is the time when the instance was found free after it had refused a mutation
	// because it was busy. It is zero if the instance has refused none.
	busyUntil time.Time
	// builds are the builds of an app before the turn's last redeployment.
	builds map[string]bool

	mu   sync.Mutex
	left bool
}

// ErrTurnLeft is the error of a mutation on a Turn after Leave. The mutation was not
// sent. The error shows a bug in the caller.
var ErrTurnLeft = errors.New("the turn of the instance has been left")

// Enter waits for the caller's turn to change an instance. It deadlocks if the caller
// already has a Turn of the same instance. The caller must end the turn with Leave.
func (c *Client) Enter(ctx context.Context, instanceID string) (*Turn, error) {
	leave, err := c.instanceQueues.enter(ctx, instanceID)
	if err != nil {
		return nil, err
	}
	return &Turn{c: c, id: instanceID, leave: leave, begun: time.Now(), over: map[string]bool{}}, nil
}

// Leave passes the turn to the next caller in the queue.
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

// AwaitFreshReads waits until reads show all that happened before the turn began, even if
// they lag. It reports false if that time was already over.
func (t *Turn) AwaitFreshReads(ctx context.Context) (waited bool, err error) {
	left := ReadLag - time.Since(t.begun)
	if left <= 0 {
		return false, nil
	}
	return true, lifetime.Pause(ctx, left)
}

// BusySince reports whether the instance has refused a mutation of this turn since begun
// because it was busy. Earlier reads may then be outdated.
func (t *Turn) BusySince(begun time.Time) bool { return !t.busyUntil.Before(begun) }

// InstanceID returns the id of the instance that the turn belongs to.
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
