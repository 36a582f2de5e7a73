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

// findings are what the answers say, by place of the document.
type findings struct {
	held    map[string]bool
	differs map[string][]string
	// notes are differences from the document that concern no settled fact.
	notes []string
}

func newFindings() *findings {
	return &findings{held: map[string]bool{}, differs: map[string][]string{}}
}

// holds records that a fact was confirmed. A fact that has differed once still counts as
// different.
func (e *findings) holds(place string) { e.held[place] = true }

// differsHow records how a fact differs: each way once, and at most three ways.
func (e *findings) differsHow(place, how string) {
	ways := e.differs[place]
	if len(ways) < 3 && !slices.Contains(ways, how) {
		e.differs[place] = append(ways, how)
	}
}

// found records one or the other.
func (e *findings) found(place string, holds bool, otherwise string) {
	if holds {
		e.holds(place)
	} else {
		e.differsHow(place, otherwise)
	}
}

func (e *findings) note(what string) {
	if !slices.Contains(e.notes, what) {
		e.notes = append(e.notes, what)
	}
}

// verdict returns the verdict about a place and how it differs.
func (e *findings) verdict(place string) (Verdict, []string) {
	switch ways := e.differs[place]; {
	case len(ways) > 0:
		return Differs, ways
	case e.held[place]:
		return Holds, nil
	}
	return NotSeen, nil
}
