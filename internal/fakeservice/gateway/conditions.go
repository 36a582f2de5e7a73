package gateway

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"golang.org/x/time/rate"
)

// Conditions apply to every request that is passed on, until they are changed. The zero
// value changes nothing.
type Conditions struct {
	// DateOffset shifts the Date header: it is ahead, or behind if the offset is negative.
	// It also applies to the gateway's own answers.
	DateOffset time.Duration
	// Lag makes reads return the state as it was that long ago. The service behind the
	// gateway gets it from LagOf.
	Lag time.Duration
	// Latency delays each request on its way to the service and the limit of requests. The
	// delay of a fault is added to it.
	Latency time.Duration
	// RateLimit rejects requests that exceed a rate.
	RateLimit RateLimit
}

// RateLimit is a token bucket with one token for each request. If it is empty, the answer
// is a 429 in the service's envelope with code rate_limited, and with Retry-After in whole
// seconds, rounded up.
type RateLimit struct {
	// PerSecond is the number of tokens added each second; 0 disables the limit.
	PerSecond float64
	// Burst is the capacity of the bucket. The default is one.
	Burst int
}

// SetConditions replaces the conditions. A rate limit that stays the same keeps its bucket.
func (g *Gateway) SetConditions(c Conditions) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c.RateLimit != g.conditions.RateLimit {
		g.limiter = nil
		if c.RateLimit.PerSecond > 0 {
			g.limiter = rate.NewLimiter(rate.Limit(c.RateLimit.PerSecond), max(c.RateLimit.Burst, 1))
		}
	}
	g.conditions = c
}

// Conditions returns the current conditions.
func (g *Gateway) Conditions() Conditions {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.conditions
}

// present returns everything that currently applies to requests.
func (g *Gateway) present() (Conditions, *rate.Limiter, outage) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.conditions, g.limiter, g.away
}

// outage is a time in which the service is unreachable.
type outage struct {
	until time.Time
	page  int
}

func (o outage) lasts() bool { return time.Now().Before(o.until) }

// Away makes the service unreachable for a time from now on. The answer to a request is a
// gateway's page with that status; if page is 0, the connection is closed instead. The
// service itself continues to work. A duration of 0 ends the outage.
func (g *Gateway) Away(d time.Duration, page int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.away = outage{time.Now().Add(d), page}
}

// tooMany rejects a request for which the bucket has no token.
func tooMany(wait time.Duration) *answer {
	seconds := int(math.Ceil(wait.Seconds()))
	out := envelope(http.StatusTooManyRequests, codeOf(http.StatusTooManyRequests),
		fmt.Sprintf("too many requests; try again in %d s", seconds))
	out.header.Set("Retry-After", strconv.Itoa(seconds))
	return out
}

type lagKey struct{}

// LagOf returns the age of the state that a request should be answered from, or 0 for the
// current state. ctx is the request's context.
func LagOf(ctx context.Context) time.Duration {
	lag, _ := ctx.Value(lagKey{}).(time.Duration)
	return lag
}
