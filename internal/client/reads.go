package client

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// aloneReads is how many instances are read one by one before the list is.
const aloneReads = 2

// reads coalesces what a refresh reads. A configuration of fifty instances asks
// for each of them; one list answers all. Nothing is served from before a
// change that this process made.
type reads struct {
	plans     *shared[Plans]
	locations *shared[[]Location]
	// instances are read one by one, all of them for an absence or a creation,
	// and page by page for a refresh of many.
	instance     *shared[Instance]
	allInstances *shared[[]Instance]
	pages        *shared[page[Instance]]
	apps         *shared[[]App]
	databases    *shared[[]Database]
	extensions   *shared[[]Extension]
	webhooks     *shared[[]Webhook]
	// jobs and the builds of an app are read again and again, by who waits for them.
	jobs   *shared[Job]
	builds *shared[[]Build]

	sequence *sequence

	mu        sync.Mutex
	changedAt map[string]moment // each instance's newest change
	asked     map[string]bool   // the instances asked for so far
	snapshot  snapshot
}

// A snapshot is the list of instances, as far as a refresh needed it.
type snapshot struct {
	begun  moment
	broken bool // it could not be read, and each instance is read alone
	walk   pages
	count  int
	listed map[string]listed
}

// listed is an instance with when its page was read.
type listed struct {
	instance Instance
	begun    moment
}

func newReads() *reads {
	s := &sequence{}
	return &reads{
		sequence:     s,
		plans:        newShared[Plans](s),
		locations:    newShared[[]Location](s),
		instance:     newShared[Instance](s),
		allInstances: newShared[[]Instance](s),
		pages:        newShared[page[Instance]](s),
		apps:         newShared[[]App](s),
		databases:    newShared[[]Database](s),
		extensions:   newShared[[]Extension](s),
		webhooks:     newShared[[]Webhook](s),
		jobs:         newShared[Job](s),
		builds:       newShared[[]Build](s),
		changedAt:    map[string]moment{},
		asked:        map[string]bool{},
	}
}

// changed notes that an instance is being or has been changed: what was read
// before, or is being read now, serves nobody any more.
func (r *reads) changed(instanceID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changedAt[instanceID] = r.sequence.now()
}

// lastChange is when this process changed an instance last, zero if it has not.
func (r *reads) lastChange(instanceID string) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changedAt[instanceID].at
}

// ofInstance accepts a recent reading that was begun after the newest change of
// an instance.
func (r *reads) ofInstance(id string) freshness {
	fresh := recent()
	return func(begun moment) bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return fresh(begun) && begun.order > r.changedAt[id].order
	}
}

// RefreshInstance reads an instance for a refresh. The first two instances of a
// process are read alone; from the third on the list is read, page by page and
// never more pages than instances were asked for. What the list does not hold,
// and all where it cannot be read, is read alone. ErrNotFound is told only of a
// confirmed absence.
func (c *Client) RefreshInstance(ctx context.Context, id string) (Instance, error) {
	instance, err := c.refreshInstance(ctx, id)
	if errors.Is(err, ErrNotFound) {
		if at, unlisted := c.reads.unlistedAt(id); unlisted {
			c.absences.unlisted(instanceSubject(id), at)
		}
	}
	return present(ctx, c, instanceSubject(id), instance, err, func(ctx context.Context) (Instance, error) {
		return c.Instance(ctx, id)
	}, c.listsInstance(id))
}

func (c *Client) refreshInstance(ctx context.Context, id string) (Instance, error) {
	isFresh := c.reads.ofInstance(id)
	if c.reads.listDue(id) {
		if err := c.readListFor(ctx, id, isFresh); err != nil {
			return Instance{}, err
		}
	}
	if instance, ok := c.reads.listedInstance(id, isFresh); ok {
		return instance, nil
	}
	return c.reads.instance.get(ctx, id, isFresh, func(ctx context.Context) (Instance, error) {
		return c.Instance(ctx, id)
	})
}

// SeenInstance returns an instance as RefreshInstance would, if that needs no request.
func (c *Client) SeenInstance(id string) (Instance, bool) {
	isFresh := c.reads.ofInstance(id)
	if instance, ok := c.reads.listedInstance(id, isFresh); ok {
		return instance, true
	}
	return c.reads.instance.peek(id, isFresh)
}

// listDue notes that an instance is asked for, and tells whether enough were
// for the list to be read.
func (r *reads) listDue(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked[id] = true
	return len(r.asked) > aloneReads
}

