package probe

import (
	"maps"
	"slices"
)

// Beyond returns the places that are listed as beyond the probe.
func Beyond() []string { return slices.Sorted(maps.Keys(beyond)) }
