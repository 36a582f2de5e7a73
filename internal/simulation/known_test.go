package simulation

import (
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway/weather"
)

// TestKnownDefects plays the smallest scenarios of past defects of the provider, each of
// which broke a check. They must pass now.
func TestKnownDefects(t *testing.T) {
	tier.Change.Only(t)
	for name, s := range map[string]scenario{
		"a key of another account drops a machine from the state": {Steps: []step{
			{}, {Verb: refresh, Key: strangerKey},
		}},
		"a key of another account buys a machine again": {Steps: []step{
			{}, {Key: strangerKey},
		}},
		"an engine that a record hides taints the machine": {Steps: []step{
			{}, {Edits: []edit{{argEngines, 3}}, Deeds: []deed{{hidesEngine, 8}}},
		}},
		"a machine whose creation was not seen to its end fails and is replaced": {Hides: hidesHost, Begin: guarded, Steps: []step{
			{Cut: cut{interrupt, 1, true}, Pause: 20 * time.Minute},
			{Deeds: []deed{{Kind: breaksMachine}}},
		}},
		"a creation that reads do not show yet drops an app from the state": {Lag: 8 * time.Second, Begin: everything, Steps: []step{
			{Cut: cut{interrupt, 8, true}}, {},
		}},
		"a creation that reads do not show yet drops a database from the state": {Seed: 1, Lag: 12 * time.Second, Begin: everything, Steps: []step{
			{Cut: cut{interrupt, 7, true}}, {},
		}},
		"a lagging read passes for the plan": {Steps: []step{
			{}, {Edits: []edit{{argPlan, 2}}},
			{Edits: []edit{{argPlan, 0}}, Flags: withoutRefresh, Strikes: []strike{{Kind: lagging, Class: reads, Times: 6, Amount: 12 * time.Second}}},
		}},
		"an interrupted resize is asked for again": {Steps: []step{
			{}, {Edits: []edit{{argPlan, 2}}, Cut: cut{interrupt, 1, true}}, {},
		}},
		"an interrupted resize is done again": {Habits: resizesAgain, Steps: []step{
			{}, {Edits: []edit{{argPlan, 2}}, Cut: cut{interrupt, 1, true}}, {},
		}},
		"a resize of the portal is asked for again": {Steps: []step{
			{}, {Edits: []edit{{argPlan, 2}}, Deeds: []deed{{Kind: resizesMachine}}},
		}},
		"a resize of the portal that is in progress is asked for again": {Rate: 4, Steps: []step{
			{}, {Edits: []edit{{argPlan, 2}}, Deeds: []deed{{Kind: resizesMachine}}},
		}},
		"an interrupted resize that reads do not show is asked for again after another change": {Lag: 2 * time.Second, Steps: []step{
			{}, {Edits: []edit{{argPlan, 2}}, Cut: cut{interrupt, 1, true}}, {Edits: []edit{{argTags, 1}}},
		}},
		"an interrupted change of the engines is asked for again": {Steps: []step{
			{}, {Edits: []edit{{argEngines, 3}}, Cut: cut{interrupt, 1, true}}, {},
		}},
		"an interrupted change of an app is asked for again": {Begin: everything, Steps: []step{
			{}, {Edits: []edit{{argPort, 1}}, Cut: cut{interrupt, 1, true}}, {},
		}},
		"a machine that is repaired after its creation failed is destroyed": {Steps: []step{
			{Edits: []edit{{argProtected, 1}}, Deeds: []deed{{Kind: failsCreation}}},
			{Flags: withoutRefresh, Deeds: []deed{{Kind: repairsMachine}}},
		}},
		"a connection cannot be opened while the checkout is open": {Steps: []step{
			{Edits: []edit{{argPlan, 1}}}, {Edits: []edit{{argEphemeral, 1}}},
		}},
		"a connection on a machine that never ran is an unknown instance": {Begin: guarded, Habits: staysDeleting, Steps: []step{
			{Edits: []edit{{argPlan, 2}}}, {Verb: destroy, Edits: []edit{{argProtected, 0}}, Deeds: []deed{{Kind: failsDeletion}}},
		}},
		"a machine that was deleted is taken for the lost one, as reads still show it": {Steps: []step{
			{}, {Verb: destroy},
			{Strikes: []strike{{Kind: strikeKind(weather.Unavailable), Class: creations, Times: 1}, {Kind: lagging, Class: reads, Nth: 12, Times: 1, Amount: 4 * time.Second}}},
		}},
		"a protection that an interrupted update puts on is lost": {Steps: []step{
			{}, {Edits: []edit{{argProtected, 1}}, Cut: cut{interrupt, 4, false}}, {Verb: replace, Target: 9},
		}},
		"a connection of a machine that ran and hides its host never ran": {Begin: everything, Hides: hidesHost, Steps: []step{
			{}, {Deeds: []deed{{Kind: seemsFailed}}},
		}},
		"a connection cannot be opened during a creation": {Steps: []step{
			{Cut: cut{interrupt, 1, true}}, {Edits: []edit{{argEphemeral, 1}}},
		}},
		"a failed machine with a setting cannot be destroyed": {Steps: []step{
			{Edits: []edit{{argConsole, 2}}}, {Verb: destroy, Deeds: []deed{{Kind: breaksMachine}}},
		}},
		"a failed machine that answers 422 cannot be destroyed": {Habits: refusesBy422, Steps: []step{
			{Edits: []edit{{argConsole, 2}}}, {Verb: destroy, Deeds: []deed{{Kind: breaksMachine}}},
		}},
		"what is on a machine whose deletion failed cannot be deleted, and nothing says what to do": {Begin: everything, Habits: staysDeleting, Steps: []step{
			{}, {Verb: targeted, Target: 9, Edits: []edit{{argScript, 0}, {argRegion, 1}}, Deeds: []deed{{Kind: failsDeletion}}},
		}},
		"a deletion that failed is never asked for again": {Habits: staysDeleting, Steps: []step{
			{}, {Verb: destroy, Deeds: []deed{{Kind: failsDeletion}}}, {Verb: destroy},
		}},
		"a protected machine whose deletion failed is deleted": {Seed: 195606, Other: theSame, Habits: staysDeleting, Lag: 2 * time.Second, Steps: []step{
			{By: 1, Beside: true}, {}, {Verb: destroy, Deeds: []deed{{Kind: failsDeletion}}}, {By: 1},
		}},
		"a namesake in creation fails a plan that goes one by one": {Begin: siblings, Steps: []step{
			{Verb: targeted, Target: 0, Cut: cut{interrupt, 1, true}}, {Flags: oneByOne},
		}},
		"a namesake in creation fails a plan of another": {Begin: siblings, Steps: []step{
			{Verb: targeted, Target: 0, Cut: cut{interrupt, 1, true}}, {Verb: targeted, Target: 1},
		}},
		"an interrupted creation in a record without a plan is not found": {Hides: hidesPlan, Steps: []step{
			{Cut: cut{killAfter, 1, true}}, {},
		}},
		"the variables of an app whose record has a null for them are sent for ever": {Begin: everything, Hides: hidesEnv | asNull, Steps: []step{{}}},
		"the tags of a machine whose record has a null for them are sent for ever": {Hides: hidesTags | asNull, Steps: []step{
			{Edits: []edit{{argTags, 1}}},
		}},
		"an engine that is turned on while a change of the engines times out is turned off": {Steps: []step{
			{}, {Edits: []edit{{argEngines, 3}}, Strikes: []strike{{Kind: strikeKind(weather.Slow), Class: writes, Times: 1, Amount: 3 * time.Minute}}, Deeds: []deed{{addsEngine, 3}}},
		}},
		"an allowlist that is planned twice is managed twice": {Begin: everything, Steps: []step{
			{}, {Flags: planningTwice, Edits: []edit{{argAllowlist, 2}}},
		}},
		"a console mode that is planned twice is managed twice": {Begin: everything, Steps: []step{
			{}, {Flags: planningTwice, Edits: []edit{{argConsole, 2}}},
		}},
		"what is on a machine that was replaced alone is managed twice": {Begin: everything, Steps: []step{
			{}, {Verb: targeted, Target: 6, Edits: []edit{{argRegion, 1}}}, {Flags: planningTwice},
		}},
		"settings that could not be read back are changed again without a word": {Begin: everything, Shapes: ownForm, Steps: []step{
			{Cut: cut{interrupt, 7, true}},
		}},
		"a machine whose deletion failed is changed for ever": {Habits: staysDeleting, Steps: []step{
			{}, {Verb: destroy, Edits: []edit{{argPlan, 2}}, Deeds: []deed{{Kind: failsDeletion}}}, {Verb: reimport, Target: 1},
		}},
		"a database that is made while its absence is confirmed is gone": {Seed: 5437, Begin: adopted, Other: onTheSame, Steps: []step{
			{By: 1, Cut: cut{interrupt, 38, false}, Strikes: []strike{{Kind: neverSent, Class: reads, For: 90 * time.Second, Amount: 40 * time.Second}}},
			{Beside: true, Strikes: []strike{{Kind: lagging, Class: reads, For: 20 * time.Minute, Amount: 40 * time.Second}}},
		}},
		"a machine that a person resizes between two changes of an update is resized again": {Begin: siblings, Steps: []step{
			{Deeds: []deed{{addsTag, 24}}},
			{Edits: []edit{{argPlan, 2}}, Deeds: []deed{{resizesMachine, 25}}, Strikes: []strike{{Kind: foreign404, Class: polls, For: 90 * time.Second, Amount: 4 * time.Second}}},
		}},
		"an engine that is taken out of the configuration during the creation stays on": {Steps: []step{
			{Cut: cut{interrupt, 1, true}}, {Edits: []edit{{argEngines, 6}}},
		}},
		"a variable that no record shows is taken away with the planned ones": {Seed: 41054315, Begin: everything, Hides: hidesEnv, Steps: []step{
			{}, {Edits: []edit{{argEnv, 0}, {argPlan, 2}}, Deeds: []deed{{addsVariable, 4}}, Cut: cut{interrupt, 1, true}},
		}},
		"a secret variable that a killed apply has sent is in the state": {Begin: everything, Steps: []step{
			{Edits: []edit{{argSecretEnv, 0}}}, {Edits: []edit{{argSecretEnv, 1}}, Cut: cut{killAfter, 1, true}},
		}},
		"auth settings that are planned twice are managed twice": {Begin: everything, Steps: []step{
			{}, {Flags: planningTwice, Edits: []edit{{argAuth, 2}}},
		}},
		"a profile that is planned twice is managed twice": {Begin: everything, Steps: []step{
			{}, {Flags: planningTwice, Edits: []edit{{argProfile, 2}}},
		}},
	} {
		t.Run(name, func(t *testing.T) { mustHold(t, s) })
	}
}

