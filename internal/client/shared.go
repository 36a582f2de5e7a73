package client

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// A moment is a point in the order of what a client does. Two things that happen
// at the same time by the clock still come one after the other.
type moment struct {
	at    time.Time
	order uint64
}

// A sequence gives out moments.
type sequence struct{ last atomic.Uint64 }

func (s *sequence) now() moment { return moment{at: time.Now(), order: s.last.Add(1)} }

// A freshness tells whether a reading is fresh enough, by when it was begun. Each
// caller makes one when it asks: a reading that is begun after that is not too old,
// however long it takes.
type freshness func(begun moment) bool

// shared makes equal reads one request: whoever asks while it is under way gets
// its answer, and whoever asks soon after gets it too, while it is fresh enough for
// them. No lock is held while a read is under way.
type shared[T any] struct {
	sequence *sequence

	mu       sync.Mutex
	readings map[string]*reading[T]
}

// A reading is one read, under way or ended.
type reading[T any] struct {
	begun moment
	done  chan struct{}
	value T
	err   error
}

func newShared[T any](s *sequence) *shared[T] {
	return &shared[T]{sequence: s, readings: map[string]*reading[T]{}}
}

// get gives the newest reading of a key that is fresh enough, judged by when it
// was begun, and reads anew where there is none. One that failed is shared
// only by those who were waiting for it. No single caller's cancellation ends a
// reading.
func (s *shared[T]) get(ctx context.Context, key string, isFresh freshness, read func(context.Context) (T, error)) (T, error) {
	for {
		r := s.join(ctx, key, isFresh, read)
		select {
		case <-r.done:
		case <-ctx.Done():
			var none T
			return none, CauseOf(ctx)
		}
		// What it read may have changed meanwhile.
		if r.err != nil || isFresh(r.begun) {
			return r.value, r.err
		}
	}
}

func (s *shared[T]) join(ctx context.Context, key string, isFresh freshness, read func(context.Context) (T, error)) *reading[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.readings[key]; ok && isFresh(r.begun) {
		return r
	}
	r := &reading[T]{begun: s.sequence.now(), done: make(chan struct{})}
	s.readings[key] = r
	go func() {
		defer close(r.done)
		if r.value, r.err = read(context.WithoutCancel(ctx)); r.err != nil {
			s.forget(key, r)
		}
	}()
	return r
}

// forget drops a reading, unless a newer one has taken its place.
func (s *shared[T]) forget(key string, r *reading[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readings[key] == r {
		delete(s.readings, key)
	}
}

// always accepts a reading for the life of the process.
func always(moment) bool { return true }

// since accepts a reading that was begun after a moment, and is not older than
// a snapshot may be.
func since(earliest moment) freshness {
	fresh := recent()
	return func(begun moment) bool { return begun.order > earliest.order && fresh(begun) }
}

// snapshotAge is how old a reading may be when it is asked for.
const snapshotAge = 30 * time.Second

// recent accepts a reading that is not older than a snapshot may be.
func recent() freshness {
	asked := time.Now()
	return func(begun moment) bool { return asked.Sub(begun.at) < snapshotAge }
}
