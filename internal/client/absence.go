package client

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// A subject is something that can be absent: an instance, a child of an instance, or a
// webhook endpoint.
type subject struct {
	id       string
	instance string // the id of the instance that it belongs to; "" for an instance or a webhook endpoint
}

func instanceSubject(id string) subject { return subject{id: "instances/" + id} }

func childSubject(instanceID, collection, name string) subject {
	return subject{id: "instances/" + instanceID + "/" + collection + "/" + name, instance: instanceID}
}

// absences records the subjects that the service reported as not found.
type absences struct {
	mu        sync.Mutex
	firstSeen map[string]time.Time
	confirmed map[string]bool
}

func newAbsences() *absences {
	return &absences{firstSeen: map[string]time.Time{}, confirmed: map[string]bool{}}
}

// seen records that a subject is absent now, and returns when its absence was first seen.
func (a *absences) seen(s subject) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	if at, known := a.firstSeen[s.id]; known {
		return at
	}
	a.firstSeen[s.id] = time.Now()
	return a.firstSeen[s.id]
}

// confirm records that a subject's absence is confirmed.
func (a *absences) confirm(s subject) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.confirmed[s.id] = true
}

// unlisted records that a list read at a given time did not contain a subject that is
// absent now. This counts as if its absence had been seen then. So when a refresh finds
// many absent subjects one after the other, their pauses overlap.
func (a *absences) unlisted(s subject, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, known := a.firstSeen[s.id]; !known {
		a.firstSeen[s.id] = at
	}
}

// forget records that a subject exists, or that its absence could not be confirmed.
func (a *absences) forget(s subject) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.firstSeen, s.id)
	delete(a.confirmed, s.id)
}

// known reports whether the absence of a subject, or of the instance that it belongs to,
// is already confirmed.
func (a *absences) known(s subject) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.confirmed[s.id] || s.instance != "" && a.confirmed[instanceSubject(s.instance).id]
}

// A lister reports whether the list that a subject belongs to contains it. It uses a
// reading that is fresh enough.
type lister func(ctx context.Context, isFresh freshness) (bool, error)

// confirmAbsence returns the result of a read of a subject. If the service reports that
// it does not know the subject, confirmAbsence confirms that first: two reads of the
// record, at least 15 s apart, must report it. The list, if one exists, must not contain
// the subject. Only then is the error ErrNotFound. The pauses of concurrent checks
// overlap. If an instance is confirmed gone, so are its children, whatever is answered below
// it.
func confirmAbsence[T any](ctx context.Context, c *Client, s subject, value T, err error, again func(context.Context) (T, error), lists lister) (T, error) {
	if s.instance != "" && errors.Is(err, ErrUnavailable) && !errors.Is(err, transport.ErrOutage) {
		err = c.unavailable(ctx, s.instance, err)
	}
	hides := (*HiddenError)(nil) // a replica may not know the instance yet
	if errors.Is(err, ErrNotFound) && !c.absences.known(s) || errors.As(err, &hides) {
		value, err = confirm(ctx, c, s, again, lists)
	}
	if !errors.Is(err, ErrNotFound) {
		c.absences.forget(s) // if the absence is not confirmed, the pause starts again
	}
	return value, err
}

// unavailable converts a 5xx of something below an instance. It returns ErrNotFound if the
// instance is confirmed gone. Otherwise the error has the status of an instance that does
// not run, because that may be the reason. The record is read without retries, because the
// whole service may be unavailable.
func (c *Client) unavailable(ctx context.Context, instanceID string, err error) error {
	instance, readErr := c.reads.instance.get(ctx, instanceID, c.reads.ofInstance(instanceID), func(ctx context.Context) (Instance, error) {
		return c.pollInstance(ctx, instanceID)
	})
	if errors.Is(readErr, ErrNotFound) {
		instance, readErr = c.RefreshInstance(ctx, instanceID)
	}
	switch {
	case errors.Is(readErr, ErrNotFound):
		return readErr
	case readErr == nil && instance.Status != StatusRunning && instance.Status != "":
		return fmt.Errorf("%w; instance %s is %s", err, instanceID, instance.Status)
	}
	return err
}

func confirm[T any](ctx context.Context, c *Client, s subject, again func(context.Context) (T, error), lists lister) (T, error) {
	due := c.absences.seen(s).Add(c.readLag)
	if err := lifetime.Pause(ctx, time.Until(due)); err != nil {
		var none T
		return none, err
	}
	value, err := again(ctx)
	if !errors.Is(err, ErrNotFound) {
		return value, err
	}
	fresh := recent()
	listed, listErr := false, error(nil)
	if lists != nil {
		listed, listErr = lists(ctx, func(begun readSeq) bool { return !begun.at.Before(due) && fresh(begun) })
	}
	switch {
	case errors.Is(listErr, ErrNotFound): // with what it belongs to
	case listErr != nil:
		return value, fmt.Errorf("could not confirm the absence of %s: %w", s.id, listErr)
	case listed:
		return value, fmt.Errorf("%s is reported as not found, but is in the list: %w", s.id, ErrContradiction)
	}
	c.absences.confirm(s)
	return value, err
}

// A HiddenError reports a collection that the service answers with "not found" although
// its owner exists. That proves nothing: the key may not be allowed to read it.
type HiddenError struct {
	Owner string // the owner of the collection: "instance i-1" or "the account"
	Err   *transport.APIError
}

func (e *HiddenError) Error() string {
	return fmt.Sprintf("%s, although %s exists", e.Err, e.Owner)
}

// hidden converts the answer "not found" of a collection of the account.
func hidden[T any](items []T, err error) ([]T, error) {
	if refusal := (*transport.APIError)(nil); errors.Is(err, ErrNotFound) && errors.As(err, &refusal) {
		err = &HiddenError{Owner: "the account", Err: refusal}
	}
	return items, err
}

// missing converts the refusal to read something that exists as long as its instance and
// its engine do. It returns ErrNotFound only if the instance is confirmed gone, or if its
// record shows that the engine is off: then the data is deleted. engine is "" for what the
// instance itself has.
func (c *Client) missing(ctx context.Context, instanceID, engine string, err error) error {
	refusal := (*transport.APIError)(nil)
	notFound := errors.Is(err, ErrNotFound)
	if !errors.As(err, &refusal) || !notFound && !errors.Is(err, ErrValidation) {
		return err
	}
	if c.absences.known(instanceSubject(instanceID)) {
		return fmt.Errorf("%w with instance %s: %w", ErrNotFound, instanceID, err)
	}
	instance, readErr := c.Instance(ctx, instanceID)
	if errors.Is(readErr, ErrNotFound) {
		instance, readErr = c.RefreshInstance(ctx, instanceID)
	}
	switch {
	case errors.Is(readErr, ErrNotFound):
		return readErr
	case readErr == nil && engine != "" && instance.Lacks(engine):
		return fmt.Errorf("%w with the engine %s: %w", ErrNotFound, engine, err)
	case !notFound:
		return err
	case readErr != nil:
		return fmt.Errorf("could not confirm that instance %s exists: %w", instanceID, readErr)
	}
	return &HiddenError{Owner: "instance " + instanceID, Err: refusal}
}
