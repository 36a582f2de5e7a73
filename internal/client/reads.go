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

// aloneReads is the number of instances that are read individually before the list is
// read.
const aloneReads = 2

// reads combines the reads of a refresh. A configuration of fifty instances asks for each
// of them; one list answers all. No read from before a change by this process is used
// after the change.
type reads struct {
	plans     *shared[Plans]
	locations *shared[[]Location]
	// instance has individual reads, allInstances has complete lists for an absence or a
	// creation, and pages has the pages for a refresh of many instances.
	instance     *shared[Instance]
	allInstances *shared[[]Instance]
	pages        *shared[page[Instance]]
	apps         *shared[[]App]
	databases    *shared[[]Database]
	extensions   *shared[[]Extension]
	webhooks     *shared[[]Webhook]
	// jobs and the builds of an app have the polls of the callers that wait for them. A poll
	// accepts a reading that another caller began after the previous poll.
	jobs   *shared[Job]
	builds *shared[[]Build]

	sequence *sequence

	mu        sync.Mutex
	changedAt map[string]moment // each instance's newest change
	asked     map[string]bool   // the instances requested so far
	snapshot  snapshot
}

// A snapshot is the part of the list of instances that a refresh has read.
type snapshot struct {
	begun  moment
	broken bool // it could not be read, and each instance is read individually
	walk   pages
	count  int
	listed map[string]listed
}

// listed is an instance and the time when its page was read.
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

// changed records that an instance is being changed or has been changed. Earlier reads,
// and reads in progress, are no longer used.
func (r *reads) changed(instanceID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changedAt[instanceID] = r.sequence.now()
}

// ofInstance accepts a recent reading that began after the newest change of an instance.
func (r *reads) ofInstance(id string) freshness {
	fresh := recent()
	return func(begun moment) bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return fresh(begun) && begun.order > r.changedAt[id].order
	}
}

// RefreshInstance reads an instance for a refresh. The first two instances of a process
// are read individually. From the third on, the list is read page by page, but never more
// pages than instances were requested. An instance that is not in the list is read
// individually, and so are all if the list cannot be read. It returns ErrNotFound only
// for a confirmed absence.
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

// SeenInstance returns the same result as RefreshInstance, if that needs no request.
func (c *Client) SeenInstance(id string) (Instance, bool) {
	isFresh := c.reads.ofInstance(id)
	if instance, ok := c.reads.listedInstance(id, isFresh); ok {
		return instance, true
	}
	return c.reads.instance.peek(id, isFresh)
}

// listDue records that an instance was requested, and reports whether there were enough
// requests to read the list.
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

// unlistedAt returns the time when a list without the instance was read. It returns false
// unless that list was read to its end and is still fresh.
func (r *reads) unlistedAt(id string) (time.Time, bool) {
	isFresh := r.ofInstance(id)
	r.mu.Lock()
	s := r.snapshot
	_, listed := s.listed[id]
	r.mu.Unlock()
	return s.begun.at, !listed && !s.broken && s.count > 0 && !s.walk.next() && isFresh(s.begun)
}

// readListFor reads pages until the instance is found, the list has ended or enough pages
// were read. A list that cannot be read is not an error, because it only saves requests.
// The only error is the context's.
func (c *Client) readListFor(ctx context.Context, id string, isFresh freshness) error {
	for fresh := recent(); ; {
		if _, ok := c.reads.listedInstance(id, isFresh); ok {
			return nil
		}
		cursor, due := c.reads.nextPage(fresh)
		if !due {
			return nil
		}
		if err := c.readPage(ctx, cursor); err != nil || lifetime.Ended(ctx) {
			return lifetime.CauseOf(ctx)
		}
	}
}

// readPage reads a page of the list into the snapshot, or joins a read in progress.
func (c *Client) readPage(ctx context.Context, cursor string) error {
	_, err := c.reads.pages.get(ctx, cursor, c.reads.unread(cursor), func(ctx context.Context) (page[Instance], error) {
		begun := c.reads.sequence.now()
		p, err := listPage[Instance](ctx, c, "instances", cursor, listing{Request: transport.Request{Path: []string{"instances"}}})
		if !c.reads.addPage(cursor, p, begun, err) {
			c.reads.pages.drop(cursor) // a new snapshot was begun, and must read it again
		}
		return page[Instance]{}, err // the snapshot has it
	})
	return err
}

// nextPage returns the cursor of the next page to read, and whether it must be read.
func (r *reads) nextPage(fresh freshness) (cursor string, due bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !fresh(r.snapshot.begun) {
		r.snapshot = snapshot{begun: r.sequence.now(), listed: map[string]listed{}}
	}
	s := &r.snapshot
	return s.walk.cursor, !s.broken && s.walk.next() && s.count < len(r.asked)
}

// unread accepts the reading of a page that belongs to the snapshot. If the snapshot does
// not need the page at cursor now, it accepts any reading.
func (r *reads) unread(cursor string) freshness {
	return func(begun moment) bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return begun.order > r.snapshot.begun.order || r.snapshot.walk.cursor != cursor
	}
}

// addPage adds a page to the snapshot, or records that the page could not be read. It
// returns false if the snapshot does not use the page.
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

// RefreshApp reads an app for a refresh. The apps of an instance are listed once. An app
// that is not in the list is read individually. It returns ErrNotFound only for a
// confirmed absence.
func (c *Client) RefreshApp(ctx context.Context, instanceID, name string) (App, error) {
	apps, err := c.sharedApps(ctx, instanceID, c.reads.ofInstance(instanceID))
	app, listed := find(apps, name)
	if !listed { // also if the list could not be read
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

// RefreshDatabase reads a database for a refresh. The databases of an instance are listed
// once. It returns ErrNotFound only for a confirmed absence.
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

// RefreshExtension reads an extension for a refresh. The extensions of an instance are
// listed once. It returns ErrNotFound only for a confirmed absence.
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

// goneWithEngine converts the refusal to read data of an engine to ErrNotFound if the
// instance's record shows that the engine is off, because then the data is deleted. It
// returns any other error unchanged, also if the record cannot be read.
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

// Lacks reports whether a record shows that an engine is off. It is false if the record
// has no engines field.
func (i Instance) Lacks(engine string) bool {
	_, on := i.Engines.Value[engine]
	return i.Engines.Set && !on
}

// RefreshEngine checks that an engine of an instance is on, for a refresh of objects that
// cannot be read themselves. It returns ErrNotFound only if it is confirmed that the
// engine is off or the instance gone.
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

// RefreshWebhook reads a webhook endpoint for a refresh. It returns ErrNotFound only for
// a confirmed absence.
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

// fresh returns a function that accepts only readings begun after its call.
func fresh[T any](c *Client, read func(context.Context, freshness) (T, error)) func(context.Context) (T, error) {
	return func(ctx context.Context) (T, error) { return read(ctx, since(c.reads.sequence.now())) }
}
