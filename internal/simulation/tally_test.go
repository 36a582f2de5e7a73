package simulation

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// A tally counts the outcomes of all worlds.
type tally struct {
	begun time.Time

	mu             sync.Mutex
	runs, requests int
	lasted         time.Duration
	violations     int
	counts         map[string]int
}

// newTally initialises a counter for everything that can occur in a world, so that it shows
// what never occurred.
func newTally() *tally {
	c := &tally{counts: map[string]int{}, begun: time.Now()}
	every := func(n int, name func(int) string) {
		for i := range n {
			c.counts[name(i)] = 0
		}
	}
	every(int(strikeKinds), func(i int) string { return faulted(strikeKind(i)) })
	every(int(deedKinds), func(i int) string { return did(deedKind(i)) })
	every(int(cutKinds), func(i int) string { return wasCut(cutKind(i)) })
	every(int(verbs), func(i int) string { return acted(verb(i)) })
	every(int(otherStates), func(i int) string { return otherActed(otherState(i)) })
	every(int(beginnings), func(i int) string { return beganWith(beginning(i)) })
	every(shapesEnd, func(i int) string { return shapedAs(1 << i) })
	every(hiddenEnd, func(i int) string { return hid(1 << i) })
	for _, h := range []habits{refusesBy422, staysDeleting, slowStatements} { // the others act only after a defect
		c.counts[habitual(h)] = 0
	}
	every(int(credentials)-1, func(i int) string { return keyed(credential(i + 1)) })
	every(flagsEnd, func(i int) string { return flagged(1 << i) })
	for _, what := range []string{clockOff, readsBehind, ratedLow, withoutIdentities, onTofu, bothAtOnce, orphanImported, endedEmpty, endedClosed, historyChecked,
		connectionOpened, connectionOpenedEarly, connectionUnpaid, engineWasHidden, brokenRefused, wasRepaired, secretPrinted, logRead, failedResize, failedCreation, failedDeletion, scriptUnknown, endedOwnForm} {
		c.counts[what] = 0
	}
	return c
}

// Events that are counted once per world.
const (
	clockOff              = "world: the clock is off"
	readsBehind           = "world: reads lag"
	ratedLow              = "world: few requests per second"
	withoutIdentities     = "world: a CLI without identities"
	onTofu                = "world: OpenTofu"
	bothAtOnce            = "actor: both CLIs at once"
	orphanImported        = "actor: imports an orphan"
	endedEmpty            = "end: an empty plan"
	endedClosed           = "end: an error of the closed list"
	endedOwnForm          = "end: a value in the service's own form"
	historyChecked        = "history: linearizable"
	connectionOpened      = "connection: is opened"
	connectionOpenedEarly = "connection: is opened while the machine is being created"
	connectionUnpaid      = "connection: waits for a checkout"
	engineWasHidden       = "hidden: an engine"
	brokenRefused         = "machine: a failed one refuses a change"
	resizeRefused         = "machine: refuses a resize to its plan"
	wasRepaired           = "machine: is repaired"
	secretPrinted         = "log: prints a secret"
	logRead               = "log: is read by another process"
	failedResize          = "job failed: a resize"
	failedCreation        = "job failed: a creation"
	failedDeletion        = "job failed: a deletion"
	scriptUnknown         = "script: of unknown outcome"
)

func faulted(k strikeKind) string    { return "strike: " + k.String() }
func did(k deedKind) string          { return "person: " + k.String() }
func wasCut(k cutKind) string        { return "cut: " + k.String() }
func acted(v verb) string            { return "actor: " + v.String() }
func otherActed(o otherState) string { return "actor: the other CLI, " + o.String() }
func beganWith(b beginning) string   { return "begin: " + b.String() }
func shapedAs(s shapes) string       { return "shape: " + s.String() }
func hid(h hidden) string            { return "hidden: " + h.String() }
func habitual(h habits) string       { return "habit: " + h.String() }
func keyed(k credential) string      { return "key: " + k.String() }
func flagged(f flags) string         { return "flag: " + f.String() }

func (c *tally) add(o outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs++
	c.requests += o.requests
	c.lasted += o.lasted
	c.violations += len(o.violations)
	for what, n := range o.counts {
		c.counts[what] += n
	}
}

// print prints the counts, and returns the names of those that are zero.
func (c *tally) print() (never []string) {
	took := time.Since(c.begun)
	fmt.Printf("%d worlds, %d requests, %.1f worlds a second, %.0f days of service time, %d violations\n",
		c.runs, c.requests, float64(c.runs)/took.Seconds(), c.lasted.Hours()/24, c.violations)
	for _, what := range slices.Sorted(maps.Keys(c.counts)) {
		fmt.Printf("  %7d  %s\n", c.counts[what], what)
		if c.counts[what] == 0 {
			never = append(never, what)
		}
	}
	return never
}
