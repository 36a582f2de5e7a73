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
// Left out are siblings that the service cannot tell apart. They begin apart, so
// most of their worlds are played again as they were. But where both wait for the
// same read or moment, who of them goes on first is the scheduler's.
func TestOneTracePerScenario(t *testing.T) {
	for seed, found := *simSeed, 0; found < 10; seed++ {
		s := scenarios().Example(seed)
		first := play(t, s).log
		if len(first) == 0 || s.Begin == siblings {
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
