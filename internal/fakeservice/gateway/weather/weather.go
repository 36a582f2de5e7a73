// Package weather generates random failures between client and service that can be
// repeated. A Weather provides a gateway.FaultFunc that draws from a seed.
//
// The failure of a request depends only on the seed, the request's number, and whether it
// reads or writes. Earlier requests have no influence. So the same requests in the same
// order always meet the same weather. A client that sends some of them concurrently meets
// it too, in a different order.
package weather

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
)

// Weather is an amount of failures.
type Weather int

// The weathers. No failure in a storm is permanent, and a write whose answer is lost is
// carried out sooner or later. A client gets through if it repeats requests that had no
// effect, and checks first if a request may have had one.
const (
	// Calm has no failures.
	Calm Weather = iota
	// Breeze affects one request in ten: limits, slow answers, reads that lag a little, and
	// a gateway's pages instead of reads.
	Breeze
	// Storm affects one request in four: all of the above, closed connections, answers that
	// are lost or cut after the commit, and late commits.
	Storm
)

var words = map[string]Weather{"calm": Calm, "breeze": Breeze, "storm": Storm}

// Parse reads the name of a weather.
func Parse(word string) (Weather, error) {
	w, known := words[word]
	if !known {
		return Calm, fmt.Errorf("the weather is calm, breeze or storm, not %q", word)
	}
	return w, nil
}

// String returns the name of the weather.
func (w Weather) String() string { return [...]string{"calm", "breeze", "storm"}[w] }

// DrawSeed returns a random seed that is not 0 and is short enough to retype.
func DrawSeed() uint64 { return 1 + rand.Uint64N(1<<20) }

// chance is the share of requests that a kind affects, in thousandths, and the range of its
// duration if it has one.
type chance struct {
	kind           Kind
	perMille       int
	least, longest time.Duration
}

// chances lists the kinds that can affect reads and writes in each weather.
var chances = map[Weather]struct{ reads, writes []chance }{
	Breeze: {
		reads: []chance{
			{TooMany, 20, 0, 0},
			{Slow, 30, 500 * time.Millisecond, 2 * time.Second},
			{Lagging, 30, time.Second, 3 * time.Second},
			{BadGateway, 10, 0, 0},
			{Unavailable, 10, 0, 0},
		},
		writes: []chance{
			{TooMany, 30, 0, 0},
			{Busy, 30, 0, 0},
			{Slow, 40, 500 * time.Millisecond, 2 * time.Second},
		},
	},
	Storm: {
		reads: []chance{
			{TooMany, 30, 0, 0},
			{Busy, 20, 0, 0},
			{Slow, 40, time.Second, 8 * time.Second},
			{Lagging, 60, time.Second, 8 * time.Second},
			{BadGateway, 20, 0, 0},
			{Unavailable, 15, 0, 0},
			{Foreign404, 10, 0, 0},
			{NeverSent, 15, 0, 0},
			{InternalError, 10, 0, 0},
			{LostAnswer, 10, 0, 0},
			{BrokenOff, 10, 0, 0},
			{Truncated, 10, 0, 0},
		},
		writes: []chance{
			{TooMany, 40, 0, 0},
			{Busy, 30, 0, 0},
			{Slow, 40, time.Second, 8 * time.Second},
			{LostAnswer, 40, 0, 0},
			{TimedOut, 30, 0, 0},
			{LateCommit, 30, 2 * time.Second, 12 * time.Second},
			{BrokenOff, 20, 0, 0},
			{Truncated, 20, 0, 0},
		},
	},
}

// At returns the kind of failure of the n-th request, counted from 1, and its duration.
// strikes is false if the request does not fail.
func (w Weather) At(seed uint64, n int, method string) (kind Kind, amount time.Duration, strikes bool) {
	drawn := rand.New(rand.NewPCG(seed, uint64(n)))
	of := chances[w].writes
	if method == http.MethodGet || method == http.MethodHead {
		of = chances[w].reads
	}
	at := drawn.IntN(1000)
	for _, c := range of {
		if at -= c.perMille; at >= 0 {
			continue
		}
		if c.longest > c.least {
			amount = c.least + time.Duration(drawn.Int64N(int64(c.longest-c.least)))
		}
		return c.kind, amount, true
	}
	return 0, 0, false
}

// FaultFunc returns the weather's FaultFunc for a seed. The service behind the gateway
// must keep its past for LongestLag.
func (w Weather) FaultFunc(seed uint64) gateway.FaultFunc {
	if w == Calm {
		return nil
	}
	return func(n int, r *http.Request) *gateway.Fault {
		kind, amount, strikes := w.At(seed, n, r.Method)
		if !strikes {
			return nil
		}
		return kind.Fault(amount)
	}
}
