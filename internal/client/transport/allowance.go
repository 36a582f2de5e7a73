package transport

import (
	"math"
	"time"
)

const (
	// firstAllowance is the rate, in requests per second, at which a client begins to search
	// for the service's limit after the first refusal. The rate doubles every doublingTime.
	firstAllowance = 16
	doublingTime   = 500 * time.Millisecond
	// searchTime is the longest time that a search can take: after it, the rate is higher
	// than a client can send. A refusal after that does not end a search, because the client
	// had paused.
	searchTime = 10 * doublingTime
	// plateau is the time after a refusal until the rate is again the refused rate.
	plateau = 4 * time.Second
	// cut is the share by which a client lowers its rate after a refusal.
	cut = 0.15
	// leastAllowance is the lowest rate to which a client slows down by itself. If many
	// clients share a very small bucket, slower requests are refused as well.
	leastAllowance = 4
	// together is the time within which consecutive refusals have the same cause.
	together = 10 * time.Second
)

// An allowance limits the requests per second of a client after the service has first
// refused it for sending too many. Before that, no limit is known. After each refusal the
// client sends slightly less than the refused rate, soon returns to it and stays near it
// for a while. Then it sends more and more (like CUBIC for TCP), because other clients
// that share the limit may have left. No method is safe for concurrent use.
type allowance struct {
	peak    float64   // the last refused rate; 0 while searching
	begun   time.Time // newest cut; zero before the first refusal
	next    time.Time // when the next request may be sent
	refused time.Time // newest refusal
	served  recently  // rate of served requests
}

// rate returns the allowed requests per second at a given time.
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

// take reserves the next slot for a request and returns the time until that slot.
func (a *allowance) take(now time.Time) time.Duration {
	place := now
	if a.next.After(now) {
		place = a.next
	}
	a.next = place.Add(time.Duration(float64(time.Second) / a.rate(place)))
	return place.Sub(now)
}

// serve records that a request was served.
func (a *allowance) serve(now time.Time) { a.served.note(now) }

// refuse records that a request was refused, and that no request may be sent before
// opens.
func (a *allowance) refuse(now, opens time.Time) {
	rate, served := a.rate(now), a.served.rate(now)
	again := now.Sub(a.refused) < together
	a.refused = now
	least := rate * (1 - cut)
	if a.peak == 0 {
		least = rate / 2 // the search has doubled the rate again and again
	}
	switch {
	case a.begun.IsZero(), a.peak == 0 && now.Sub(a.begun) > searchTime:
		// All that is known is that a limit exists.
	case a.peak > 0 && served < rate/2 && !again:
		a.peak = max(2*served, firstAllowance) // other clients sent too many requests
	default:
		a.peak = max(leastAllowance, min(rate, max(served, least)))
	}
	a.begun, a.next = opens, opens
}

// recently counts events per second, with a memory of about a second.
type recently struct {
	perSecond float64
	at        time.Time
}

func (r *recently) rate(now time.Time) float64 {
	return r.perSecond * math.Exp(-now.Sub(r.at).Seconds())
}

func (r *recently) note(now time.Time) { r.perSecond, r.at = r.rate(now)+1, now }
