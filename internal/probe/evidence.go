package probe

import "slices"

// Verdict is what the probe found out about a fact.
type Verdict string

// The verdicts.
const (
	Holds   Verdict = "holds"
	Differs Verdict = "differs"
	NotSeen Verdict = "not seen"
)

// evidence is what was seen, by place of the document.
type evidence struct {
	held    map[string]bool
	differs map[string][]string
	// notes are what differs from the document where it is not settled but shown.
	notes []string
}

func newEvidence() *evidence {
	return &evidence{held: map[string]bool{}, differs: map[string][]string{}}
}

// holds notes that a fact was seen to hold. One that differed once differs.
func (e *evidence) holds(place string) { e.held[place] = true }

// differsHow notes how a fact differs, once for each way, and three ways at most.
func (e *evidence) differsHow(place, how string) {
	ways := e.differs[place]
	if len(ways) < 3 && !slices.Contains(ways, how) {
		e.differs[place] = append(ways, how)
	}
}

// found notes one of both.
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

// verdict is what the evidence says of a place.
func (e *evidence) verdict(place string) (Verdict, []string) {
	switch ways := e.differs[place]; {
	case len(ways) > 0:
		return Differs, ways
	case e.held[place]:
		return Holds, nil
	}
	return NotSeen, nil
}
