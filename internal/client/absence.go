package client

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// absencePause is what lies at least between two looks that confirm an absence:
// reads may lag behind writes by some seconds (SERVICE.md#tolerance).
const absencePause = 15 * time.Second

// A subject is what can be absent: an instance, something on one, or a webhook
// endpoint.
type subject struct {
	id       string
	instance string // the instance that it is on; "" for an instance and for what is the account's
}

func instanceSubject(id string) subject { return subject{id: "instances/" + id} }

func childSubject(instanceID, collection, name string) subject {
	return subject{id: "instances/" + instanceID + "/" + collection + "/" + name, instance: "instances/" + instanceID}
}

// absences are what the service has said it does not know.
type absences struct {
	mu        sync.Mutex
	firstSeen map[string]time.Time
	confirmed map[string]bool
}

func newAbsences() *absences {
	return &absences{firstSeen: map[string]time.Time{}, confirmed: map[string]bool{}}
}

// seen notes that a subject was absent now, and tells since when it is.
func (a *absences) seen(s subject) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	if at, known := a.firstSeen[s.id]; known {
		return at
	}
	a.firstSeen[s.id] = time.Now()
	return a.firstSeen[s.id]
}

// confirm notes that a subject's absence is confirmed.
func (a *absences) confirm(s subject) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.confirmed[s.id] = true
}

// unlisted notes that a list that was read at a time did not hold a subject that is
// absent now. It is as good as having seen its absence then, so that the pauses of
// all that a refresh finds absent, one after the other, pass together.
func (a *absences) unlisted(s subject, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, known := a.firstSeen[s.id]; !known {
		a.firstSeen[s.id] = at
	}
}

// forget notes that a subject is there, or that its absence could not be confirmed.
func (a *absences) forget(s subject) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.firstSeen, s.id)
	delete(a.confirmed, s.id)
}

// known tells whether the absence of a subject, or of the instance that it is on,
// is confirmed already.
func (a *absences) known(s subject) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.confirmed[s.id] || s.instance != "" && a.confirmed[s.instance]
}

// A lister tells whether the list that a subject is part of holds it, by a reading
// that is fresh enough.
type lister func(ctx context.Context, isFresh freshness) (bool, error)

// present gives what a read of a subject gave. When that is the service's own word
// that it does not know it, it is confirmed first: the record says so twice, 15 s
// apart, and the list, where there is one, does not hold it. Only then the error
// is ErrNotFound. The pauses of all that are looked for at once pass together,
// and what is on an instance that is gone is gone with it.
func present[T any](ctx context.Context, c *Client, s subject, value T, err error, again func(context.Context) (T, error), lists lister) (T, error) {
	if errors.Is(err, ErrNotFound) && !c.absences.known(s) {
		value, err = confirm(ctx, c, s, again, lists)
	}
	if !errors.Is(err, ErrNotFound) {
		c.absences.forget(s) // what is not confirmed begins anew
	}
	return value, err
}

func confirm[T any](ctx context.Context, c *Client, s subject, again func(context.Context) (T, error), lists lister) (T, error) {
	due := c.absences.seen(s).Add(absencePause)
	if err := pause(ctx, time.Until(due)); err != nil {
		var none T
		return none, err
	}
	value, err := again(ctx)
	if !errors.Is(err, ErrNotFound) {
		return value, err
	}
	fresh := recent()
	listed, listErr := listsStill(ctx, lists, func(begun moment) bool { return !begun.at.Before(due) && fresh(begun) })
	switch {
	case listErr != nil:
		return value, fmt.Errorf("could not confirm that %s is gone: %w", s.id, listErr)
	case listed:
		return value, fmt.Errorf("%s is reported as not found, but is in the list: %w", s.id, ErrContradiction)
	}
	c.absences.confirm(s)
	return value, err
}

// ErrContradiction is something of which the service says both that it is there
// and that it is not.
var ErrContradiction = errors.New("the service's answers contradict each other")

// listsStill asks the list. Where the service has no such list, or no more, the
// record alone decides.
func listsStill(ctx context.Context, lists lister, isFresh freshness) (bool, error) {
	if lists == nil {
		return false, nil
	}
	listed, err := lists(ctx, isFresh)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return listed, err
}

// listsInstance asks the list of instances for one.
func (c *Client) listsInstance(id string) lister {
	return func(ctx context.Context, isFresh freshness) (bool, error) {
		instances, err := c.reads.allInstances.get(ctx, "", isFresh, c.Instances)
		_, listed := find(instances, id)
		return listed, err
	}
}

// instanceGone looks whether an instance's absence is confirmed. A nil error
// with false means that it is there.
func (c *Client) instanceGone(ctx context.Context, id string) (bool, error) {
	read := func(ctx context.Context) (Instance, error) { return c.Instance(ctx, id) }
	instance, err := read(ctx)
	_, err = present(ctx, c, instanceSubject(id), instance, err, read, c.listsInstance(id))
	if errors.Is(err, ErrNotFound) {
		return true, nil
	}
	return false, err
}

// find finds a record in a list by its identifier.
func find[T record](records []T, id string) (T, bool) {
	for _, r := range records {
		if r.Identifier() == id {
			return r, true
		}
	}
	var none T
	return none, false
}
