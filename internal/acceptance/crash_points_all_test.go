//go:build crashpoints

package acceptance

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/simulation"
)

var (
	crashPointOnly = flag.String("point", "", "the only point to strike, as the end of a run names it; none takes all")
	crashKindOnly  = flag.String("kind", "", "the only kind to try; none takes all")
)

// TestEveryCrashPoint tries every point with every kind that fits it. `make crash-points`
// runs only this test.
func TestEveryCrashPoint(t *testing.T) {
	needsCLI(t)
	points, made := crashPoints(t)
	points = slices.DeleteFunc(points, func(p crashPoint) bool { return *crashPointOnly != "" && p.String() != *crashPointOnly })
	cases := slices.DeleteFunc(crashCases(points), func(c crashCase) bool { return *crashKindOnly != "" && c.kind.name != *crashKindOnly })
	must(t, len(cases) > 0, "no case has this point and this kind")
	fmt.Println(len(points), "points,", len(cases), "runs to do")
	tally := newCrashTally()
	t.Run("run", func(t *testing.T) {
		for _, c := range cases {
			t.Run(c.String(), func(t *testing.T) { c.run(t, made, tally) })
		}
	})
	fmt.Printf("%d points times up to %d kinds: %d runs\n", len(points), len(crashKinds), tally.runs)
	fmt.Printf("%d were cured by an import; in %d the kill fell into Terraform's own write of its state\n", tally.imported, tally.restored)
	fmt.Println("errors on the way:")
	for _, summary := range slices.Sorted(maps.Keys(tally.met)) {
		fmt.Printf("  %4d %s\n", tally.met[summary], summary)
	}
	fmt.Printf("ends: %d as if nothing had happened", tally.ends[""])
	for _, e := range simulation.ClosedErrors {
		fmt.Printf(", %d with %s", tally.ends[e.Name], e.Name)
	}
	fmt.Printf("; %d different, %d points not met\n", tally.other, tally.missed)
	fmt.Printf("%d lost, %d bought twice, %d tainted without a failed job or build, %d left\n", tally.lost, tally.twice, tally.tainted, tally.left)
}
