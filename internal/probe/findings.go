package probe

import "slices"

// Verdict is the result of the probe for a fact.
type Verdict string

// The possible verdicts.
const (
	Holds   Verdict = "holds"
	Differs Verdict = "differs"
	NotSeen Verdict = "not seen"
)

// evidence is the collected evidence, by place of the document.
type evidence struct {
	held    map[string]bool
	differs map[string][]string
	// notes are differences from the document that concern no settled fact.
	notes []string
}

func newEvidence() *evidence {
	return &evidence{held: map[string]bool{}, differs: map[string][]string{}}
}

// holds records that a fact was confirmed. A fact that has differed once still counts as
// different.
func (e *evidence) holds(place string) { e.held[place] = true }

// differsHow records how a fact differs: each way once, and at most three ways.
func (e *evidence) differsHow(place, how string) {
	ways := e.differs[place]
	if len(ways) < 3 && !slices.Contains(ways, how) {
		e.differs[place] = append(ways, how)
	}
}

// found records one or the other.
func (e *evidence) found(place string, holds bool, otherwise string) {
	if holds {
		e.holds(place)
	} else {
		e.differsHow(place, otherwise)
	}
}

func (e *evidence) note(what string) {
	if !slices.Contains(e.notes, what) {
		e.notes = append(e.notes, what)
	}
}

// verdict returns the verdict about a place and how it differs.
func (e *evidence) verdict(place string) (Verdict, []string) {
	switch ways := e.differs[place]; {
	case len(ways) > 0:
		return Differs, ways
	case e.held[place]:
		return Holds, nil
	}
	return NotSeen, nil
}
