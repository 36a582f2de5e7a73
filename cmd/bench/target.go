package main

import (
	"fmt"
	"io"
	"time"
)

// A target is the limit of a number.
type target struct {
	name, unit string
	most       float64
	// every allows so many more for each 30 s that it takes, as the list of instances is
	// then read again.
	every float64
}

// targets are the limits of the provider. README.md explains the units.
var targets = []target{
	{name: "Start", unit: "program-MB", most: 22},
	{name: "Plan/alone/n=1000", unit: "provider-ms/resource", most: 2},
	{name: "Plan/full/n=1000", unit: "provider-ms/resource", most: 2.5},
	{name: "Plan/alone/n=1000", unit: "requests", most: 8, every: 6},
	{name: "Plan/full/n=1000", unit: "requests", most: 3020, every: 6},
	{name: "Plan/alone/n=1000", unit: "peak-MiB", most: 60},
	{name: "Plan/full/n=1000", unit: "peak-MiB", most: 60},
	{name: "Apply/parallelism=30", unit: "of-chain", most: 1.05},
	{name: "Apply/parallelism=10", unit: "conflicts", most: 0},
	{name: "Apply/parallelism=30", unit: "conflicts", most: 0},
	{name: "Wait/guestbook", unit: "of-chain", most: 1.05},
	{name: "Wait/guestbook", unit: "conflicts", most: 0},
}

// judge prints the targets, and reports whether all that were measured are held. The least
// of several runs counts, because it has the fewest disturbances.
func judge(out io.Writer, results []result) (held bool) {
	held = true
	for _, t := range targets {
		measured, least, most := false, 0.0, 0.0
		for _, r := range results {
			value := r.metrics[t.unit]
			if allowed := t.most + t.every*float64(r.wall/(30*time.Second)); r.name == t.name && (!measured || value-allowed < least-most) {
				measured, least, most = true, value, allowed
			}
		}
		verdict := "held"
		switch {
		case !measured:
			continue
		case least > most:
			verdict, held = "MISSED", false
		}
		fmt.Fprintf(out, "%-6s  %s: %.4g %s, at most %.4g\n", verdict, t.name, least, t.unit, most)
	}
	return held
}
