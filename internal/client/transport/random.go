package transport

import (
	cryptorand "crypto/rand"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// Random is the only source of randomness of a client: the jitter of its pauses and its
// idempotency keys. A seeded source makes a whole run repeatable.
type Random struct {
	mu     sync.Mutex
	source *rand.Rand
}

// NewRandom returns a random with the given source. If the source is nil, it uses one
// seeded by the system.
func NewRandom(source rand.Source) *Random {
	if source == nil {
		var seed [32]byte
		cryptorand.Read(seed[:]) // never fails
		source = rand.NewChaCha8(seed)
	}
	return &Random{source: rand.New(source)}
}

// UpTo returns a duration from zero to a limit, both inclusive.
func (r *Random) UpTo(limit time.Duration) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Duration(r.source.Int64N(int64(limit) + 1))
}

// Jitter changes a delay randomly by up to a tenth in either direction.
func (r *Random) Jitter(d time.Duration) time.Duration {
	return d - d/10 + r.UpTo(d/5)
}

// Key returns a key for the Idempotency-Key header.
func (r *Random) Key() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return fmt.Sprintf("%016x%016x", r.source.Uint64(), r.source.Uint64())
}
