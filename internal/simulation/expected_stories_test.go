package simulation

import (
	"fmt"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway/weather"
)

// A story is a scenario that TestStories tells, from the step with the number from.
type story struct {
	scenario
	from int
}

// stories returns the stories by the name of their file and by their title.
func stories() map[string]map[string]story {
	return map[string]map[string]story{
		"life": {
			"everything, from nothing to nothing": fromNothing(everything, step{}, step{}, step{Verb: refresh}, step{Verb: destroy}),
		},
		"arguments":  eachArgument(),
		"creations":  eachWrite(12, step{}, false),
		"changes":    eachWrite(10, step{Edits: manyChanges}, true),
		"deletions":  eachWrite(9, step{Verb: destroy}, true),
		"reads":      eachRead(9),
		"readings":   eachReading(),
		"scripts":    scripts(),
		"people":     eachDeed(),
		"records":    eachRecord(),
		"imports":    eachImport(),
		"accounts":   eachKey(),
		"protection": refused(),
		"actions":    eachAction(),
		"others": {
			"two instances that the service cannot distinguish": fromNothing(siblings, step{Cut: cut{interrupt, 1, true}}, step{}, step{Edits: []edit{{argSpare, 0}}}),
			"another CLI on the same instance":                  {scenario{Begin: everything, Other: onTheSame, Steps: []step{{}, {By: 1}, {}}}, 1},
			"another CLI with the same instance":                {scenario{Begin: everything, Other: theSame, Steps: []step{{}, {By: 1, Edits: []edit{{argTags, 1}}}, {}}}, 1},
			"a paid plan":                                       fromNothing(everything, step{Edits: []edit{{argPlan, 1}}}, step{}, step{Deeds: []deed{{Kind: opensCheckout}}}, step{}),
			"an ephemeral connection":                           fromNothing(oneInstance, step{Edits: []edit{{argEphemeral, 1}}}, step{Edits: []edit{{argPlan, 1}}}),
		},
	}
}

// fromNothing tells a scenario from its beginning.
func fromNothing(b beginning, steps ...step) story { return story{scenario{Begin: b, Steps: steps}, 0} }

// afterwards tells what follows the creation of everything.
func afterwards(steps ...step) story {
	return story{scenario{Begin: everything, Steps: append([]step{{}}, steps...)}, 1}
}

// manyChanges changes each resource that can be changed in place.
var manyChanges = []edit{
	{argTags, 1}, {argAllowlist, 2}, {argConsole, 2}, {argAuth, 2}, {argEndpoint, 2}, {argEndpointSecret, 3}, {argScript, 2}, {argPort, 1}, {argEnv, 2}, {argProfile, 2},
}

// eachArgument gives each argument each of its values, one after the other, and then its
// first one.
func eachArgument() map[string]story {
	all := map[string]story{}
	for a := range arguments {
		var steps []step
		for value := range values[a] {
			steps = append(steps, step{Edits: []edit{{a, value}}})
		}
		all[a.String()] = afterwards(append(steps, step{Edits: []edit{{a, everything.configuration()[a]}}})...)
	}
	return all
}

// eachWrite lets each write of a command be refused, be interrupted, or lead to a job that
// fails. The same command follows.
func eachWrite(writesOf int, command step, created bool) map[string]story {
	all := map[string]story{}
	add := func(title string, change func(*step)) {
		first, again := command, command
		change(&first)
		again.Edits = nil
		s := fromNothing(everything, first, again)
		if created {
			s = afterwards(first, again)
		}
		all[title] = s
	}
	for n := range writesOf {
		add(fmt.Sprintf("write %02d is refused", n+1), func(s *step) { s.Strikes = []strike{{Kind: leaky, Class: writes, Nth: n, Times: 1}} })
		add(fmt.Sprintf("write %02d is interrupted", n+1), func(s *step) { s.Cut = cut{interrupt, n + 1, true} })
	}
	add("no write arrives", func(s *step) { s.Strikes = []strike{{Kind: neverSent, Class: writes, Times: 1, For: time.Hour}} })
	add("a job fails", func(s *step) { s.Deeds = []deed{{Kind: failsJob}} })
	add("a build fails", func(s *step) { s.Deeds = []deed{{Kind: failsBuild}} })
	add("the creation fails", func(s *step) { s.Deeds = []deed{{Kind: failsCreation}} })
	add("the deletion fails", func(s *step) { s.Deeds = []deed{{Kind: failsDeletion}} })
	return all
}

