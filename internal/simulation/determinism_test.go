package simulation

import (
	"fmt"
	"slices"
	"testing"
)

// TestOneTracePerScenario holds that a world follows from its scenario alone: the
// same requests, answered the same at the same times, each time that it is
// played. Without that nothing that is found could be played again.
//
// Siblings that the service cannot tell apart are left out: which of the two wakes
// first from a read that they share is the scheduler's.
func TestOneTracePerScenario(t *testing.T) {
	for seed, found := *simSeed, 0; found < 10; seed++ {
		s := scenarios().Example(seed)
		first := play(t, s).log
		if s.Begin == siblings || len(first) == 0 {
			continue
		}
		found++
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			for again := range *simAgain - 1 {
				if log := play(t, s).log; !slices.Equal(first, log) {
					t.Fatalf("run %d of\n%s\ndiffers: %s", again+2, s, firstDifference(first, log))
				}
			}
		})
	}
}

func firstDifference(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d is %q, and was %q", i+1, b[i], a[i])
		}
	}
	return fmt.Sprintf("%d lines, and %d", len(a), len(b))
}
