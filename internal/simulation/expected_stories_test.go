package simulation

import (
	"fmt"
	"strings"
	"time"
)

// A story is a scenario of TestStories. Its text begins with the step with the number from.
type story struct {
	scenario
	from int
}

// stories returns the stories by the name of their file and by their title.
func stories() map[string]map[string]story {
	return map[string]map[string]story{
		"life":       {strings.Join(everydaySteps, ", "): everydayStory()},
		"arguments":  storiesOfArguments(),
		"creations":  storiesOfCreations(),
		"changes":    storiesOfChanges(),
		"deletions":  storiesOfDeletions(),
		"reads":      storiesOfReads(),
		"readback":   storiesOfReadBacks(),
		"scripts":    storiesOfScripts(),
		"people":     storiesOfDeeds(),
		"records":    storiesOfRecords(),
		"imports":    storiesOfImports(),
		"accounts":   storiesOfKeys(),
		"protection": storiesOfRefusals(),
		"lost":       storiesOfLostAnswers(),
		"killed":     storiesOfKills(),
		"polls":      storiesOfPolls(),
		"lag":        storiesOfLaggingReads(),
		"unread":     storiesWithoutRefresh(),
		"machines":   storiesOfMachines(),
		"tainted":    storiesOfTaintedObjects(),
		"apps":       storiesOfApps(),
		"actions":    storiesOfActions(),
		"others": {
			"two instances that the service cannot distinguish": fromNothing(siblings, step{Cut: cut{interrupt, 1, true}}, step{}, step{Edits: []edit{{argSpare, 0}}}),
			"another CLI on the same instance":                  {scenario{Begin: everything, Other: onTheSame, Steps: []step{{}, {By: 1}, {}}}, 1},
			"another CLI with the same instance":                {scenario{Begin: everything, Other: theSame, Steps: []step{{}, {By: 1, Edits: []edit{{argTags, 1}}}, {}}}, 1},
			"a paid plan":                                       fromNothing(everything, step{Edits: []edit{{argPlan, 1}}}, step{}, step{Deeds: []deed{{Kind: opensCheckout}}}, step{}),
			"an ephemeral connection":                           fromNothing(oneInstance, step{Edits: []edit{{argEphemeral, 1}}}, step{Edits: []edit{{argPlan, 1}}}),
		},
	}
}

// everydayStory is undisturbed. It is told in full, and others refer to its steps by these
// names.
func everydayStory() story {
	return fromNothing(everything, step{}, step{}, step{Verb: refresh}, step{Edits: manyChanges}, step{Edits: unchanged}, step{Verb: destroy})
}

var everydaySteps = []string{"creation", "rest", "refresh", "change", "return", "end"}

// fromNothing returns the story of a scenario from its beginning.
func fromNothing(b beginning, steps ...step) story { return story{scenario{Begin: b, Steps: steps}, 0} }

// afterwards returns the story of the steps that follow the creation of everything.
func afterwards(steps ...step) story {
	return story{scenario{Begin: everything, Steps: append([]step{{}}, steps...)}, 1}
}

// manyChanges changes each resource that can be changed in place.
var manyChanges = []edit{
	{argTags, 1}, {argAllowlist, 2}, {argConsole, 2}, {argAuth, 2}, {argEndpoint, 2}, {argEndpointSecret, 3}, {argScript, 2}, {argPort, 1}, {argEnv, 2}, {argProfile, 2},
}

// unchanged sets what manyChanges changes back.
var unchanged = setBack(manyChanges)

// setBack returns the edits that give what edits change the values of everything.
func setBack(edits []edit) []edit {
	var back []edit
	for _, e := range edits {
		back = append(back, edit{e.Argument, everything.configuration()[e.Argument]})
	}
	return back
}

// storiesOfArguments sets each argument to each of its values, and then to its first one.
func storiesOfArguments() map[string]story {
	all := map[string]story{}
	for a := range arguments {
		var steps []step
		for value := range values[a] {
			steps = append(steps, step{Edits: []edit{{a, value}}})
		}
		title := map[bool]string{true: "the instance and the settings", false: "what is on the instance"}[a <= argAuth]
		s, ok := all[title]
		if !ok {
			s = afterwards()
		}
		s.Steps = append(append(s.Steps, steps...), step{Edits: setBack([]edit{{a, 0}})})
		all[title] = s
	}
	return all
}

