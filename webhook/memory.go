package webhook

import (
	"context"
	"sync"
)

// Memory stores the ids of handled deliveries and events. It must store them while a
// delivery may be repeated, which is 15 hours, and must be safe for concurrent use.
//
// A Memory in the receiver's database handles a delivery once even if the receiver is
// killed: write its ids in the transaction that handles it.
type Memory interface {
	// Knows reports whether an id is stored.
	Knows(ctx context.Context, id string) (bool, error)
	// Note stores ids.
	Note(ctx context.Context, ids ...string) error
}

// Recent is a Memory of the most recent ids. It is lost when the program ends.
type Recent struct {
	mu    sync.Mutex
	known map[string]bool
	// ring has the ids in order of arrival. Once it is full, the oldest is at next.
	ring []string
	next int
}

// NewRecent returns a Memory of this many ids, at least one. A delivery has two ids.
func NewRecent(ids int) *Recent {
	return &Recent{known: map[string]bool{}, ring: make([]string, 0, max(1, ids))}
}

// Knows reports whether an id is stored.
func (r *Recent) Knows(_ context.Context, id string) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[id], nil
}

// Note stores ids. If there are too many, it removes the oldest.
func (r *Recent) Note(_ context.Context, ids ...string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range ids {
		if r.known[id] {
			continue
		}
		if len(r.ring) < cap(r.ring) {
			r.ring = append(r.ring, id)
		} else {
			delete(r.known, r.ring[r.next])
			r.ring[r.next] = id
			r.next = (r.next + 1) % len(r.ring)
		}
		r.known[id] = true
	}
	return nil
}
