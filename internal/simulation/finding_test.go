package simulation

import (
	"flag"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// A finding is a world in which a check fails.
type finding struct {
	runs, seed int
	violation  violation
}

// print prints a finding, with the smallest scenario that shows it.
func (f *finding) print(t *testing.T) {
	breaks := func(s scenario) (violation, bool) {
		for _, v := range watchOver(t, f.seed, s).violations {
			if v.check == f.violation.check {
				return v, true
			}
		}
		return violation{}, false
	}
	s := shrunk(t, scenarios(), f.seed, func(s scenario) bool { _, broken := breaks(s); return broken })
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

// shrunk returns the value that a seed draws, shrunk by rapid.
func shrunk[T any](t *testing.T, drawn *rapid.Generator[T], seed int, breaks func(T) bool) T {
	smallest := drawn.Example(seed)
	for name, value := range map[string]string{"rapid.seed": fmt.Sprint(seed), "rapid.checks": "1", "rapid.nofailfile": "true", "rapid.shrinktime": "10s"} {
		_ = flag.Set(name, value) // rapid has declared it
	}
	quiet := &silent{name: t.Name()}
	quiet.run(func() {
		rapid.Check(quiet, func(rt *rapid.T) {
			one := drawn.Draw(rt, "drawn")
			if breaks(one) {
				smallest = one
				rt.Fatal("the scenario breaks the same check")
			}
		})
	})
	return smallest
}

// silent is a test whose failure is not printed.
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
