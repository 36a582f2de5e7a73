package main

import (
	"slices"
	"time"
)

// A span of work is a job or a build of an instance, by the machine's clock.
type work struct {
	instance       string
	started, ended time.Time
}

// longestChain is the sum of the durations of those works of one instance of which each
// began when the one before had ended, and which together took longest: what nobody who
// waits for them can be faster than. It is that of the instance that has the longest.
//
// Jobs of an instance never run beside each other, but builds run beside jobs, so this is
// weighted interval scheduling.
func longestChain(works []work) time.Duration {
	var longest time.Duration
	of := map[string][]work{}
	for _, w := range works {
		of[w.instance] = append(of[w.instance], w)
	}
	for _, all := range of {
		slices.SortFunc(all, func(a, b work) int { return a.ended.Compare(b.ended) })
		// best[i] is the longest chain among the first i works, in the order of their ends.
		best := make([]time.Duration, len(all)+1)
		for i, w := range all {
			before, _ := slices.BinarySearchFunc(all[:i], w.started, func(other work, started time.Time) int {
				if other.ended.After(started) {
					return 1
				}
				return -1
			})
			best[i+1] = max(best[i], best[before]+w.ended.Sub(w.started))
		}
		longest = max(longest, best[len(all)])
	}
	return longest
}
