package main

import "slices"

// A series is one number, measured several times. On a machine that others use too the
// least of them is the one that was disturbed least, so ratios are of least to least.
type series []float64

// least is the smallest, 0 of none.
func (s series) least() float64 {
	if len(s) == 0 {
		return 0
	}
	return slices.Min(s)
}

// median is the middle one, or the mean of the two in the middle; 0 of none.
func (s series) median() float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// spread is how much larger the largest is than the least, in percent of the least.
func (s series) spread() float64 {
	least := s.least()
	if least <= 0 {
		return 0
	}
	return (slices.Max(s)/least - 1) * 100
}

// ratio is a number against another, or nil where there is nothing to compare with.
func ratio(of, to float64) any {
	if of <= 0 || to <= 0 {
		return nil
	}
	return of / to
}
