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
	awaited  map[string]chan struct{} // closed when a key is read next; see newer
}

// A reading is one read, under way or ended.
type reading[T any] struct {
	begun moment
	done  chan struct{}
	value T
	err   error
}

func newShared[T any](s *sequence) *shared[T] {
	return &shared[T]{sequence: s, readings: map[string]*reading[T]{}, awaited: map[string]chan struct{}{}}
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
	if awaited, ok := s.awaited[key]; ok {
		close(awaited)
		delete(s.awaited, key)
	}
	go func() {
		defer close(r.done)
		if r.value, r.err = read(context.WithoutCancel(ctx)); r.err != nil {
			s.forget(key, r)
		}
	}()
	return r
}

// peek returns the newest reading of a key if it has ended well and is fresh enough.
func (s *shared[T]) peek(key string, isFresh freshness) (value T, ok bool) {
	s.mu.Lock()
	r := s.readings[key]
	s.mu.Unlock()
	if r == nil || !isFresh(r.begun) {
		return value, false
	}
	select {
	case <-r.done:
		return r.value, r.err == nil
	default:
		return value, false
	}
}

// drop has the next who asks for a key read anew.
func (s *shared[T]) drop(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.readings, key)
}

// forget drops a reading, unless a newer one has taken its place.
func (s *shared[T]) forget(key string, r *reading[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readings[key] == r {
		delete(s.readings, key)
	}
}

// A follower reads a key again and again, beside others who do. Whoever reads first
// reads for all: the others are told, and join in.
type follower[T any] struct {
	shared *shared[T]
	key    string
	seen   moment // when it began, or the newest reading that it has had
}

func (s *shared[T]) follow(key string) *follower[T] {
	return &follower[T]{shared: s, key: key, seen: s.sequence.now()}
}

// read gives a reading that is newer than the one before.
func (f *follower[T]) read(ctx context.Context, read func(context.Context) (T, error)) (T, error) {
	r := f.shared.join(ctx, f.key, f.isNew, read)
	select {
	case <-r.done:
	case <-ctx.Done():
		var none T
		return none, CauseOf(ctx)
	}
	f.seen = r.begun
	return r.value, r.err
}

func (f *follower[T]) isNew(begun moment) bool { return begun.order > f.seen.order }

// newer is closed once somebody has begun to read anew.
func (f *follower[T]) newer() <-chan struct{} {
	s := f.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.readings[f.key]; ok && f.isNew(r.begun) {
		begun := make(chan struct{})
		close(begun)
		return begun
	}
	if s.awaited[f.key] == nil {
		s.awaited[f.key] = make(chan struct{})
	}
	return s.awaited[f.key]
}

// end drops what was read: nobody needs it after the end of a wait.
func (f *follower[T]) end() {
	s := f.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.readings, f.key)
	delete(s.awaited, f.key)
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