// mishaps returns commands in which something goes wrong: one of so many writes is refused
// or interrupted, no write arrives, or a job fails.
func mishaps(writesOf int) []step {
	var all []step
	for n := range writesOf {
		all = append(all,
			step{Strikes: []strike{{Kind: leaky, Class: writes, Nth: n, Times: 1}}},
			step{Cut: cut{interrupt, n + 1, true}})
	}
	all = append(all, step{Strikes: []strike{{Kind: neverSent, Class: writes, Times: 1, For: time.Hour}}})
	for _, fails := range []deedKind{failsJob, failsBuild, failsCreation, failsDeletion} {
		all = append(all, step{Deeds: []deed{{Kind: fails}}})
	}
	return all
}

// storiesOfCreations lets each write of a creation go wrong. An apply follows.
func storiesOfCreations() map[string]story {
	all := map[string]story{}
	for _, hit := range mishaps(12) {
		all[hit.String()] = fromNothing(everything, hit, step{})
	}
	return all
}

// storiesOfChanges lets each write of an update go wrong. An apply follows. Every second
// update sets back what the one before changed. Each kind of mishap has a world, as a world
// may make only so many requests.
func storiesOfChanges() map[string]story {
	all := map[string]story{}
	for _, hit := range mishaps(10) {
		kind, _, _ := strings.Cut(hit.String(), " at ")
		s, ok := all[kind]
		if !ok {
			s = afterwards()
		}
		hit.Edits = manyChanges
		if len(s.Steps)%4 == 3 { // after the creation, the change and its apply
			hit.Edits = unchanged
		}
		s.Steps = append(s.Steps, hit, step{})
		all[kind] = s
	}
	return all
}

// storiesOfDeletions lets each write of a destroy go wrong. Another destroy follows.
func storiesOfDeletions() map[string]story {
	all := map[string]story{}
	for _, hit := range mishaps(9) {
		hit.Verb = destroy
		all[hit.String()] = afterwards(hit, step{Verb: destroy})
	}
	return all
}

// storiesOfReads lets each read of a refresh and of an apply fail.
func storiesOfReads() map[string]story {
	s := afterwards()
	for n := range 9 {
		for i, kind := range []strikeKind{badGateway, foreign404} {
			hit := []strike{{Kind: kind, Class: reads, Nth: n, Times: 5}}
			s.Steps = append(s.Steps, step{Verb: refresh, Strikes: hit}, step{Strikes: hit, Edits: [][]edit{manyChanges, unchanged}[i]}, step{})
		}
	}
	return map[string]story{"each read": s}
}

// storiesOfReadBacks changes one thing at a time, and lets some reads fail that follow the plan.
func storiesOfReadBacks() map[string]story {
	all := map[string]story{}
	for _, change := range []edit{{argTags, 1}, {argEngines, 1}, {argAllowlist, 2}, {argConsole, 2}, {argAuth, 2}, {argEndpoint, 2}, {argDatabase, 2}, {argExtension, 2}, {argPort, 1}, {argTrigger, 1}, {argProfile, 2}, {argApp, 0}} {
		s := afterwards()
		for i, n := range []int{6, 8, 10, 12} {
			edits := []edit{change}
			if i%2 == 1 {
				edits = setBack(edits)
			}
			s.Steps = append(s.Steps, step{Edits: edits, Strikes: []strike{{Kind: badGateway, Class: reads, Nth: n, Times: 5}}}, step{})
		}
		all[change.String()] = s
	}
	return all
}

// storiesOfScripts loses the answer of a script.
func storiesOfScripts() map[string]story {
	lost := []strike{{Kind: lostAnswer, Class: creations, Times: 1}}
	update := step{Edits: []edit{{argScript, 2}}, Strikes: lost}
	without := step{Edits: []edit{{argScript, 0}}}
	return map[string]story{
		"created, refreshed, applied": fromNothing(oneInstance, step{}, step{Edits: []edit{{argScript, 1}}, Strikes: lost}, step{Verb: refresh}, step{}),
		"created, removed":            fromNothing(oneInstance, step{}, step{Edits: []edit{{argScript, 1}}, Strikes: lost}, without),
		"updated, applied":            afterwards(update, step{}),
		"updated, refreshed, applied": afterwards(update, step{Verb: refresh}, step{}),
		"updated, reverted":           afterwards(update, step{Edits: []edit{{argScript, 1}}}),
		"updated, removed":            afterwards(update, without),
		"destroyed":                   afterwards(step{Edits: []edit{{argDestroySQL, 1}}}, step{Edits: []edit{{argScript, 0}}, Strikes: lost}, step{}),
		"destroyed, refused":          afterwards(step{Edits: []edit{{argDestroySQL, 1}}}, step{Edits: []edit{{argScript, 0}}, Strikes: []strike{{Kind: leaky, Class: creations, Times: 1}}}, step{}),
	}
}

