package client

import (
	cryptorand "crypto/rand"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// random is the only source of randomness of a client: the jitter of its pauses and its
// idempotency keys. A seeded source makes a whole run repeatable.
type random struct {
	mu     sync.Mutex
	source *rand.Rand
}

// newRandom returns a random with the given source. If the source is nil, it uses one
// seeded by the system.
func newRandom(source rand.Source) *random {
	if source == nil {
		var seed [32]byte
		cryptorand.Read(seed[:]) // never fails
		source = rand.NewChaCha8(seed)
	}
	return &random{source: rand.New(source)}
}

// upTo returns a duration from zero to a limit, both inclusive.
func (r *random) upTo(limit time.Duration) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Duration(r.source.Int64N(int64(limit) + 1))
}

// jitter changes a delay randomly by up to a tenth in either direction.
func (r *random) jitter(d time.Duration) time.Duration {
	return d - d/10 + r.upTo(d/5)
}

// key returns a key for the Idempotency-Key header.
func (r *random) key() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return fmt.Sprintf("%016x%016x", r.source.Uint64(), r.source.Uint64())
}
