// Package weather is what goes wrong on the way by chance, and by the same chance
// again: a gateway.Strike that draws from a seed.
//
// What hits a request follows from the seed, its number and whether it reads or
// writes, and from nothing that came before. So the same requests in the same order
// meet the same weather, whatever else has changed, and a client that sends some of
// them at once meets it too, in another order.
package weather

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
)

// Weather is how much goes wrong.
type Weather int

// The weathers. In a storm nothing is refused for good: a write whose answer is lost
// is carried out, if late. A client that asks again where nothing was done, and looks
// before it asks where something may have been, gets through.
const (
	// Calm is nothing.
	Calm Weather = iota
	// Breeze is a request in ten: limits, slow answers, reads that lag a little,
	// a gateway's pages in place of reads.
	Breeze
	// Storm is a request in four: all of that and more of it, and besides closed
	// connections, answers that are lost or cut after the commit, late commits.
	Storm
)

var words = map[string]Weather{"calm": Calm, "breeze": Breeze, "storm": Storm}

// Parse reads the word for a weather.
func Parse(word string) (Weather, error) {
	w, known := words[word]
	if !known {
		return Calm, fmt.Errorf("the weather is calm, breeze or storm, not %q", word)
	}
	return w, nil
}

// String is the word for a weather.
func (w Weather) String() string { return [...]string{"calm", "breeze", "storm"}[w] }

// DrawSeed takes a seed by chance, not 0 and short enough to type again.
func DrawSeed() uint64 { return 1 + rand.Uint64N(1<<20) }

// chance is how many of a thousand requests a kind hits, and between which times it
// takes, where it has a time.
type chance struct {
	kind           Kind
	perMille       int
	least, longest time.Duration
}

// chances are what may hit a read and a write in a weather.
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

// At is what hits the n-th request, from 1 on: a kind and how long it takes. strikes
// is false where nothing does.
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

// Strike is the weather by a seed. The service behind the gateway has to keep its
// past for LongestLag.
func (w Weather) Strike(seed uint64) gateway.Strike {
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
