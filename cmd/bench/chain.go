package main

import (
	"slices"
	"time"
)

// A work is a job or a build of an instance, by the machine's clock.
type work struct {
	instance       string
	started, ended time.Time
}

// longestChain returns the minimum time that any client has to wait. In a chain of one
// instance's works, each began after the previous one had ended. The result is the largest
// sum of durations of such a chain, over all instances.
//
// Jobs of an instance never run concurrently, but builds run concurrently with jobs, so
// this is weighted interval scheduling.
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
