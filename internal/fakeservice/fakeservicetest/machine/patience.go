package machine

import (
	"testing"
	"time"
)

// Patience is how long a test waits for what a busy machine does late, before it calls it
// a hang. No test has a shorter one of its own: a machine may be busy with anything, and
// what never comes is no more wrong for being told sooner.
const Patience = 10 * time.Minute

// Until waits until something fits, and fails with what it waited for if that hangs. Where
// it helps, state says what there is instead.
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

// patience is Patience, or what is left of the time that go test gives, less a moment in
// which to say what was waited for: go test would not.
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