// storiesOfDeeds lets a person do something before a refresh and an apply with changes.
func storiesOfDeeds() map[string]story {
	all := map[string]story{}
	for k := range deedKinds {
		does := []deed{{Kind: k}}
		all[k.String()] = afterwards(step{Verb: refresh, Deeds: does}, step{Edits: manyChanges})
	}
	return all
}

// storiesOfRecords lets the service leave out or vary members of its records.
func storiesOfRecords() map[string]story {
	all := map[string]story{}
	add := func(title string, change func(*scenario)) {
		s := afterwards(step{}, step{Edits: manyChanges}, step{Edits: []edit{{argEngines, 1}, {argPlan, 1}}})
		change(&s.scenario)
		all[title] = s
	}
	for bit := range hiddenEnd {
		add("without "+hidden(1<<bit).String(), func(s *scenario) { s.Hides = 1 << bit })
	}
	add("with nulls", func(s *scenario) { s.Hides = allHidden })
	for _, kind := range []shapes{nothingTold, fewSettings, ownForm} {
		add("with "+kind.String(), func(s *scenario) { s.Shapes = kind })
	}
	return all
}

// storiesOfLostAnswers loses the answer of each creation, and of some of the changes and
// deletions. In every second one, the service carries the request out a minute later.
func storiesOfLostAnswers() map[string]story {
	all := map[string]story{}
	for n := range 10 {
		lost := []strike{{Kind: []strikeKind{lostAnswer, lateCommit}[n%2], Class: writes, Nth: n, Times: 1, Amount: time.Minute}}
		all[fmt.Sprintf("creation %d", n)] = fromNothing(everything, step{Strikes: lost}, step{})
		all[fmt.Sprintf("change %d", n)] = afterwards(step{Edits: manyChanges, Strikes: lost}, step{})
		all[fmt.Sprintf("deletion %d", n)] = afterwards(step{Verb: destroy, Strikes: lost}, step{Verb: destroy})
	}
	return all
}

// storiesOfKills kills the provider after each write of a creation, and after some others.
func storiesOfKills() map[string]story {
	all := map[string]story{}
	for n := range 12 {
		all[fmt.Sprintf("creation at write %d", n+1)] = fromNothing(everything, step{Cut: cut{killAfter, n + 1, true}}, step{}, step{})
	}
	for n := range 4 {
		at := cut{killAfter, 2*n + 1, true}
		all[fmt.Sprintf("change at write %d", at.At)] = afterwards(step{Edits: manyChanges, Cut: at}, step{})
		all[fmt.Sprintf("deletion at write %d", at.At)] = afterwards(step{Verb: destroy, Cut: at}, step{Verb: destroy})
	}
	return all
}

// storiesOfPolls lets so many reads fail that a wait ends too early: reads of a job or of
// builds, and others.
func storiesOfPolls() map[string]story {
	all := map[string]story{}
	add := func(title string, hit strike, then func(strikes ...strike) story) {
		all[fmt.Sprintf("%s, %s %d", title, hit.Class, hit.Nth)] = then(hit)
	}
	creation := func(hit ...strike) story { return fromNothing(everything, step{Strikes: hit}, step{}) }
	change := func(hit ...strike) story {
		return afterwards(step{Edits: append([]edit{{argBranch, 1}}, manyChanges...), Strikes: hit}, step{Verb: refresh}, step{})
	}
	deletion := func(hit ...strike) story { return afterwards(step{Verb: destroy, Strikes: hit}, step{Verb: destroy}) }
	for n := range 7 {
		read := strike{Kind: badGateway, Class: reads, Nth: 3 * n, Times: 25}
		poll := strike{Kind: badGateway, Class: polls, Nth: 15 * n, Times: 25}
		add("creation", read, creation)
		add("creation", poll, creation)
		poll.Nth = 2 * n
		add("change", read, change)
		add("change", poll, change)
		read.Nth = n
		add("deletion", read, deletion)
		add("deletion", poll, deletion)
	}
	return all
}

