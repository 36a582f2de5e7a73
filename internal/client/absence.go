package client

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// absencePause is what lies at least between two looks that confirm an absence:
// reads may lag behind writes by some seconds (contract.md, last section).
const absencePause = 15 * time.Second

// A thing is what can be absent.
type thing struct {
	id       string
	instance string // the instance that it is on; "" for an instance and for what is the account's
}

func instanceThing(id string) thing { return thing{id: "instances/" + id} }

func childThing(instanceID, collection, name string) thing {
	return thing{id: "instances/" + instanceID + "/" + collection + "/" + name, instance: "instances/" + instanceID}
}

// absences are the things that the service has said it does not know.
type absences struct {
	mu        sync.Mutex
	firstSeen map[string]time.Time
	confirmed map[string]bool
}

func newAbsences() *absences {
	return &absences{firstSeen: map[string]time.Time{}, confirmed: map[string]bool{}}
}

// seen notes that a thing was absent now, and tells since when it is.
func (a *absences) seen(t thing) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	if at, known := a.firstSeen[t.id]; known {
		return at
	}
	a.firstSeen[t.id] = time.Now()
	return a.firstSeen[t.id]
}

// confirm notes that a thing's absence is confirmed.
func (a *absences) confirm(t thing) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.confirmed[t.id] = true
}

// unlisted notes that a list that was read at a time did not hold a thing that is
// absent now. It is as good as having seen its absence then, so that the pauses of
// all that a refresh finds absent, one after the other, pass together.
func (a *absences) unlisted(t thing, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, known := a.firstSeen[t.id]; !known {
		a.firstSeen[t.id] = at
	}
}

// forget notes that a thing is there, or that its absence could not be confirmed.
func (a *absences) forget(t thing) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.firstSeen, t.id)
	delete(a.confirmed, t.id)
}

// known tells whether the absence of a thing, or of the instance that it is on,
// is confirmed already.
func (a *absences) known(t thing) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.confirmed[t.id] || t.instance != "" && a.confirmed[t.instance]
}

// A lister tells whether the list that a thing is part of holds it, by a reading
// that is believed.
type lister func(ctx context.Context, believed believer) (bool, error)

// present gives what a read of a thing gave. When that is the service's own word
// that it does not know it, it is confirmed first: the record says so twice, 15 s
// apart, and the list, where there is one, does not hold it. Only then the error
// is ErrNotFound. The pauses of all that are looked for at once pass together,
// and what is on an instance that is gone is gone with it.
func present[T any](ctx context.Context, c *Client, t thing, value T, err error, again func(context.Context) (T, error), lists lister) (T, error) {
	if errors.Is(err, ErrNotFound) && !c.absences.known(t) {
		value, err = confirm(ctx, c, t, again, lists)
	}
	if !errors.Is(err, ErrNotFound) {
		c.absences.forget(t) // what is not confirmed begins anew
	}
	return value, err
}

func confirm[T any](ctx context.Context, c *Client, t thing, again func(context.Context) (T, error), lists lister) (T, error) {
	due := c.absences.seen(t).Add(absencePause)
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
		return value, fmt.Errorf("could not confirm that %s is gone: %w", t.id, listErr)
	case listed:
		return value, fmt.Errorf("%s is reported as not found, but is in the list: %w", t.id, ErrContradiction)
	}
	c.absences.confirm(t)
	return value, err
}

// ErrContradiction is a thing of which the service says both that it is there
// and that it is not.
var ErrContradiction = errors.New("the service's answers contradict each other")

// listsStill asks the list. Where the service has no such list, or no more, the
// record alone decides.
func listsStill(ctx context.Context, lists lister, believed believer) (bool, error) {
	if lists == nil {
		return false, nil
	}
	listed, err := lists(ctx, believed)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return listed, err
}

// listsInstance asks the list of instances for one.
func (c *Client) listsInstance(id string) lister {
	return func(ctx context.Context, believed believer) (bool, error) {
		instances, err := c.reads.allInstances.get(ctx, "", believed, c.Instances)
		_, listed := find(instances, id)
		return listed, err
	}
}

// instanceGone looks whether an instance's absence is confirmed. A nil error
// with false means that it is there.
func (c *Client) instanceGone(ctx context.Context, id string) (bool, error) {
	read := func(ctx context.Context) (Instance, error) { return c.Instance(ctx, id) }
	instance, err := read(ctx)
	_, err = present(ctx, c, instanceThing(id), instance, err, read, c.listsInstance(id))
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
