package client

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
)

// A readSeq is a point in the sequence of a client's actions. It orders even actions that
// happen at the same clock time.
type readSeq struct {
	at    time.Time
	order uint64
}

// A sequence returns increasing moments.
type sequence struct{ last atomic.Uint64 }

func (s *sequence) now() readSeq { return readSeq{at: time.Now(), order: s.last.Add(1)} }

// A freshness reports whether a reading that began at a point is fresh enough. Each
// caller creates its own when it asks. A reading begun later is never too old for that
// caller, however long it takes.
type freshness func(begun readSeq) bool

// shared combines equal reads into one request. Callers that ask during the request get
// its answer. Later callers get it, too, while it is fresh enough for them. No lock is
// held during a request.
type shared[T any] struct {
	sequence *sequence

	mu       sync.Mutex
	readings map[string]*reading[T]
}

// A reading is one read, in progress or ended.
type reading[T any] struct {
	begun readSeq
	done  chan struct{}
	value T
	err   error
}

func newShared[T any](s *sequence) *shared[T] {
	return &shared[T]{sequence: s, readings: map[string]*reading[T]{}}
}

// get returns the newest reading of a key that is fresh enough, judged by its beginning.
// If there is none, it starts a new one. A failed reading is returned only to the callers
// that were waiting for it. No single caller's cancellation ends a reading.
func (s *shared[T]) get(ctx context.Context, key string, isFresh freshness, read func(context.Context) (T, error)) (T, error) {
	for {
		r := s.join(ctx, key, isFresh, read)
		select {
		case <-r.done:
		case <-ctx.Done():
			var none T
			return none, lifetime.CauseOf(ctx)
		}
		// The data may have changed during the read.
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

// peek returns the newest reading of a key if it has succeeded and is fresh enough.
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

// drop invalidates the cached reading of a key.
func (s *shared[T]) drop(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.readings, key)
}

// forget drops a reading unless a newer one has replaced it.
func (s *shared[T]) forget(key string, r *reading[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readings[key] == r {
		delete(s.readings, key)
	}
}

// always accepts any reading of this process.
func always(readSeq) bool { return true }

// since accepts a reading that began after a point and is not older than snapshotAge.
func since(earliest readSeq) freshness {
	fresh := recent()
	return func(begun readSeq) bool { return begun.order > earliest.order && fresh(begun) }
}

// snapshotAge is the maximum age of a reading when a caller asks for it.
const snapshotAge = 30 * time.Second

// recent accepts a reading that is not older than snapshotAge.
func recent() freshness {
	asked := time.Now()
	return func(begun readSeq) bool { return asked.Sub(begun.at) < snapshotAge }
}