func (r *reads) listedInstance(id string, isFresh freshness) (Instance, bool) {
	r.mu.Lock()
	entry, ok := r.snapshot.listed[id]
	r.mu.Unlock()
	return entry.instance, ok && isFresh(entry.begun)
}

// unlistedAt tells when a list that was read to its end did not hold an instance,
// if there is such a list that is still fresh.
func (r *reads) unlistedAt(id string) (time.Time, bool) {
	isFresh := r.ofInstance(id)
	r.mu.Lock()
	s := r.snapshot
	_, listed := s.listed[id]
	r.mu.Unlock()
	return s.begun.at, !listed && !s.broken && s.count > 0 && !s.walk.next() && isFresh(s.begun)
}

// readListFor reads pages until the instance is found, the list has ended or
// enough pages were read. That the list cannot be read is no error: it only
// saves requests. The error is the context's.
func (c *Client) readListFor(ctx context.Context, id string, isFresh freshness) error {
	for fresh := recent(); ; {
		if _, ok := c.reads.listedInstance(id, isFresh); ok {
			return nil
		}
		cursor, due := c.reads.nextPage(fresh)
		if !due {
			return nil
		}
		if err := c.readPage(ctx, cursor); err != nil || ended(ctx) {
			return CauseOf(ctx)
		}
	}
}

// readPage reads a page of the list into the snapshot, unless somebody does already.
func (c *Client) readPage(ctx context.Context, cursor string) error {
	_, err := c.reads.pages.get(ctx, cursor, c.reads.unread(cursor), func(ctx context.Context) (page[Instance], error) {
		begun := c.reads.sequence.now()
		p, err := listPage[Instance](ctx, c, "instances", cursor, request{path: []string{"instances"}})
		if !c.reads.addPage(cursor, p, begun, err) {
			c.reads.pages.drop(cursor) // the snapshot was begun anew, and reads it again
		}
		return page[Instance]{}, err // the snapshot has it
	})
	return err
}

// nextPage is the page of the list to read next, if one is due.
func (r *reads) nextPage(fresh freshness) (cursor string, due bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !fresh(r.snapshot.begun) {
		r.snapshot = snapshot{begun: r.sequence.now(), listed: map[string]listed{}}
	}
	s := &r.snapshot
	return s.walk.cursor, !s.broken && s.walk.next() && s.count < len(r.asked)
}

// unread accepts the reading of a page that belongs to the snapshot. Once the
// page is part of it, or of none any more, any will do.
func (r *reads) unread(cursor string) freshness {
	return func(begun moment) bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return begun.order > r.snapshot.begun.order || r.snapshot.walk.cursor != cursor
	}
}

// addPage adds a page to the snapshot, or notes that it could not be read. It is false
// where the snapshot has no use for the page.
func (r *reads) addPage(cursor string, p page[Instance], begun moment, err error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &r.snapshot
	if cursor != s.walk.cursor {
		return false
	}
	if err != nil {
		s.broken = true
		return false
	}
	s.count++
	s.walk.read(p.next)
	for _, instance := range p.items {
		s.listed[instance.ID] = listed{instance: instance, begun: begun}
	}
	return true
}

// RefreshApp reads an app for a refresh: the apps of an instance are listed
// once. An app that the list lacks is read alone. ErrNotFound is told only of a
// confirmed absence.
func (c *Client) RefreshApp(ctx context.Context, instanceID, name string) (App, error) {
	apps, err := c.sharedApps(ctx, instanceID, c.reads.ofInstance(instanceID))
	app, listed := find(apps, name)
	if !listed { // nor is any in a list that could not be read
		app, err = c.App(ctx, instanceID, name)
	}
	return present(ctx, c, childSubject(instanceID, "apps", name), app, err, func(ctx context.Context) (App, error) {
		return c.App(ctx, instanceID, name)
	}, func(ctx context.Context, isFresh freshness) (bool, error) {
		apps, err := c.sharedApps(ctx, instanceID, isFresh)
		_, listed := find(apps, name)
		return listed, err
	})
}

func (c *Client) sharedApps(ctx context.Context, instanceID string, isFresh freshness) ([]App, error) {
	return c.reads.apps.get(ctx, instanceID, isFresh, func(ctx context.Context) ([]App, error) { return c.Apps(ctx, instanceID) })
}

