package portal

import (
	"testing"
	"time"
)

// A distance in time is in whole minutes, hours or days, in the past or in the future.
func TestAgo(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)
	for distance, want := range map[time.Duration]string{
		0: "just now", -59 * time.Second: "just now", 59 * time.Second: "in less than a minute",
		-time.Minute: "1 minute ago", -59 * time.Minute: "59 minutes ago", 5 * time.Minute: "in 5 minutes",
		-time.Hour: "1 hour ago", -47 * time.Hour: "47 hours ago", -48 * time.Hour: "2 days ago", 31 * 24 * time.Hour: "in 31 days",
	} {
		if got := ago(now, now.Add(distance)); got != want {
			t.Errorf("the distance %s: got %q, want %q", distance, got, want)
		}
	}
}
