package client

import (
	"testing"
	"time"
)

func TestNextPoll(t *testing.T) {
	const s = time.Second
	for name, row := range map[string]struct {
		elapsed, estimate time.Duration
		progress          int
		want              time.Duration
	}{
		"the beginning":                    {FirstPoll, 480 * s, 0, FirstPoll},
		"an estimate that may be wrong":    {40 * s, 480 * s, 0, 10 * s},
		"far from the end":                 {300 * s, 480 * s, 0, 45 * s},
		"near the end":                     {460 * s, 480 * s, 0, 19200 * time.Millisecond},
		"the end":                          {480 * s, 480 * s, 0, 19200 * time.Millisecond},
		"long after the end":               {680 * s, 480 * s, 0, 50 * s},
		"very long after the end":          {3600 * s, 480 * s, 0, longestDelay},
		"no estimate, the beginning":       {FirstPoll, 0, 0, FirstPoll},
		"no estimate":                      {100 * s, 0, 0, 8 * s},
		"no estimate, long":                {3600 * s, 0, 0, longestDelay},
		"progress, no estimate":            {100 * s, 0, 50, 25 * s},
		"progress faster than the usual":   {96 * s, 480 * s, 80, 6 * s},
		"progress slower than the usual":   {450 * s, 480 * s, 50, longestDelay},
		"progress of a job that is joined": {10 * s, 480 * s, 90, time.Duration(111111111111/10) / 25},
		"progress without an end":          {100 * s, 0, 100, 8 * s},
		"progress that makes no sense":     {100 * s, 0, -3, 8 * s},
	} {
		if got := NextPoll(row.elapsed, row.estimate, row.progress); got != row.want {
			t.Errorf("%s: got %s, want %s", name, got, row.want)
		}
	}
}

func TestNextPollBounds(t *testing.T) {
	for elapsed := time.Duration(0); elapsed < time.Hour; elapsed += 777 * time.Millisecond {
		for _, estimate := range []time.Duration{0, time.Second, 5 * time.Minute, 24 * time.Hour} {
			for _, progress := range []int{0, 1, 50, 99} {
				delay := NextPoll(elapsed, estimate, progress)
				if delay < FirstPoll || delay > longestDelay || delay > max(FirstPoll, elapsed/4) {
					t.Fatalf("NextPoll after %s of %s at %d %%: got %s, want from %s to %s and no more than a quarter of the time", elapsed, estimate, progress, delay, FirstPoll, longestDelay)
				}
			}
		}
	}
}
