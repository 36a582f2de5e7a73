package properties

import (
	"math/bits"

	"pgregory.net/rapid"
)

// pick draws an element of a list with a uniform distribution. SampledFrom prefers the
// first elements, and would mostly draw the first operations.
func pick[T any](t *rapid.T, label string, list []T) T {
	return rapid.Custom(func(t *rapid.T) T { return list[index(t, len(list))] }).Draw(t, label)
}

// index draws a number below n, which shrinks to 0.
func index(t *rapid.T, n int) int {
	drawn := 0
	for range bits.Len(uint(n-1)) + 3 { // extra bits make the distribution almost uniform
		drawn *= 2
		if rapid.Bool().Draw(t, "bit") {
			drawn++
		}
	}
	return drawn % n
}
