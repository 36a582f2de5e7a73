package client

import (
	"testing"
	"testing/synctest"
	"time"
)

// A limit that was met once and then left alone for as long as a job takes is looked
// for anew: that nobody was refused says nothing where nobody asked.
func TestAnAllowanceIsLookedForAnewAfterAPause(t *testing.T) {
	for _, row := range []struct {
		name  string
		pause time.Duration
	}{
		{"none", 0}, {"a minute", time.Minute}, {"a creation", 8 * time.Minute}, {"ten hours", 10 * time.Hour},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				service := newBucket(20, true)
				c, _ := newTestClient(t, service.serve)
				read := func(records int) (refusals int, took time.Duration) {
					before, begun := service.refusals, time.Now()
					if lost := readMany(t.Context(), records, 50, c); lost > 0 {
						t.Errorf("%d lost", lost)
					}
					return service.refusals - before, time.Since(begun)
				}
				first, _ := read(25) // a few more than the bucket holds
				if first == 0 {
					t.Fatal("nothing was refused in the beginning")
				}
				for range 3 {
					time.Sleep(row.pause)
					refused, took := read(500)
					t.Logf("%d refused at first; then %d in %s", first, refused, took)
					if refused > 60 || took > 40*time.Second {
						t.Errorf("%d of 500 refused in %s", refused, took)
					}
				}
			})
		})
	}
}