// storiesOfLaggingReads lets all reads lag.
func storiesOfLaggingReads() map[string]story {
	all := map[string]story{}
	for _, lag := range []time.Duration{2 * time.Second, 8 * time.Second} {
		s := fromNothing(everything, step{}, step{Edits: manyChanges}, step{Edits: []edit{{argEngines, 1}}}, step{Verb: destroy})
		s.Lag = lag
		all[lag.String()] = s
	}
	return all
}

// storiesWithoutRefresh lets a person do something before a change and before a destroy
// that read nothing.
func storiesWithoutRefresh() map[string]story {
	all := map[string]story{}
	for _, k := range []deedKind{addsTag, addsAddress, addsEngine, setsConsole, renames, addsVariable, deletesInstance, deletesApp, deletesDatabase, deletesEndpoint, resizesMachine, breaksMachine, closesConsole} {
		does := []deed{{Kind: k}}
		all[k.String()+", change"] = afterwards(step{Flags: withoutRefresh, Deeds: does, Edits: append([]edit{{argEngines, 0}}, manyChanges...)}, step{})
		all[k.String()+", destroy"] = afterwards(step{Verb: destroy, Flags: withoutRefresh, Deeds: does})
	}
	for _, key := range []credential{newKey, strangerKey} {
		all["change with "+key.String()] = afterwards(step{Flags: withoutRefresh, Key: key, Edits: manyChanges}, step{})
		all["destroy with "+key.String()] = afterwards(step{Verb: destroy, Flags: withoutRefresh, Key: key}, step{})
		all["creation with "+key.String()] = afterwards(step{Flags: withoutRefresh, Key: key, Edits: []edit{{argSpare, 1}}}, step{})
	}
	return all
}

// storiesOfMachines are about instances that fail, in creation and afterwards.
func storiesOfMachines() map[string]story {
	failed := []deed{{Kind: failsCreation}}
	refuses := fromNothing(everything, step{}, step{Deeds: []deed{{Kind: breaksMachine}}, Edits: manyChanges}, step{Verb: destroy})
	refuses.Habits = refusesBy422
	stays := fromNothing(guarded, step{}, step{Edits: []edit{{argProtected, 0}, {argDatabaseProtected, 0}, {argAppProtected, 0}}},
		step{Verb: destroy, Deeds: []deed{{Kind: failsDeletion}}}, step{}, step{Verb: destroy})
	stays.Habits = staysDeleting
	again := afterwards(step{Edits: []edit{{argPlan, 1}}, Deeds: []deed{{Kind: opensCheckout, At: 10}}, Strikes: []strike{{Kind: lostAnswer, Class: writes, Times: 1}}}, step{})
	again.Habits = resizesAgain
	return map[string]story{
		"a failed creation, applied":              fromNothing(guarded, step{Deeds: failed}, step{}),
		"a failed creation, refreshed, destroyed": fromNothing(guarded, step{Deeds: failed}, step{Verb: refresh}, step{Verb: destroy}),
		"a failed creation, another key":          fromNothing(everything, step{Deeds: failed}, step{Key: strangerKey}, step{Verb: destroy, Key: strangerKey}, step{Verb: destroy}),
		"a failed creation, repaired":             fromNothing(guarded, step{Deeds: failed}, step{Deeds: []deed{{Kind: repairsMachine}}}, step{Verb: destroy}),
		"refuses by 422":                          refuses,
		"a failed deletion stays deleting":        stays,
		"a resize is done again":                  again,
		"a resize that fails":                     afterwards(step{Edits: []edit{{argPlan, 1}}, Deeds: []deed{{Kind: failsResize}, {Kind: opensCheckout, At: 12}}}, step{}),
		"interrupted, deleted by a person":        fromNothing(everything, step{Cut: cut{interrupt, 1, true}}, step{Deeds: []deed{{Kind: deletesInstance}}}),
		"interrupted, destroyed":                  fromNothing(everything, step{Cut: cut{interrupt, 1, true}}, step{Verb: destroy}),
		"interrupted, unprotected":                fromNothing(guarded, step{Cut: cut{interrupt, 1, true}}, step{Edits: []edit{{argProtected, 0}}, Flags: withoutRefresh}),
		"interrupted, refreshed, applied":         fromNothing(everything, step{Cut: cut{interrupt, 1, true}}, step{Verb: refresh}, step{Pause: time.Hour, Verb: refresh}, step{}),
		"interrupted, changed":                    fromNothing(everything, step{Cut: cut{interrupt, 1, true}}, step{Edits: []edit{{argEngines, 3}, {argTags, 1}, {argMemory, 1}}}, step{}),
		"a checkout that nobody opens":            fromNothing(everything, step{Edits: []edit{{argPlan, 1}}}, step{}, step{Verb: refresh}, step{Verb: destroy}),
		"a checkout, replaced":                    fromNothing(oneInstance, step{Edits: []edit{{argPlan, 1}}}, step{Edits: []edit{{argRegion, 1}}}),
		"a checkout, another plan":                fromNothing(oneInstance, step{Edits: []edit{{argPlan, 1}}}, step{Edits: []edit{{argPlan, 2}}}, step{Deeds: []deed{{Kind: opensCheckout}}}),
		"hidden engine":                           afterwards(step{Deeds: []deed{{Kind: hidesEngine}}, Edits: []edit{{argEngines, 0}}}, step{}),
		"a strange status while being created":    fromNothing(everything, step{Deeds: []deed{{Kind: strangeStatus, At: 6}}}, step{}, step{Verb: destroy}),
	}
}

