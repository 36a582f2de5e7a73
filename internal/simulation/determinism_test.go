package simulation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway/weather"
)

// TestOneTracePerScenario asserts that a world depends only on its scenario: each run has
// the same requests with the same answers at the same times. Otherwise no finding could be
// replayed.
//
// Two calls that wait for the same answer, such as that of GET /me, continue at the same
// moment, in the order of Go's scheduler. So the lines of one moment are compared in any
// order. Three kinds of worlds are left out because the order has later consequences in
// them. One has siblings that the service cannot distinguish. In another, the service slows
// the client down, so that the second call waits for its turn. In the third, a connection
// falls silent, so that calls give up at the same moment and draw their pauses.
func TestOneTracePerScenario(t *testing.T) {
	for seed, found := *simSeed, 0; found < 10; seed++ {
		s := scenarios().Example(seed)
		first := inOrder(play(t, s).log)
		if len(first) == 0 || s.ordersCalls() {
			continue
		}
		found++
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			for again := range *simAgain - 1 {
				if log := inOrder(play(t, s).log); !slices.Equal(first, log) {
					t.Fatalf("run %d of\n%s\ngot another log, want that of the first run: %s", again+2, s, firstDifference(first, log))
				}
			}
		})
	}
}

// inOrder sorts a log by time, and the lines of one moment by their text.
func inOrder(log []string) []string {
	at := func(line string) time.Duration {
		text, _, _ := strings.Cut(line, " ")
		elapsed, err := time.ParseDuration(text)
		if err != nil {
			panic(err) // note writes it
		}
		return elapsed
	}
	return slices.SortedFunc(slices.Values(log), func(a, b string) int {
		return cmp.Or(cmp.Compare(at(a), at(b)), cmp.Compare(a, b))
	})
}

// ordersCalls reports whether the order of two calls that continue at the same moment has
// later consequences.
func (s scenario) ordersCalls() bool {
	kinds := []strikeKind{strikeKind(weather.TooMany), strikeKind(weather.Busy), strikeKind(weather.Unavailable), away, goesSilent}
	return s.Begin == siblings || s.Rate != 0 || slices.ContainsFunc(s.Steps, func(st step) bool {
		return slices.ContainsFunc(st.Strikes, func(hit strike) bool { return slices.Contains(kinds, hit.Kind) })
	})
}

func firstDifference(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d is %q, and was %q", i+1, b[i], a[i])
		}
	}
	return fmt.Sprintf("%d lines, and %d", len(a), len(b))
}
