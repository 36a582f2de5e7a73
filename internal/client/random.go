package client

import (
	cryptorand "crypto/rand"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// random is where all chance of a client comes from: the jitter of its pauses
// and its idempotency keys. A seeded source makes a whole run repeatable.
type random struct {
	mu     sync.Mutex
	source *rand.Rand
}

// newRandom uses a source, or one that is seeded by the system.
func newRandom(source rand.Source) *random {
	if source == nil {
		var seed [32]byte
		cryptorand.Read(seed[:]) // never fails
		source = rand.NewChaCha8(seed)
	}
	return &random{source: rand.New(source)}
}

// upTo is a duration from zero to a limit, both included.
func (r *random) upTo(limit time.Duration) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Duration(r.source.Int64N(int64(limit) + 1))
}

// jitter spreads a delay by a tenth to both sides.
func (r *random) jitter(d time.Duration) time.Duration {
	return d - d/10 + r.upTo(d/5)
}

// key makes a key for the Idempotency-Key header.
func (r *random) key() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return fmt.Sprintf("%016x%016x", r.source.Uint64(), r.source.Uint64())
}
