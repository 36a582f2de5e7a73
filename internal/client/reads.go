package client

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// snapshotAge is how long a list serves reads.
const snapshotAge = 30 * time.Second

// aloneReads is how many instances are read one by one before the list is.
const aloneReads = 2

// reads coalesces what a refresh reads. A configuration of fifty instances asks
// for each of them; one list answers all. Nothing is served from before a
// change that this process made.
type reads struct {
	flight singleflight.Group

	mu        sync.Mutex
	step      uint64                    // counts changes and the beginnings of reads
	changedAt map[string]uint64         // the step of each instance's newest change
	asked     map[string]bool           // the instances asked for so far
	instances map[string]seen[Instance] // from the list
	apps      map[string]seen[[]App]    // by instance
	pages     int                       // of the list, fetched
	cursor    string                    // of its next page
	listBegun time.Time
	listEnded bool
}

// seen is a record with when its reading began.
type seen[T any] struct {
	value T
	step  uint64
	at    time.Time
}

func newReads() *reads {
	return &reads{
		changedAt: map[string]uint64{},
		asked:     map[string]bool{},
		instances: map[string]seen[Instance]{},
		apps:      map[string]seen[[]App]{},
	}
}

// changed notes that an instance is being or has been changed: what was read
// before, or is being read now, serves nobody any more.
func (r *reads) changed(instanceID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.step++
	r.changedAt[instanceID] = r.step
	delete(r.apps, instanceID)
	delete(r.instances, instanceID)
}

// begin gives the step at which a read begins.
func (r *reads) begin() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.step++
	return r.step
}

// fresh tells whether what was read from a step on still holds. The lock is
// held.
func (r *reads) fresh(instanceID string, step uint64, at time.Time) bool {
	return step > r.changedAt[instanceID] && time.Since(at) < snapshotAge
}

// RefreshInstance reads an instance for a refresh. The first two instances of a
// process are read alone; from the third on the list is read, page by page and
// never more pages than instances were asked for. What the list does not hold
// is read alone: absence from it is never taken for deletion.
func (c *Client) RefreshInstance(ctx context.Context, id string) (Instance, error) {
	if c.reads.listDue(id) {
		if err := c.readListFor(ctx, id); err != nil {
			return Instance{}, err
		}
	}
	if instance, ok := c.reads.instance(id); ok {
		return instance, nil
	}
	return share(ctx, c.reads, id, "instance "+id, func(ctx context.Context) (Instance, error) {
		return c.Instance(ctx, id)
	})
}

// listDue notes that an instance is asked for, and tells whether enough were
// for the list to be read.
func (r *reads) listDue(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked[id] = true
	return len(r.asked) > aloneReads
}

func (r *reads) instance(id string) (Instance, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	entry, ok := r.instances[id]
	return entry.value, ok && r.fresh(id, entry.step, entry.at)
}

// readListFor reads pages until the instance is found, the list has ended or
// enough pages were read.
func (c *Client) readListFor(ctx context.Context, id string) error {
	for {
		if _, ok := c.reads.instance(id); ok {
			return nil
		}
		key, cursor, due := c.reads.nextPage()
		if !due {
			return nil
		}
		_, err := await(ctx, &c.reads.flight, key, func(ctx context.Context) (page[Instance], error) {
			step := c.reads.begin()
			p, err := listPage[Instance](ctx, c, "instances", cursor, "instances")
			if err == nil {
				c.reads.addPage(cursor, p, step)
			}
			return p, err
		})
		if err != nil {
			return err
		}
	}
}

// nextPage is the page of the list to read next, if one is due.
func (r *reads) nextPage() (key, cursor string, due bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.listBegun) >= snapshotAge {
		r.pages, r.cursor, r.listEnded = 0, "", false
	}
	return "page " + r.cursor, r.cursor, !r.listEnded && r.pages < len(r.asked)
}

func (r *reads) addPage(cursor string, p page[Instance], step uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cursor != r.cursor {
		return // another reading of the same page came first
	}
	now := time.Now()
	if r.pages == 0 {
		r.listBegun = now
	}
	r.pages++
	r.cursor, r.listEnded = p.next, p.next == "" || p.next == cursor
	for _, instance := range p.items {
		r.instances[instance.ID] = seen[Instance]{value: instance, step: step, at: now}
	}
}

// RefreshApp reads an app for a refresh: the apps of an instance are listed
// once. An app that the list lacks is read alone.
func (c *Client) RefreshApp(ctx context.Context, instanceID, name string) (App, error) {
	apps, err := c.refreshApps(ctx, instanceID)
	if err != nil {
		return App{}, err
	}
	for _, app := range apps {
		if app.Name == name {
			return app, nil
		}
	}
	return c.App(ctx, instanceID, name)
}

func (c *Client) refreshApps(ctx context.Context, instanceID string) ([]App, error) {
	c.reads.mu.Lock()
	entry, ok := c.reads.apps[instanceID]
	ok = ok && c.reads.fresh(instanceID, entry.step, entry.at)
	c.reads.mu.Unlock()
	if ok {
		return entry.value, nil
	}
	return share(ctx, c.reads, instanceID, "apps "+instanceID, func(ctx context.Context) ([]App, error) {
		step := c.reads.begin()
		apps, err := c.Apps(ctx, instanceID)
		if err == nil {
			c.reads.mu.Lock()
			c.reads.apps[instanceID] = seen[[]App]{value: apps, step: step, at: time.Now()}
			c.reads.mu.Unlock()
		}
		return apps, err
	})
}

// share makes concurrent equal reads of an instance one request. A read that
// was begun before the newest change is nobody's: neither joined nor believed.
func share[T any](ctx context.Context, r *reads, instanceID, key string, read func(context.Context) (T, error)) (T, error) {
	for {
		generation := r.generation(instanceID)
		value, err := await(ctx, &r.flight, fmt.Sprint(key, " at ", generation), read)
		if err != nil || r.generation(instanceID) == generation {
			return value, err
		}
	}
}

func (r *reads) generation(instanceID string) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changedAt[instanceID]
}

// await runs a read that all who ask for the same key share. No single caller's
// cancellation ends it.
func await[T any](ctx context.Context, flight *singleflight.Group, key string, read func(context.Context) (T, error)) (T, error) {
	results := flight.DoChan(key, func() (any, error) { return read(context.WithoutCancel(ctx)) })
	select {
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	case result := <-results:
		value, _ := result.Val.(T)
		return value, result.Err
	}
}
