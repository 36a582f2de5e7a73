package simulation

import (
	"slices"
	"time"

	"pgregory.net/rapid"
)

// scenarios draws scenarios. The first element of every choice is the simplest, because
// shrinking moves towards it.
func scenarios() *rapid.Generator[scenario] {
	return rapid.Custom(func(t *rapid.T) scenario {
		s := scenario{
			Seed:   uint64(rapid.IntRange(0, 1<<30).Draw(t, "seed")),
			Clock:  oneOf(t, "clock", 0, 0, 0, 5*time.Second, -5*time.Second, 3*time.Hour),
			Lag:    oneOf(t, "lag", 0, 0, 0, 0, 2*time.Second, 8*time.Second),
			Rate:   oneOf(t, "rate", 0, 0, 0, 0, 20, 4),
			Shapes: oneOf[shapes](t, "shaped", 0, 0, 0, allShapes) & shapes(rapid.IntRange(0, int(allShapes)).Draw(t, "shapes")),
			Hides:  oneOf[hidden](t, "hides", 0, 0, 0, 0, 0, 0, 0, allHidden) & hidden(rapid.IntRange(0, int(allHidden)).Draw(t, "hidden")),
			Habits: habits(rapid.IntRange(0, int(allHabits)).Draw(t, "habits")),
			Other:  otherState(rapid.IntRange(0, int(otherStates)-1).Draw(t, "other")),
			CLI:    oneOf(t, "CLI", terraform116, terraform116, terraform111, tofu112, tofu111),
			Begin:  oneOf(t, "begin", oneInstance, oneInstance, oneInstance, everything, everything, guarded, siblings, adopted),
		}
		for n := rapid.IntRange(1, 4).Draw(t, "steps"); len(s.Steps) < n; {
			s.Steps = append(s.Steps, drawStep(t, s.Steps))
		}
		if oneOf(t, "a sequence", false, false, false, false, true) {
			if oneOf(t, "and nothing else happens", false, true) {
				s.Steps = nil
			}
			s.Steps = append(s.Steps, sequences.Draw(t, "sequence")...)
		}
		return s
	})
}

// drawStep draws a step that follows others.
func drawStep(t *rapid.T, before []step) step {
	st := step{
		By:      oneOf(t, "by", 0, 0, 0, 1),
		Verb:    oneOf(t, "verb", apply, apply, apply, apply, apply, apply, apply, refresh, destroy, targeted, replace, reimport, rotate, restartEngine, redeploy, restartApp),
		Target:  rapid.IntRange(0, 9).Draw(t, "target"),
		Flags:   oneOf[flags](t, "flags", 0, 0, 0, 0, 0, 0, 0, 0, withoutRefresh, oneByOne, planningTwice, planningTwice, oneByOne|planningTwice, unknownIDs, unknownIDs|withoutRefresh),
		Edits:   several(t, "edits", 4, drawEdit),
		Strikes: several(t, "strikes", 3, drawStrike),
		Deeds:   several(t, "deeds", 2, drawDeed),
		Beside:  oneOf(t, "beside", false, false, false, false, true),
		Pause:   oneOf(t, "pause", 0, 0, time.Minute, 20*time.Minute),
	}
	if len(before) == 0 {
		// The first step cannot be about another verb or account, because nothing exists
		// yet. This is the time for both CLIs to create something at the same moment.
		st.Verb = apply
		st.Beside = oneOf(t, "beside at first", false, false, true)
	}
	if len(before) > 0 {
		st.Key = oneOf(t, "key", usualKey, usualKey, usualKey, usualKey, usualKey, usualKey, usualKey, newKey, strangerKey)
	}
	if n := len(before); n > 0 && before[n-1].Verb.isAction() && oneOf(t, "once more", false, true) {
		st.Verb = before[n-1].Verb // the effect of the first action does not prove the second
	}
	if st.Verb.isAction() && oneOf(t, "is faulted", false, true) {
		kind := oneOf(t, "how", badGateway, neverSent, foreign404, lostAnswer)
		st.Strikes = append(st.Strikes, strike{Kind: kind, Class: creations, Times: 1})
	}
	if st.Verb == rotate && oneOf(t, "is not alone", false, false, true) {
		st.Deeds = append(st.Deeds, deed{startsAction, rapid.IntRange(0, 3).Draw(t, "when")})
	}
	if n := len(before); n > 0 && slices.ContainsFunc(before[n-1].Deeds, func(d deed) bool { return d.Kind == breaksMachine || d.Kind == failsCreation }) && oneOf(t, "is repaired", false, true) {
		st.Deeds = append(st.Deeds, deed{Kind: repairsMachine})
		st.Flags |= oneOf(t, "unseen", 0, withoutRefresh)
	}
	if len(before) > 0 && oneOf(t, "goes", false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, true) {
		st.Verb, st.Strikes, st.Deeds = destroy, nil, []deed{{Kind: failsDeletion}}
	}
	if len(before) > 0 && st.Verb == destroy && oneOf(t, "is in trouble", false, false, true) {
		st.Deeds = append(st.Deeds, deed{Kind: oneOf(t, "trouble", failsDeletion, failsDeletion, breaksMachine)})
	}
	if len(before) == 0 && oneOf(t, "has a console mode", false, false, false, false, false, false, false, false, false, true) {
		return step{Verb: apply, Edits: []edit{{argConsole, rapid.IntRange(1, values[argConsole]-1).Draw(t, "console mode")}}}
	}
	if len(before) == 1 && before[0].isPlainConsole() && oneOf(t, "fails and is destroyed", false, true) {
		return step{Verb: destroy, Deeds: []deed{{Kind: breaksMachine}}}
	}
	if len(before) > 0 && oneOf(t, "resizes and is cut", false, false, false, false, false, false, false, true) {
		// The next command finds a resize in progress.
		st.Verb, st.Pause = apply, 0
		st.Edits = append(st.Edits, edit{argPlan, rapid.IntRange(0, values[argPlan]-1).Draw(t, "plan")})
		if oneOf(t, "or fails", false, false, true) {
			st.Deeds = append(st.Deeds, deed{Kind: failsResize})
			return st
		}
		st.Cut = cut{Kind: interrupt, At: rapid.IntRange(1, 2).Draw(t, "resize cut at"), Writes: true}
		return st
	}
	if n := len(before); n > 0 && before[n-1].isPlainResize() && oneOf(t, "is taken back", false, true, true, true) {
		// A read that lags shows the plan from before the last step, which this one plans.
		return step{
			Verb: apply, Edits: []edit{{argPlan, 0}}, Flags: oneOf(t, "back unread", withoutRefresh, 0),
			Strikes: []strike{{Kind: lagging, Class: reads, Nth: rapid.IntRange(0, 4).Draw(t, "lags from"), Times: 6, Amount: oneOf(t, "lags by", 4*time.Second, 12*time.Second)}},
		}
	}
	if len(before) > 0 && oneOf(t, "resizes", false, false, false, false, false, false, false, false, false, true) {
		return step{Verb: apply, Edits: []edit{{argPlan, rapid.IntRange(1, values[argPlan]-1).Draw(t, "bigger plan")}}}
	}
	if len(before) > 0 && oneOf(t, "changes its script and loses the answer", false, false, false, false, false, false, false, false, false, false, false, true) {
		st.Verb, st.Deeds = apply, nil
		st.Edits = []edit{{argScript, rapid.IntRange(1, values[argScript]-1).Draw(t, "script")}}
		st.Strikes = []strike{{Kind: oneOf(t, "how the answer is lost", lostAnswer, timedOut, goesSilent), Class: creations, Times: 1}}
		return st
	}
	if oneOf(t, "cuts", false, false, true) {
		st.Cut = cut{Kind: cutKind(rapid.IntRange(0, int(cutKinds)-1).Draw(t, "cut")), At: rapid.IntRange(1, 100).Draw(t, "cut at")}
		if oneOf(t, "writes", false, true) {
			st.Cut.Writes, st.Cut.At = true, 1+st.Cut.At/8
			if st.Verb.isAction() {
				st.Cut.At = 1 // an action is one request
			}
		}
	}
	return st
}

