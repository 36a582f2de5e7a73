package properties

import (
	"math/bits"

	"pgregory.net/rapid"
)

// pick draws one of a list, each as often as the others. SampledFrom prefers the first
// ones, and would ask for little else than the first operations.
func pick[T any](t *rapid.T, label string, list []T) T {
	return rapid.Custom(func(t *rapid.T) T { return list[index(t, len(list))] }).Draw(t, label)
}

// index draws a number under n, which shrinks to 0.
func index(t *rapid.T, n int) int {
	drawn := 0
	for range bits.Len(uint(n-1)) + 3 { // more bits than are needed, to be fair
		drawn *= 2
		if rapid.Bool().Draw(t, "bit") {
			drawn++
		}
	}
	return drawn % n
}
