package simulation

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var (
	simRuns    = flag.Int("sim.runs", 40, "how many worlds TestSim plays")
	simSeed    = flag.Int("sim.seed", 1, "the seed of the first world; the others follow")
	simWorkers = flag.Int("sim.workers", 2, "how many worlds are played at once")
	simAgain   = flag.Int("sim.again", 5, "how often TestOneTracePerScenario plays each of its worlds")
	simStory   = flag.Bool("sim.story", false, "tell what happens in the first world")
)

func TestMain(m *testing.M) {
	flag.Parse()
	// Worlds are small and many: their garbage is collected in bulk.
	debug.SetGCPercent(800)
	os.Exit(m.Run())
}

// TestSim plays worlds, and holds that nothing is violated in any.
func TestSim(t *testing.T) {
	if *simStory {
		s := scenarios().Example(*simSeed)
		o := play(t, s)
		fmt.Printf("%s\n\n%s\n", s, strings.Join(o.story, "\n"))
	}
	tally := &tally{counts: map[string]int{}, begun: time.Now()}
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
	tally.print()
	if f := found.Load(); f != nil {
		f.print(t)
		t.Fail()
	}
}

// watchOver plays a world, and says which one it is if it does not end: a lock
// that is held while a request is under way stands still in real time.
func watchOver(t *testing.T, seed int, s scenario) outcome {
	watchdog := time.AfterFunc(2*time.Minute, func() {
		debug.SetTraceback("all")
		panic(fmt.Sprintf("the world of seed %d stands still:\n%s", seed, s))
	})
	defer watchdog.Stop()
	return play(t, s)
}

// A finding is a world in which a check does not hold.
type finding struct {
	runs, seed int
	violation  violation
}

// print tells of a finding, with the smallest scenario that shows it.
func (f *finding) print(t *testing.T) {
	breaks := func(s scenario) (violation, bool) {
		for _, v := range watchOver(t, f.seed, s).violations {
			if v.check == f.violation.check {
				return v, true
			}
		}
		return violation{}, false
	}
	s := f.shrunk(t, func(s scenario) bool { _, broken := breaks(s); return broken })
	s = minimise(s, 150, func(s scenario) bool { _, broken := breaks(s); return broken })
	v, broken := breaks(s)
	if !broken {
		v = f.violation
	}
	text := s.String()
	first, _, _ := strings.Cut(v.text, "\n")
	fmt.Printf("VIOLATION %s: %s\n", v.check, first)
	fmt.Printf("FOUND after %d runs, seed %d\n", f.runs, f.seed)
	fmt.Printf("SCENARIO %d lines\n%s\n", strings.Count(text, "\n")+1, text)
	fmt.Printf("\nWhat happens:\n%s\n", strings.Join(play(t, s).story, "\n"))
}

// shrunk is the scenario of the seed as rapid shrinks it.
func (f *finding) shrunk(t *testing.T, breaks func(scenario) bool) scenario {
	smallest := scenarios().Example(f.seed)
	for name, value := range map[string]string{"rapid.seed": fmt.Sprint(f.seed), "rapid.checks": "1", "rapid.nofailfile": "true", "rapid.shrinktime": "10s"} {
		_ = flag.Set(name, value) // rapid has declared it
	}
	quiet := &silent{name: t.Name()}
	quiet.run(func() {
		rapid.Check(quiet, func(rt *rapid.T) {
			s := scenarios().Draw(rt, "scenario")
			if breaks(s) {
				smallest = s
				rt.Fatalf("it breaks the same check")
			}
		})
	})
	return smallest
}

// silent is a test whose failure says nothing.
type silent struct {
	name   string
	failed bool
}

func (s *silent) run(do func()) {
	var done sync.WaitGroup
	done.Go(do) // FailNow ends the goroutine
	done.Wait()
}

func (s *silent) Helper()               {}
func (s *silent) Name() string          { return s.name }
func (s *silent) Logf(string, ...any)   {}
func (s *silent) Log(...any)            {}
func (s *silent) Skipf(string, ...any)  {}
func (s *silent) Skip(...any)           {}
func (s *silent) SkipNow()              {}
func (s *silent) Errorf(string, ...any) { s.failed = true }
func (s *silent) Error(...any)          { s.failed = true }
func (s *silent) Fatalf(string, ...any) { s.failed = true; runtime.Goexit() }
func (s *silent) Fatal(...any)          { s.failed = true; runtime.Goexit() }
func (s *silent) FailNow()              { s.failed = true; runtime.Goexit() }
func (s *silent) Fail()                 { s.failed = true }
func (s *silent) Failed() bool          { return s.failed }

// A tally counts what came of all worlds.
type tally struct {
	begun time.Time

	mu             sync.Mutex
	runs, requests int
	lasted         time.Duration
	violations     int
	counts         map[string]int
}

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

func (c *tally) print() {
	took := time.Since(c.begun)
	fmt.Printf("%d worlds, %d requests, %.1f worlds a second, %.0f days of service time, %d violations\n",
		c.runs, c.requests, float64(c.runs)/took.Seconds(), c.lasted.Hours()/24, c.violations)
	for _, what := range slices.Sorted(maps.Keys(c.counts)) {
		fmt.Printf("  %7d  %s\n", c.counts[what], what)
	}
}