// isPlainConsole reports whether a step sets the first CLI's console mode, and nothing
// else happens.
func (s step) isPlainConsole() bool {
	return s.By == 0 && s.Verb == apply && len(s.Edits) == 1 && s.Edits[0].Argument == argConsole && s.Cut == cut{} && len(s.Strikes)+len(s.Deeds) == 0
}

// isPlainResize reports whether a step makes the first CLI's instance bigger, and nothing
// else happens.
func (s step) isPlainResize() bool {
	return s.By == 0 && s.Verb == apply && len(s.Edits) == 1 && s.Edits[0].Argument == argPlan && s.Edits[0].Value > 0 &&
		s.Pause == 0 && s.Cut == cut{} && len(s.Strikes)+len(s.Deeds) == 0
}

func drawEdit(t *rapid.T) edit {
	a := argument(rapid.IntRange(0, int(arguments)-1).Draw(t, "argument"))
	if oneOf(t, "a common one", false, false, false, true) {
		// Arguments with slow or complicated changes are drawn more often.
		a = oneOf(t, "common argument", argEngines, argEngines, argMemory, argTags, argBranch, argEnv, argProtected)
	}
	return edit{a, rapid.IntRange(0, values[a]-1).Draw(t, "value")}
}

func drawStrike(t *rapid.T) strike {
	s := strike{
		Kind:   strikeKind(rapid.IntRange(0, int(strikeKinds)-1).Draw(t, "strike")),
		Class:  class(rapid.IntRange(0, int(classes)-1).Draw(t, "class")),
		Nth:    rapid.IntRange(0, oneOf(t, "nths", 2, 12)).Draw(t, "nth"),
		Times:  oneOf(t, "times", 1, 1, 1, 2, 6),
		For:    oneOf(t, "for", 0, 0, 0, 20*time.Second, 90*time.Second, 5*time.Minute),
		Amount: oneOf(t, "amount", 4*time.Second, 12*time.Second, 40*time.Second, 3*time.Minute),
	}
	if s.Kind == lagging && oneOf(t, "long", false, true) {
		// The jobs show changes before the records do.
		s.Class, s.For = reads, 20*time.Minute
	}
	if oneOf(t, "a common one", false, false, false, true) {
		// A creation with a lost answer may cost money.
		s.Kind, s.Class = oneOf(t, "common strike", lostAnswer, timedOut, lateCommit, neverSent), creations
	}
	return s
}

func drawDeed(t *rapid.T) deed {
	d := deed{deedKind(rapid.IntRange(0, int(deedKinds)-1).Draw(t, "deed")), rapid.IntRange(0, 25).Draw(t, "deed at")}
	if oneOf(t, "a common one", false, false, false, true) {
		d.Kind = oneOf(t, "common deed", failsBuild, failsJob, addsEngine, breaksMachine, resizesMachine, failsCreation, failsDeletion)
	}
	return d
}

// several draws up to the given number of elements.
func several[T any](t *rapid.T, what string, most int, draw func(*rapid.T) T) []T {
	var all []T
	for n := rapid.IntRange(0, most).Draw(t, what); len(all) < n; {
		all = append(all, draw(t))
	}
	return all
}

func oneOf[T any](t *rapid.T, what string, values ...T) T {
	return rapid.SampledFrom(values).Draw(t, what)
}
