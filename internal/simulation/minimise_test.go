package simulation

import (
	"slices"
)

// minimise reduces a scenario as long as it breaks the same check. It drops steps, strikes,
// deeds, edits and cuts, and reduces sizes. tries limits the number of worlds played.
func minimise(s scenario, tries int, breaks func(scenario) bool) scenario {
	for again := true; again; {
		again = false
		for _, smaller := range smallerThan(s) {
			if tries--; tries < 0 {
				return s
			}
			if breaks(smaller) {
				s, again = smaller, true
				break
			}
		}
	}
	return s
}

// smallerThan returns the scenarios with one reduction, the largest reductions first.
func smallerThan(s scenario) []scenario {
	var all []scenario
	for i := range s.Steps {
		if len(s.Steps) > 1 {
			all = append(all, s.with(func(s *scenario) { s.Steps = slices.Delete(s.Steps, i, i+1) }))
		}
	}
	drop := func(given bool, change func(*scenario)) {
		if given {
			all = append(all, s.with(change))
		}
	}
	drop(s.Shapes != 0, func(s *scenario) { s.Shapes = 0 })
	drop(s.Hides != 0, func(s *scenario) { s.Hides = 0 })
	drop(s.Habits != 0, func(s *scenario) { s.Habits = 0 })
	drop(s.Lag != 0, func(s *scenario) { s.Lag = 0 })
	drop(s.Rate != 0, func(s *scenario) { s.Rate = 0 })
	drop(s.Clock != 0, func(s *scenario) { s.Clock = 0 })
	drop(s.Begin != oneInstance, func(s *scenario) { s.Begin = oneInstance })
	drop(s.Begin == guarded, func(s *scenario) { s.Begin = everything })
	drop(s.CLI != 0, func(s *scenario) { s.CLI = 0 })
	for i, st := range s.Steps {
		at := func(change func(*step)) func(*scenario) { return func(s *scenario) { change(&s.Steps[i]) } }
		drop(st.Beside, at(func(s *step) { s.Beside = false }))
		drop(st.Key != usualKey, at(func(s *step) { s.Key = usualKey }))
		for i := range flagsEnd {
			drop(st.Flags&(1<<i) != 0, at(func(s *step) { s.Flags &^= 1 << i }))
		}
		drop(st.Cut.At > 0, at(func(s *step) { s.Cut = cut{} }))
		drop(len(st.Strikes) > 1, at(func(s *step) { s.Strikes = nil }))
		drop(len(st.Deeds) > 1, at(func(s *step) { s.Deeds = nil }))
		drop(len(st.Edits) > 1, at(func(s *step) { s.Edits = nil }))
		for j := range st.Strikes {
			drop(true, at(func(s *step) { s.Strikes = slices.Delete(s.Strikes, j, j+1) }))
		}
		for j := range st.Deeds {
			drop(true, at(func(s *step) { s.Deeds = slices.Delete(s.Deeds, j, j+1) }))
		}
		for j := range st.Edits {
			drop(true, at(func(s *step) { s.Edits = slices.Delete(s.Edits, j, j+1) }))
		}
		drop(st.Verb != apply, at(func(s *step) { s.Verb = apply }))
		drop(st.Pause > 0, at(func(s *step) { s.Pause = 0 }))
		for j, k := range st.Strikes {
			drop(k.For > 0, at(func(s *step) { s.Strikes[j].For = 0 }))
			drop(k.Times > 1, at(func(s *step) { s.Strikes[j].Times = 1 }))
		}
	}
	for i := range shapesEnd {
		drop(s.Shapes&(1<<i) != 0 && s.Shapes != 1<<i, func(s *scenario) { s.Shapes &^= 1 << i })
	}
	for i := range hiddenEnd {
		drop(s.Hides&(1<<i) != 0 && s.Hides != 1<<i, func(s *scenario) { s.Hides &^= 1 << i })
	}
	for i := range habitsEnd {
		drop(s.Habits&(1<<i) != 0 && s.Habits != 1<<i, func(s *scenario) { s.Habits &^= 1 << i })
	}
	return all
}

const shapesEnd = 18

// with returns a changed copy.
func (s scenario) with(change func(*scenario)) scenario {
	s.Steps = slices.Clone(s.Steps)
	for i, st := range s.Steps {
		s.Steps[i].Edits = slices.Clone(st.Edits)
		s.Steps[i].Strikes = slices.Clone(st.Strikes)
		s.Steps[i].Deeds = slices.Clone(st.Deeds)
	}
	change(&s)
	return s
}
