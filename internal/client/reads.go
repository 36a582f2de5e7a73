package client

import (
	"context"
	"errors"
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
	changedAt map[string]readSeq // each instance's newest change
	asked     map[string]bool    // the instances requested so far
	snapshot  snapshot
}

// pages iterates over the pages of a list.
type pages struct {
	cursor  string
	ended   bool
	repeats bool // a cursor came twice: the list has shifted
	seen    map[string]bool
}

// next reports whether there is a page to read at cursor.
func (p *pages) next() bool { return !p.ended }

// read records that the page at cursor was read, and the cursor of the next page.
func (p *pages) read(next string) {
	if p.seen == nil {
		p.seen = map[string]bool{}
	}
	p.seen[p.cursor] = true
	p.cursor, p.repeats = next, next != "" && p.seen[next]
	p.ended = next == "" || p.repeats
}

// A snapshot is the part of the list of instances that a refresh has read.
type snapshot struct {
	begun  readSeq
	broken bool // it could not be read, and each instance is read individually
	walk   pages
	count  int
	listed map[string]listed
}

// listed is an instance and the time when its page was read.
type listed struct {
	instance Instance
	begun    readSeq
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
		changedAt:    map[string]readSeq{},
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
	return func(begun readSeq) bool {
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
	return confirmAbsence(ctx, c, instanceSubject(id), instance, err, func(ctx context.Context) (Instance, error) {
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
	return c.ownRecord(ctx, id)
}

// RefreshUnlistedInstance is like RefreshInstance, but does not use the list. A list may
// have only summaries of the records.
func (c *Client) RefreshUnlistedInstance(ctx context.Context, id string) (Instance, error) {
	instance, err := c.ownRecord(ctx, id)
	return confirmAbsence(ctx, c, instanceSubject(id), instance, err, func(ctx context.Context) (Instance, error) {
		return c.Instance(ctx, id)
	}, c.listsInstance(id))
}

// ownRecord reads an instance individually, once for all callers.
func (c *Client) ownRecord(ctx context.Context, id string) (Instance, error) {
	return c.reads.instance.get(ctx, id, c.reads.ofInstance(id), func(ctx context.Context) (Instance, error) {
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
	return func(begun readSeq) bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return begun.order > r.snapshot.begun.order || r.snapshot.walk.cursor != cursor
	}
}

// addPage adds a page to the snapshot, or records that the page could not be read. It
// returns false if the snapshot does not use the page.
func (r *reads) addPage(cursor string, p page[Instance], begun readSeq, err error) bool {
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
	if s.broken = s.walk.repeats || len(p.unreadable) > 0; s.broken {
		return false
	}
	for _, instance := range p.items {
		if _, twice := s.listed[instance.ID]; twice {
			s.broken = true // the list has shifted, so it may lack another
		}
		s.listed[instance.ID] = listed{instance: instance, begun: begun}
	}
	return true
}

// fresh returns a function that accepts only readings begun after its call.
func fresh[T any](c *Client, read func(context.Context, freshness) (T, error)) func(context.Context) (T, error) {
	return func(ctx context.Context) (T, error) { return read(ctx, since(c.reads.sequence.now())) }
}
