package webhook

import (
	"context"
	"sync"
)

// Memory remembers ids of what was handled, for as long as it may come again: retries end
// after 15 hours. It is safe for concurrent use.
//
// A memory in the receiver's database makes a delivery count once even where the receiver
// is killed while it handles it, if the id is written in the transaction of what is done.
type Memory interface {
	// Knows tells whether an id was noted.
	Knows(ctx context.Context, id string) (bool, error)
	// Note notes ids.
	Note(ctx context.Context, ids ...string) error
}

// Recent is a Memory of the last ids, which ends with the program.
type Recent struct {
	mu    sync.Mutex
	known map[string]bool
	// ring holds the ids in order, the oldest at next once it is full.
	ring []string
	next int
}

// NewRecent makes a Memory of so many ids, of which a delivery has two. Fewer than one
// are one.
func NewRecent(ids int) *Recent {
	return &Recent{known: map[string]bool{}, ring: make([]string, 0, max(1, ids))}
}

// Knows tells whether an id is among those that were noted last.
func (r *Recent) Knows(_ context.Context, id string) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[id], nil
}

// Note notes ids, and forgets the oldest where there are too many.
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
