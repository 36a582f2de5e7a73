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

// Conditions hold for every request that is passed on, until they are changed.
// The zero value is fair weather.
type Conditions struct {
	// DateOffset is how far the Date header is off: ahead, or behind where it is
	// negative. It holds for what the gateway answers by itself too.
	DateOffset time.Duration
	// Lag has reads answered from the state as it was that long ago. The service
	// behind the gateway finds it with LagOf.
	Lag time.Duration
	// Latency is how long each request is on its way, before the service or the limit
	// of requests sees it. What a fault delays is delayed besides.
	Latency time.Duration
	// RateLimit refuses what is too much.
	RateLimit RateLimit
}

// RateLimit is a bucket of tokens, one for each request. An empty one answers
// 429 in the service's envelope, code rate_limited, with Retry-After in whole
// seconds, rounded up.
type RateLimit struct {
	// PerSecond is how many tokens come each second; 0 is no limit.
	PerSecond float64
	// Burst is how many the bucket holds; 0 is one.
	Burst int
}

// SetConditions replaces the conditions. A rate limit that stays the same keeps
// its bucket.
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

// Conditions are those that hold now.
func (g *Gateway) Conditions() Conditions {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.conditions
}

// present is what holds for the requests of this moment.
func (g *Gateway) present() (Conditions, *rate.Limiter, outage) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.conditions, g.limiter, g.away
}

// outage is a time in which the service is not there.
type outage struct {
	until time.Time
	page  int
}

func (o outage) lasts() bool { return time.Now().Before(o.until) }

// Away takes the service away for a time, counted from now: requests are
// answered with a gateway's page of that status, or with 0 find their connection
// closed. What the service holds and does goes on. A time of 0 brings it back.
func (g *Gateway) Away(d time.Duration, page int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.away = outage{time.Now().Add(d), page}
}

// tooMany refuses a request for which there is no token.
func tooMany(wait time.Duration) *answer {
	seconds := int(math.Ceil(wait.Seconds()))
	out := envelope(http.StatusTooManyRequests, codeOf(http.StatusTooManyRequests),
		fmt.Sprintf("too many requests; try again in %d s", seconds))
	out.header.Set("Retry-After", strconv.Itoa(seconds))
	return out
}

type lagKey struct{}

// LagOf is how long ago the state was from which a request is to be answered, 0
// for the present one. ctx is the request's.
func LagOf(ctx context.Context) time.Duration {
	lag, _ := ctx.Value(lagKey{}).(time.Duration)
	return lag
}
