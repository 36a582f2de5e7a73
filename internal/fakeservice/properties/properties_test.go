package properties

import (
	"flag"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var wanted = flag.Int("properties.requests", 500, "play at least so many requests")

const (
	// steps is the average number of steps of a sequence. Most steps are requests.
	steps = 80
	// enough is the number of requests that reaches every operation in every way.
	enough = 20_000
)

// TestProperties plays sequences of requests, as many as -properties.requests says, and
// checks the rules after each request. Each sequence has the seed after that of the
// previous one. -rapid.seed is the first.
func TestProperties(t *testing.T) {
	t.Parallel()
	played := newTally()
	began := time.Now()
	t.Cleanup(func() {
		if played.failure > 0 {
			t.Logf("the failure was found in request %d", played.failure)
		}
	})
	set(t, "rapid.nofailfile", "true") // the seed is sufficient
	set(t, "rapid.steps", strconv.Itoa(steps))
	for seed := seedOf(t); played.requests < *wanted; {
		sequences := (*wanted-played.requests)/steps + 1
		set(t, "rapid.checks", strconv.Itoa(sequences))
		set(t, "rapid.seed", strconv.FormatUint(seed, 10))
		rapid.Check(t, func(t *rapid.T) {
			over := false
			defer func() { played.noteEnd(over) }()
			w := newWorld(t, played)
			t.Repeat(w.actions())
			w.settle(t)
			over = true
		})
		seed += uint64(sequences)
	}
	t.Logf("in %s:\n%s", time.Since(began).Round(time.Millisecond), played)
	if *wanted < enough {
		return
	}
	for _, one := range played.missing() {
		t.Error(one)
	}
}

// seedOf returns the seed of the command line, or a new one.
func seedOf(t *testing.T) uint64 {
	t.Helper()
	seed, err := strconv.ParseUint(flag.Lookup("rapid.seed").Value.String(), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	return seed
}

// set sets a flag of rapid, which has no other way to configure it.
func set(t *testing.T, name, value string) {
	t.Helper()
	if err := flag.Set(name, value); err != nil {
		t.Fatal(err)
	}
}
