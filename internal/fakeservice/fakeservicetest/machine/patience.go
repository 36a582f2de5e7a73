package machine

import (
	"testing"
	"time"
)

// Patience is the time that a test waits for a condition before it reports a hang. No test
// has a shorter limit: a machine may be arbitrarily busy, and an earlier report of a hang
// is not more useful.
const Patience = 10 * time.Minute

// Until waits until a condition is met. If that hangs, the test fails with the condition's
// description, and with the output of state if given.
func Until(t testing.TB, what string, fits func() bool, state ...func() string) {
	t.Helper()
	begun := time.Now()
	for end := begun.Add(patience(t, begun)); !fits(); time.Sleep(5 * time.Millisecond) {
		if time.Now().Before(end) {
			continue
		}
		instead := ""
		for _, said := range state {
			instead += "\n" + said()
		}
		t.Fatalf("in %s it did not come to: %s%s", time.Since(begun).Round(time.Second), what, instead)
	}
}

// patience returns Patience, or the time until go test's own limit if that is shorter. It
// leaves a moment for the report, which go test would not print.
func patience(t testing.TB, now time.Time) time.Duration {
	limited, ok := t.(interface{ Deadline() (time.Time, bool) })
	if !ok {
		return Patience
	}
	if end, ok := limited.Deadline(); ok {
		return min(Patience, end.Sub(now)-10*time.Second)
	}
	return Patience
}
