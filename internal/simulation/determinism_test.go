package simulation

import (
	"fmt"
	"slices"
	"testing"
)

// TestOneTracePerScenario holds that a world follows from its scenario alone: the
// same requests, answered the same at the same times, each time that it is
// played. Without that nothing that is found could be played again.
func TestOneTracePerScenario(t *testing.T) {
	for n := range 10 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			s := scenarios().Example(*simSeed + n)
			first := play(t, s).log
			if len(first) == 0 {
				t.Fatal("there is no trace")
			}
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
