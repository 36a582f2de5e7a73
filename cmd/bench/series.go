package main

import "slices"

// A series is one number, measured several times. On a machine with other users, the
// minimum has the fewest disturbances, so ratios compare minimums.
type series []float64

// least returns the minimum, or 0 for an empty series.
func (s series) least() float64 {
	if len(s) == 0 {
		return 0
	}
	return slices.Min(s)
}

// median returns the middle value, or the mean of the two in the middle; 0 for an empty
// series.
func (s series) median() float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// spread returns the difference between maximum and minimum, in percent of the minimum.
func (s series) spread() float64 {
	least := s.least()
	if least <= 0 {
		return 0
	}
	return (slices.Max(s)/least - 1) * 100
}

// ratio returns the ratio of two numbers, or nil if either is missing.
func ratio(of, to float64) any {
	if of <= 0 || to <= 0 {
		return nil
	}
	return of / to
}
