package simulation

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	testmachine "github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

var (
	simRuns    = flag.Int("sim.runs", 40, "how many worlds TestSim plays")
	simSeed    = flag.Int("sim.seed", 1, "the seed of the first world; the others follow")
	simWorkers = flag.Int("sim.workers", runtime.GOMAXPROCS(0), "how many worlds are played at once")
	simAgain   = flag.Int("sim.again", 5, "how often TestOneTracePerScenario plays each of its worlds")
	simStory   = flag.Bool("sim.story", false, "tell what happens in the first world")
)

func TestMain(m *testing.M) {
	flag.Parse()
	// Worlds are small and many: their garbage is collected in bulk.
	debug.SetGCPercent(800)
	os.Exit(m.Run())
}

// TestSim plays worlds, and asserts that none has a violation.
func TestSim(t *testing.T) {
	if *simStory {
		s := scenarios().Example(*simSeed)
		o := play(t, s)
		fmt.Printf("%s\n\n%s\n", s, strings.Join(o.story, "\n"))
	}
	tally := newTally()
	var next atomic.Int64
	var found atomic.Pointer[finding]
	t.Run("worlds", func(t *testing.T) {
		for worker := range *simWorkers {
			t.Run(fmt.Sprint(worker), func(t *testing.T) {
				t.Parallel()
				for found.Load() == nil {
					n := int(next.Add(1)) - 1
					if n >= *simRuns {
						return
					}
					seed := *simSeed + n
					o := watchOver(t, seed, scenarios().Example(seed))
					tally.add(o)
					if len(o.violations) > 0 {
						found.CompareAndSwap(nil, &finding{n + 1, seed, o.violations[0]})
					}
				}
			})
		}
	})
	never := tally.print()
	if f := found.Load(); f != nil {
		f.print(t)
		t.Fail()
	} else if *simRuns >= enoughForAll && len(never) > 0 {
		t.Errorf("in %d worlds there was never: %s", *simRuns, strings.Join(never, ", "))
	}
}

// enoughForAll is a number of worlds that certainly covers everything that can be drawn.
const enoughForAll = 5000

// watchOver plays a world, and names it if it does not end. A lock that is held during a
// request would stop the world in real time.
func watchOver(t *testing.T, seed int, s scenario) outcome {
	watchdog := time.AfterFunc(testmachine.Patience, func() {
		debug.SetTraceback("all")
		panic(fmt.Sprintf("the world of seed %d stands still:\n%s", seed, s))
	})
	defer watchdog.Stop()
	return play(t, s)
}
