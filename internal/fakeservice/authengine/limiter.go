package authengine

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// window is the time in which attempts are counted.
const window = 5 * time.Minute

// limiter counts attempts by their origin. It slows down clients that guess passwords or
// codes or fill the database with accounts; other clients do not notice it.
type limiter struct {
	attempts int

	mu      sync.Mutex
	counted map[string]int
	since   time.Time
}

func newLimiter(attempts int) *limiter {
	return &limiter{attempts: attempts, counted: map[string]int{}, since: time.Now()}
}

// take counts an attempt under each name, and returns an error if there were too many.
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

// The kinds of attempts. Each is counted separately, so that frequent sign-ins do not use
// up the limit of mails.
const (
	toSignIn  = "sign-in"
	toRefresh = "refresh"
	toMail    = "mail"
	toVerify  = "verification"
	toChange  = "change"
)

// attempt counts an attempt by its caller and, unless email is empty, by its e-mail
// address.
func (c *core) attempt(r *request, what, email string) error {
	names := []string{what + " from " + r.caller()}
	if email != "" {
		names = append(names, what+" for "+email)
	}
	return c.limits.take(names...)
}

// caller returns the address that a request comes from.
func (r *request) caller() string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
