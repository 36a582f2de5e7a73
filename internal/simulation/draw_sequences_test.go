package simulation

import (
	"time"

	"pgregory.net/rapid"
)

// sequences draws steps that belong together, for what independent steps rarely lead to.
var sequences = rapid.OneOf(
	rapid.Custom(drawRevertedChange), rapid.Custom(drawRevertedChange),
	rapid.Custom(drawProtectedRemoval), rapid.Custom(drawFailedBuild), rapid.Custom(drawSameChange),
)

// drawRevertedChange draws a change that ends in an error, and the one that reverts it.
func drawRevertedChange(t *rapid.T) []step {
	a := oneOf(t, "reverted", argSecretEnv, argEnv, argEndpointSecret, argLinks, argBranch, argPort, argMemory, argTags)
	from, to := twoValues(t, a)
	before := []edit{{argEngines, 2}, {argApp, 1}, {argEndpoint, 1}, {a, from}}
	change := step{Edits: []edit{{a, to}}}
	if oneOf(t, "is interrupted", true, false) {
		change.Cut = cut{Kind: interrupt, At: 1, Writes: true}
	} else {
		change.Strikes = []strike{{Kind: oneOf(t, "is lost", lostAnswer, lostAnswer, neverSent, leaky), Times: 12, For: 5 * time.Minute}}
	}
	return []step{{Edits: before}, change, {Edits: before}}
}

// drawProtectedRemoval draws a command that would destroy one protected object.
func drawProtectedRemoval(t *rapid.T) []step {
	protected := oneOf(t, "protected", argAppProtected, argDatabaseProtected, argProtected)
	before := step{Edits: []edit{{argEngines, 1}, {argDatabase, 1}, {argApp, 1}, {protected, 1}}}
	removal := oneOf(t, "removal", step{Verb: destroy}, step{Verb: replace}, step{},
		step{Edits: []edit{{argRegion, 1}}}, step{Edits: []edit{{argDatabase, 0}, {argApp, 0}}})
	removal.Target = rapid.IntRange(0, 9).Draw(t, "target of the removal")
	removal.Flags = oneOf(t, "flags of the removal", 0, withoutRefresh, planningTwice)
	return []step{before, removal}
}

// drawFailedBuild draws a change of an app whose build fails.
func drawFailedBuild(t *rapid.T) []step {
	a := oneOf(t, "built", argBranch, argEnv, argSecretEnv, argLinks, argPort, argTrigger)
	from, to := twoValues(t, a)
	return []step{
		{Edits: []edit{{argEngines, 2}, {argApp, 1}, {a, from}}},
		{Edits: []edit{{a, to}}, Deeds: []deed{{failsBuild, 0}}},
	}
}

// drawSameChange draws a change of an instance during which a person changes the same.
func drawSameChange(t *rapid.T) []step {
	a := oneOf(t, "changed by both", argPlan, argEngines)
	from, to := twoValues(t, a)
	kind := map[argument]deedKind{argPlan: resizesMachine, argEngines: addsEngine}[a]
	return []step{
		{Edits: []edit{{a, from}}},
		{Edits: []edit{{a, to}}, Deeds: []deed{{kind, rapid.IntRange(0, 12).Draw(t, "at the same time")}}},
	}
}

// twoValues draws two different values of an argument.
func twoValues(t *rapid.T, a argument) (from, to int) {
	from = rapid.IntRange(0, values[a]-1).Draw(t, "from")
	return from, (from + rapid.IntRange(1, values[a]-1).Draw(t, "to")) % values[a]
}
