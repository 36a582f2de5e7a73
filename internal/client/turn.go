package client

import (
	"context"
	"errors"
	"sync"
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

	// over has the jobs that AwaitIdle has waited for.
	over map[string]bool
	// names are the names of the apps or databases before the turn's last creation of one.
	names map[string]bool
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
	return &Turn{c: c, id: instanceID, leave: leave, over: map[string]bool{}}, nil
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