// storiesOfTaintedObjects replace each object after a taint, also with another key.
func storiesOfTaintedObjects() map[string]story {
	all := map[string]story{}
	for target := range 10 {
		mark := step{Verb: taint, Target: target}
		all[fmt.Sprintf("target %d", target)] = afterwards(mark, step{})
		all[fmt.Sprintf("target %d, another key", target)] = afterwards(mark, step{Key: strangerKey}, step{Verb: destroy, Key: strangerKey})
		all[fmt.Sprintf("target %d, a failed destroy", target)] = afterwards(mark, step{Verb: destroy, Strikes: []strike{{Kind: badGateway, Class: writes, Times: 40}}}, step{})
		all[fmt.Sprintf("target %d, without a refresh", target)] = afterwards(mark, step{Flags: withoutRefresh})
	}
	return all
}

// storiesOfApps are about builds, redeploys and variables.
func storiesOfApps() map[string]story {
	lost := []strike{{Kind: lostAnswer, Class: writes, Times: 1}}
	all := map[string]story{}
	for name, change := range map[string][]edit{
		"branch": {{argBranch, 1}}, "trigger": {{argTrigger, 1}}, "variables": {{argEnv, 2}}, "secrets": {{argSecretEnv, 2}}, "a variable becomes public": {{argSecretEnv, 3}, {argEnv, 2}},
		"port": {{argPort, 1}}, "links": {{argLinks, 0}}, "all": {{argBranch, 1}, {argTrigger, 1}, {argEnv, 2}, {argSecretEnv, 2}, {argPort, 1}, {argLinks, 0}, {argPublic, 0}},
	} {
		all[name+", the build fails"] = afterwards(step{Edits: change, Deeds: []deed{{Kind: failsBuild}}}, step{}, step{})
		all[name+", the app crashes"] = afterwards(step{Edits: change, Deeds: []deed{{Kind: crashesApp, At: 12}}}, step{}, step{})
		all[name+", lost, refreshed"] = afterwards(step{Edits: change, Strikes: lost}, step{Verb: refresh}, step{})
		all[name+", interrupted, reverted"] = afterwards(step{Edits: change, Cut: cut{interrupt, 1, true}}, step{Edits: setBack(change)}, step{})
		all[name+", killed"] = afterwards(step{Edits: change, Cut: cut{killAfter, 1, true}}, step{Verb: refresh}, step{})
		all[name+", the job fails"] = afterwards(step{Edits: change, Deeds: []deed{{Kind: failsJob}}}, step{})
		all[name+", builds not read"] = afterwards(step{Edits: change, Strikes: []strike{{Kind: foreign404, Class: polls, Nth: 2, Times: 1, For: time.Hour}}}, step{})
	}
	unprotected := []edit{{argAppProtected, 0}, {argProtected, 0}, {argDatabaseProtected, 0}}
	first := step{Cut: cut{interrupt, 9, true}}
	all["first build interrupted, destroyed"] = fromNothing(everything, first, step{Verb: destroy})
	all["first build interrupted, changed"] = fromNothing(everything, first, step{Edits: []edit{{argBranch, 1}, {argEnv, 2}}}, step{})
	all["first build fails, protected, destroyed"] = fromNothing(guarded, step{Deeds: []deed{{Kind: failsBuild}}}, step{Edits: unprotected, Deeds: []deed{{Kind: failsBuild}}}, step{Verb: destroy})
	all["a later build fails, unprotected, destroyed"] = fromNothing(guarded, step{}, step{Edits: []edit{{argBranch, 1}}, Deeds: []deed{{Kind: failsBuild}}},
		step{Edits: unprotected, Deeds: []deed{{Kind: failsBuild}}}, step{Edits: []edit{{argApp, 0}}})
	all["first build fails, without a refresh"] = fromNothing(guarded, step{Deeds: []deed{{Kind: failsBuild}}}, step{Flags: withoutRefresh}, step{Verb: destroy})
	return all
}

