package client

import (
	"testing"
	"time"
)

func TestNextPoll(t *testing.T) {
	const s = time.Second
	for name, row := range map[string]struct {
		elapsed  time.Duration
		progress int
		want     time.Duration
	}{
		"the beginning":                 {FirstPoll, 0, FirstPoll},
		"no progress":                   {40 * s, 0, 5 * s},
		"no progress, long":             {3600 * s, 0, longestBlindDelay},
		"the beginning, with progress":  {FirstPoll, 10, FirstPoll},
		"the first tenth":               {40 * s, 10, 10 * s},
		"half":                          {100 * s, 50, 25 * s},
		"near the end":                  {96 * s, 80, 6 * s},
		"almost done":                   {99 * s, 99, 4 * s},
		"half of something long":        {450 * s, 50, longestDelay},
		"progress without an end":       {100 * s, 100, longestBlindDelay},
		"progress that makes no sense":  {40 * s, -3, 5 * s},
		"progress of a job just joined": {s, 90, FirstPoll},
	} {
		if got := nextPoll(row.elapsed, row.progress); got != row.want {
			t.Errorf("%s: got %s, want %s", name, got, row.want)
		}
	}
}

func TestNextPollBounds(t *testing.T) {
	for elapsed := time.Duration(0); elapsed < time.Hour; elapsed += 777 * time.Millisecond {
		for _, progress := range []int{0, 1, 50, 99} {
			delay := nextPoll(elapsed, progress)
			if delay < FirstPoll || delay > longestDelay || delay > max(FirstPoll, elapsed/4) {
				t.Fatalf("nextPoll after %s at %d %%: got %s, want from %s to %s and no more than a quarter of the time", elapsed, progress, delay, FirstPoll, longestDelay)
			}
		}
	}
}
