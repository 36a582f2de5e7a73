package simulation

import (
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
)

var (
	simEach   = flag.Bool("sim.each", false, "TestEachChange adds every trouble, not only those that end an apply at its first write")
	simValues = flag.Int("sim.values", 2, "how many values of each argument TestEachChange takes")
)

// TestEachChange makes every single change of everything that there can be, each with every
// single trouble, and either keeps the change or reverts it. Random worlds rarely have
// all of that at once.
func TestEachChange(t *testing.T) {
	tier.Night.Only(t)
	for a := range arguments {
		t.Run(a.String(), func(t *testing.T) {
			t.Parallel()
			for _, trouble := range troubles() {
				t.Run(trouble.name, func(t *testing.T) {
					for _, change := range pairsOf(min(values[a], *simValues)) {
						before, after := step{Edits: []edit{{a, change[0]}}}, step{Edits: []edit{{a, change[1]}}}
						for _, steps := range [][]step{{before, after}, {before, after, before}} {
							s := scenario{Begin: everything, Steps: steps}
							trouble.add(&s)
							for _, v := range watchOver(t, 0, s).violations {
								t.Errorf("%s: %s\n%s", v.check, v.text, s)
							}
						}
					}
				})
			}
		})
	}
}

// A trouble is what else happens in a world, besides a change in its second step.
type trouble struct {
	name string
	add  func(*scenario)
}

// troubles returns all single troubles, or those that end the change at its first write.
func troubles() (all []trouble) {
	during := func(change func(*step)) {
		s := step{}
		change(&s)
		_, name, _ := strings.Cut(scenario{Steps: []step{s}}.String(), "apply; ")
		all = append(all, trouble{name, func(s *scenario) { change(&s.Steps[1]) }})
	}
	always := func(change func(*scenario)) {
		s := scenario{}
		change(&s)
		all = append(all, trouble{strings.TrimPrefix(s.String(), "seed 0; "), change})
	}
	for kind := range cutKinds {
		during(func(s *step) { s.Cut = cut{kind, 1, true} })
	}
	if !*simEach {
		return all
	}
	for kind := range cutKinds {
		during(func(s *step) { s.Cut = cut{kind, 2, true} })
		during(func(s *step) { s.Cut = cut{kind, 8, false} })
	}
	for kind := range strikeKinds {
		for class := range classes {
			during(func(s *step) { s.Strikes = []strike{{Kind: kind, Class: class, Times: 1, Amount: 12 * time.Second}} })
		}
		during(func(s *step) { s.Strikes = []strike{{Kind: kind, Times: 6, Amount: 40 * time.Second}} })
	}
	for kind := range deedKinds {
		during(func(s *step) { s.Deeds = []deed{{kind, 0}} })
		during(func(s *step) { s.Deeds = []deed{{kind, 8}} })
	}
	for _, flags := range []flags{withoutRefresh, planningTwice, oneByOne} {
		during(func(s *step) { s.Flags = flags })
	}
	for bit := range hiddenEnd {
		always(func(s *scenario) { s.Hides = 1 << bit })
	}
	for bit := range habitsEnd {
		always(func(s *scenario) { s.Habits = 1 << bit })
	}
	for bit := shapes(1); bit < allShapes; bit <<= 1 {
		always(func(s *scenario) { s.Shapes = bit })
	}
	always(func(s *scenario) { s.Lag = 8 * time.Second })
	always(func(s *scenario) { s.Rate = 4 })
	return all
}

// pairsOf returns the changes of an argument that has n values, from each to each.
func pairsOf(n int) (pairs [][2]int) {
	for from := range n {
		for to := range n {
			if from != to {
				pairs = append(pairs, [2]int{from, to})
			}
		}
	}
	return pairs
}