// storiesOfImports imports each object of everything.
func storiesOfImports() map[string]story {
	all := map[string]story{}
	for target := range 10 {
		for _, verb := range []verb{importByID, importByIdentity} {
			if target != 9 && target != 6 {
				all[fmt.Sprintf("%s of target %d", verb, target)] = afterwards(step{Verb: verb, Target: target}, step{})
			}
		}
	}
	all["what a person has set up"] = fromNothing(adopted, step{}, step{Edits: manyChanges})
	return all
}

// storiesOfKeys uses other keys.
func storiesOfKeys() map[string]story {
	all := map[string]story{}
	for _, key := range []credential{newKey, strangerKey} {
		for _, verb := range []verb{apply, refresh, destroy, redeploy} {
			all[fmt.Sprintf("%s with %s", verb, key)] = afterwards(step{Verb: verb, Key: key}, step{})
		}
		all[fmt.Sprintf("changes with %s", key)] = afterwards(step{Edits: manyChanges, Key: key}, step{})
	}
	return all
}

// storiesOfRefusals has plans that the provider refuses.
func storiesOfRefusals() map[string]story {
	first := step{}
	guardedBy := func(steps ...step) story {
		return story{scenario{Begin: guarded, Steps: append([]step{first}, steps...)}, 1}
	}
	return map[string]story{
		"destroy":            guardedBy(step{Verb: destroy}),
		"unprotect, destroy": guardedBy(step{Edits: []edit{{argProtected, 0}, {argDatabaseProtected, 0}, {argAppProtected, 0}}}, step{Verb: destroy}),
		"another region":     guardedBy(step{Edits: []edit{{argRegion, 1}}}),
		"another database":   guardedBy(step{Edits: []edit{{argDatabase, 2}}}),
		"no app":             guardedBy(step{Edits: []edit{{argApp, 0}}}),
		"an engine less":     guardedBy(step{Edits: []edit{{argEngines, 1}}}, step{Edits: []edit{{argEngines, 0}}}),
		"replace":            guardedBy(step{Verb: replace, Target: 2}, step{Verb: replace, Target: 5}, step{Verb: replace, Target: 6}),
		"without a refresh":  guardedBy(step{Flags: withoutRefresh, Edits: []edit{{argDatabase, 0}}}),
	}
}

// storiesOfActions invokes each action.
func storiesOfActions() map[string]story {
	all := map[string]story{}
	for v := rotate; v <= restartApp; v++ {
		all[v.String()] = afterwards(step{Verb: v})
		all[v.String()+", refused"] = afterwards(step{Verb: v, Strikes: []strike{{Kind: leaky, Class: writes, Times: 1}}})
		all[v.String()+", lost"] = afterwards(step{Verb: v, Strikes: []strike{{Kind: lostAnswer, Class: writes, Times: 1}}})
		all[v.String()+", failed"] = afterwards(step{Verb: v, Deeds: []deed{{Kind: failsJob}, {Kind: failsBuild}}})
	}
	return all
}