// eachRead lets each read of a refresh fail, and of a plan.
func eachRead(readsOf int) map[string]story {
	all := map[string]story{}
	for n := range readsOf {
		for _, kind := range []strikeKind{badGateway, foreign404} {
			hit := []strike{{Kind: kind, Class: reads, Nth: n, Times: 5}}
			all[fmt.Sprintf("read %02d: %s", n+1, kind)] = afterwards(step{Verb: refresh, Strikes: hit}, step{Strikes: hit, Edits: manyChanges})
		}
	}
	return all
}

// eachReading changes one thing at a time, and lets each read fail that follows the plan.
func eachReading() map[string]story {
	all := map[string]story{}
	for _, change := range []edit{{argTags, 1}, {argEngines, 1}, {argAllowlist, 2}, {argConsole, 2}, {argAuth, 2}, {argEndpoint, 2}, {argDatabase, 2}, {argExtension, 2}, {argPort, 1}, {argTrigger, 1}, {argProfile, 2}, {argApp, 0}} {
		for n := 6; n < 13; n++ {
			hit := []strike{{Kind: badGateway, Class: reads, Nth: n, Times: 5}}
			all[fmt.Sprintf("%s, read %02d fails", change, n+1)] = afterwards(step{Edits: []edit{change}, Strikes: hit}, step{})
		}
	}
	return all
}

// scripts loses the answer of a script.
func scripts() map[string]story {
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

// eachDeed lets a person do something before a refresh and an apply with changes.
func eachDeed() map[string]story {
	all := map[string]story{}
	for k := range deedKinds {
		does := []deed{{Kind: k}}
		all[k.String()] = afterwards(step{Verb: refresh, Deeds: does}, step{Edits: manyChanges})
	}
	return all
}

// eachRecord lets the service leave out or vary what it tells.
func eachRecord() map[string]story {
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

// eachImport imports each object of everything.
func eachImport() map[string]story {
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

// eachKey uses other keys.
func eachKey() map[string]story {
	all := map[string]story{}
	for _, key := range []credential{newKey, strangerKey} {
		for _, verb := range []verb{apply, refresh, destroy, redeploy} {
			all[fmt.Sprintf("%s with %s", verb, key)] = afterwards(step{Verb: verb, Key: key}, step{})
		}
		all[fmt.Sprintf("changes with %s", key)] = afterwards(step{Edits: manyChanges, Key: key}, step{})
	}
	return all
}

// refused has plans that the provider refuses.
func refused() map[string]story {
	first := step{}
	guardedBy := func(steps ...step) story { return story{scenario{Begin: guarded, Steps: append([]step{first}, steps...)}, 1} }
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

// eachAction invokes each action.
func eachAction() map[string]story {
	all := map[string]story{}
	for v := rotate; v <= restartApp; v++ {
		all[v.String()] = afterwards(step{Verb: v})
		all[v.String()+", refused"] = afterwards(step{Verb: v, Strikes: []strike{{Kind: leaky, Class: writes, Times: 1}}})
		all[v.String()+", lost"] = afterwards(step{Verb: v, Strikes: []strike{{Kind: strikeKind(weather.LostAnswer), Class: writes, Times: 1}}})
		all[v.String()+", failed"] = afterwards(step{Verb: v, Deeds: []deed{{Kind: failsJob}, {Kind: failsBuild}}})
	}
	return all
}
