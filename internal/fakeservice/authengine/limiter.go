package authengine

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// window is the time in which attempts are counted.
const window = 5 * time.Minute

// limiter counts attempts by whom they come from. Guessing passwords and
// filling the database with accounts becomes slow; nobody else notices.
type limiter struct {
	attempts int

	mu      sync.Mutex
	counted map[string]int
	since   time.Time
}

func newLimiter(attempts int) *limiter {
	return &limiter{attempts: attempts, counted: map[string]int{}, since: time.Now()}
}

// take counts an attempt under each name, and refuses it if there were too many.
func (l *limiter) take(names ...string) error {
	if l.attempts < 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.since) > window {
		l.since = time.Now()
		clear(l.counted)
	}
	for _, name := range names {
		l.counted[name]++
		if l.counted[name] > l.attempts {
			return &problem{http.StatusTooManyRequests, "over_request_rate_limit", "Request rate limit reached. Try again in a few minutes."}
		}
	}
	return nil
}

// caller is the address that a request comes from.
func (r *request) caller() string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