// TestAllowed plays scenarios in which the provider was right, and a check did not allow it.
func TestAllowed(t *testing.T) {
	for name, s := range map[string]scenario{
		"a machine that was imported during its creation runs when it is destroyed": {Steps: []step{
			{Cut: cut{interrupt, 21, false}}, {Verb: reimport, Target: 3}, {Verb: destroy},
		}},
		"a machine that was imported during its creation has run for long when it is destroyed unread": {Steps: []step{
			{Cut: cut{interrupt, 21, false}}, {Verb: reimport, Target: 3, Pause: 20 * time.Minute}, {Verb: destroy, Flags: planningTwice},
		}},
		"a connection is opened just after a repair that reads do not show yet": {Lag: 8 * time.Second, Steps: []step{
			{Deeds: []deed{{Kind: failsCreation}}, Cut: cut{interrupt, 1, true}, Pause: 20 * time.Minute},
			{Edits: []edit{{argEphemeral, 1}}, Flags: withoutRefresh, Deeds: []deed{{Kind: repairsMachine}}},
		}},
		"a state that was read late is not refreshed": {Steps: []step{
			{}, {Edits: []edit{{argPlan, 1}}},
			{Edits: []edit{{argPlan, 0}}, Strikes: []strike{{Kind: lagging, Class: reads, Times: 6, Amount: 4 * time.Second}}},
			{Flags: planningTwice},
		}},
		"values in the service's own form are not refreshed": {Begin: everything, Shapes: ownForm, Steps: []step{
			{}, {Flags: planningTwice},
		}},
		"an outage lasts into a destroy": {Steps: []step{
			{}, {Strikes: []strike{{Kind: away, Class: reads, Times: 1, Amount: 40 * time.Second}}}, {Verb: destroy},
		}},
		"a change of an app is sent again, and carried out twice after the apply": {Seed: 1, Begin: everything, Steps: []step{
			{Strikes: []strike{
				{Kind: strikeKind(weather.TooMany), Class: writes, Nth: 12, For: 90 * time.Second, Amount: 4 * time.Second},
				{Kind: lateCommit, Class: writes, Nth: 9, For: 5 * time.Minute, Amount: 40 * time.Second},
				{Kind: strikeKind(weather.InternalError), Class: creations, Nth: 2, Times: 1, Amount: 40 * time.Second},
			}},
		}},
		"an equal machine is resized after it was taken for the lost one": {Seed: 3, Begin: adopted, Other: twin, Steps: []step{
			{Strikes: []strike{
				{Kind: lagging, Class: reads, Nth: 2, Times: 6, Amount: 3 * time.Minute},
				{Kind: neverSent, Class: writes, Times: 1, Amount: 12 * time.Second},
			}, Deeds: []deed{{Kind: resizesMachine}}, Beside: true},
		}},
		"two deletions were made to fail": {Steps: []step{
			{Deeds: []deed{{failsDeletion, 9}}}, {Verb: destroy, Deeds: []deed{{Kind: failsDeletion}}}, {Verb: destroy},
		}},
		"a deletion and any job were made to fail": {Steps: []step{
			{Deeds: []deed{{failsJob, 10}, {Kind: failsJob}}}, {Deeds: []deed{{failsDeletion, 24}}}, {Verb: destroy},
		}},
		"a machine that runs since an interrupt is destroyed unread": {Seed: 729, Begin: guarded, Steps: []step{
			{Strikes: []strike{{Kind: strikeKind(weather.Busy), Class: reads, Nth: 4, Times: 6, Amount: 3 * time.Minute}}, Cut: cut{interrupt, 50, false}},
			{Verb: destroy, Flags: withoutRefresh},
		}},
		"a machine stays deleting after any deletion that fails": {Habits: staysDeleting, Other: onTheSame, Steps: []step{
			{}, {Verb: replace, Target: 1, Deeds: []deed{{failsJob, 23}}},
			{Edits: []edit{{argScript, 1}}, Strikes: []strike{{Kind: lostAnswer, Class: creations, Times: 1}}},
			{Deeds: []deed{{Kind: failsDeletion}}, Beside: true},
		}},
		"the deletion of an imported sibling has failed": {Begin: siblings, Hides: hidesPlan, Habits: staysDeleting, Steps: []step{
			{Deeds: []deed{{failsCreation, 7}}, Cut: cut{killAfter, 1, true}}, {}, {Deeds: []deed{{failsDeletion, 1}}},
		}},
	} {
		t.Run(name, func(t *testing.T) { mustHold(t, s) })
	}
}

// mustHold plays a scenario that must pass every check.
func mustHold(t *testing.T, s scenario) {
	t.Helper()
	o := play(t, s)
	for _, v := range o.violations {
		t.Errorf("%s: %s", v.check, v.text)
	}
	if t.Failed() || *simStory {
		t.Logf("the scenario:\n%s", s)
		for _, line := range o.story {
			t.Log(line)
		}
	}
}
