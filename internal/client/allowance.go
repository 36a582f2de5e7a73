package client

import (
	"math"
	"time"
)

const (
	// firstAllowance is at how many requests per second a client begins to look for
	// what the service allows it, after the first refusal. It doubles that with each
	// doublingTime.
	firstAllowance = 16
	doublingTime   = 500 * time.Millisecond
	// searchTime is how long a client can look so without asking for more than it can
	// send. What is refused later was not found by looking: it had paused.
	searchTime = 10 * doublingTime
	// plateau is how long after a refusal a client is back at what was refused.
	plateau = 4 * time.Second
	// cut is by how much less a client sends after a refusal, as a share.
	cut = 0.15
	// leastAllowance is what a client does not go below by itself: where many share a
	// bucket that holds next to nothing, they are refused however little each sends.
	leastAllowance = 4
	// together is within which a refusal that follows another has the same cause.
	together = 10 * time.Second
)

// An allowance is how many requests per second a client sends, once it has been
// refused for sending too many: none is known before. After each refusal it sends a
// little less than what was refused, comes back to that soon, stays near it for a
// while, and then asks for more and more (as CUBIC does for TCP): others who share
// the limit may have left. No method is safe for concurrent use.
type allowance struct {
	peak    float64   // what was refused last; 0 while that is being looked for
	begun   time.Time // the newest cut; zero before the first refusal
	next    time.Time // when the next request may be sent
	refused time.Time // the newest refusal
	served  recently  // requests
}

// rate is how many requests per second may be sent at a time.
func (a *allowance) rate(at time.Time) float64 {
	passed := max(0, at.Sub(a.begun).Seconds())
	switch {
	case a.begun.IsZero():
		return math.Inf(1)
	case a.peak == 0:
		return firstAllowance * math.Exp2(passed/doublingTime.Seconds())
	}
	return a.peak * (1 + cut*math.Pow(passed/plateau.Seconds()-1, 3))
}

// take gives a request its place, and tells how long that is to be waited for.
func (a *allowance) take(now time.Time) time.Duration {
	place := now
	if a.next.After(now) {
		place = a.next
	}
	a.next = place.Add(time.Duration(float64(time.Second) / a.rate(place)))
	return place.Sub(now)
}

// serve notes that a request was served.
func (a *allowance) serve(now time.Time) { a.served.note(now) }

// refuse notes that a request was refused, and that others may be sent from a time on.
func (a *allowance) refuse(now, opens time.Time) {
	rate, served := a.rate(now), a.served.rate(now)
	again := now.Sub(a.refused) < together
	a.refused = now
	least := rate * (1 - cut)
	if a.peak == 0 {
		least = rate / 2 // it was doubled over and over
	}
	switch {
	case a.begun.IsZero(), a.peak == 0 && now.Sub(a.begun) > searchTime:
		// Nothing is known but that there is a limit.
	case a.peak > 0 && served < rate/2 && !again:
		a.peak = max(2*served, firstAllowance) // it is others who sent too many
	default:
		a.peak = max(leastAllowance, min(rate, max(served, least)))
	}
	a.begun, a.next = opens, opens
}

// recently counts what happens per second, with a memory of about a second.
type recently struct {
	perSecond float64
	at        time.Time
}

func (r *recently) rate(now time.Time) float64 {
	return r.perSecond * math.Exp(-now.Sub(r.at).Seconds())
}

func (r *recently) note(now time.Time) { r.perSecond, r.at = r.rate(now)+1, now }