// RefreshDatabase reads a database for a refresh: the databases of an instance
// are listed once. ErrNotFound is told only of a confirmed absence.
func (c *Client) RefreshDatabase(ctx context.Context, instanceID, name string) (Database, error) {
	read := func(ctx context.Context, isFresh freshness) (Database, error) {
		databases, err := c.sharedDatabases(ctx, instanceID, isFresh)
		database, found := find(databases, name)
		if err == nil && !found {
			err = fmt.Errorf("database %s: %w", name, ErrNotFound)
		}
		return database, c.goneWithEngine(ctx, instanceID, "postgres", err)
	}
	database, err := read(ctx, c.reads.ofInstance(instanceID))
	return present(ctx, c, childSubject(instanceID, "databases", name), database, err, fresh(c, read), nil)
}

func (c *Client) sharedDatabases(ctx context.Context, instanceID string, isFresh freshness) ([]Database, error) {
	return c.reads.databases.get(ctx, instanceID, isFresh, func(ctx context.Context) ([]Database, error) { return c.Databases(ctx, instanceID) })
}

// RefreshExtension reads an extension for a refresh: the extensions of an
// instance are listed once. ErrNotFound is told only of a confirmed absence.
func (c *Client) RefreshExtension(ctx context.Context, instanceID, database, name string) (Extension, error) {
	id := Extension{Name: name, Database: database}.Identifier()
	read := func(ctx context.Context, isFresh freshness) (Extension, error) {
		extensions, err := c.reads.extensions.get(ctx, instanceID, isFresh, func(ctx context.Context) ([]Extension, error) {
			return c.Extensions(ctx, instanceID)
		})
		extension, found := findExtension(extensions, database, name)
		if err == nil && !found {
			err = fmt.Errorf("extension %s: %w", id, ErrNotFound)
		}
		return extension, c.goneWithEngine(ctx, instanceID, "postgres", err)
	}
	extension, err := read(ctx, c.reads.ofInstance(instanceID))
	return present(ctx, c, childSubject(instanceID, "extensions", id), extension, err, fresh(c, read), nil)
}

// goneWithEngine makes a refusal to read what is in an engine ErrNotFound, where the
// instance's record says that the engine is off: its data went with it. Any other
// error, and one that nothing can be said about, stays what it is.
func (c *Client) goneWithEngine(ctx context.Context, instanceID, engine string, err error) error {
	if !errors.Is(err, ErrValidation) {
		return err
	}
	instance, readErr := c.Instance(ctx, instanceID)
	if readErr != nil || !instance.Lacks(engine) {
		return err
	}
	return fmt.Errorf("%w with the engine %s: %w", ErrNotFound, engine, err)
}

// Lacks tells whether a record says that an engine is off. Where it tells of no
// engines it does not.
func (i Instance) Lacks(engine string) bool {
	_, on := i.Engines.Value[engine]
	return i.Engines.Set && !on
}

// RefreshEngine looks for an engine of an instance, for a refresh of what cannot be
// looked at itself. ErrNotFound is told only where it is confirmed that the engine is
// off, or the instance gone.
func (c *Client) RefreshEngine(ctx context.Context, instanceID, engine string) error {
	on := func(instance Instance, err error) (Instance, error) {
		if err == nil && instance.Lacks(engine) {
			err = fmt.Errorf("engine %s: %w", engine, ErrNotFound)
		}
		return instance, err
	}
	instance, err := c.RefreshInstance(ctx, instanceID)
	if err != nil {
		return err
	}
	_, err = on(instance, nil)
	_, err = present(ctx, c, childSubject(instanceID, "engines", engine), instance, err, func(ctx context.Context) (Instance, error) {
		return on(c.Instance(ctx, instanceID))
	}, nil)
	return err
}

// RefreshWebhook reads a webhook endpoint for a refresh. ErrNotFound is told only
// of a confirmed absence.
func (c *Client) RefreshWebhook(ctx context.Context, id string) (Webhook, error) {
	webhook, err := c.Webhook(ctx, id)
	return present(ctx, c, subject{id: "webhooks/" + id}, webhook, err, func(ctx context.Context) (Webhook, error) {
		return c.Webhook(ctx, id)
	}, func(ctx context.Context, isFresh freshness) (bool, error) {
		webhooks, err := c.reads.webhooks.get(ctx, "", isFresh, c.Webhooks)
		_, listed := find(webhooks, id)
		return listed, err
	})
}

// fresh reads what is begun from now on.
func fresh[T any](c *Client, read func(context.Context, freshness) (T, error)) func(context.Context) (T, error) {
	return func(ctx context.Context) (T, error) { return read(ctx, since(c.reads.sequence.now())) }
}
