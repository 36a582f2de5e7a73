package app

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/providertest"
)

// plans are what an apply may ask for, of an app that the state has with port 1, branch m,
// the color red and no trigger.
var plans = map[string]appModel{
	"no change":   appOf(1, "m", "red", 0),
	"a port":      appOf(2, "m", "red", 0),
	"a branch":    appOf(1, "n", "red", 0),
	"a color":     appOf(1, "m", "blue", 0),
	"a trigger":   appOf(1, "m", "red", 1),
	"a commit":    ofCommit(appOf(1, "m", "red", 0)),
	"two":         appOf(2, "n", "red", 0),
	"all of them": appOf(2, "n", "blue", 1),
}

// ofCommit returns an app that is to run the new commit.
func ofCommit(m appModel) appModel {
	m.DeployCommit = types.StringValue(newCommit)
	return m
}

// noted are the notes that an earlier call may have left.
func noted() map[string]note {
	trigger := plans["a trigger"].RedeployTriggers.String()
	return map[string]note{
		"none":              {},
		"creating":          {Phase: creating, Build: "b1"},
		"creating, job":     {Phase: creating, Job: "j1", Build: "b1"},
		"deploying":         {Phase: deploying, Build: "b1"},
		"deploying, newest": {Phase: deploying},
		"deploying, job":    {Phase: deploying, Job: "j1", Build: "b1", Sent: []string{"branch"}},
		"redeploying, job":  {Phase: deploying, Job: "j1", Build: "b1"},
		"changing, job":     {Phase: changing, Job: "j1", Sent: []string{"port"}},
		"changing, lost":    {Phase: changing, Sent: []string{"port"}},
		"deploying, lost":   {Phase: deploying, Sent: []string{"branch", "port"}},
		"a color, lost":     {Phase: deploying, Sent: []string{"env"}},
		"another redeploy":  {Phase: deploying, Trigger: "{v=9}", Known: []string{"b0"}},
		"redeploy, lost":    {Phase: deploying, Trigger: trigger, Known: []string{"b0"}},
	}
}

// beginnings returns all worlds that an apply may find, as far as they are possible.
func beginnings() map[string]*world {
	worlds := map[string]*world{}
	for name, n := range noted() {
		for _, there := range []appModel{plans["no change"], plans["a port"], plans["a branch"], plans["a color"], appOf(3, "o", "green", 0)} {
			for _, status := range []client.Word{client.AppRunning, client.AppFailed, client.AppBuilding} {
				for _, job := range []string{"none", "running", "done", "failed", "missing", "another's"} {
					for _, builds := range [][]client.Build{
						nil, {{ID: "b0", Status: "successful"}}, {{ID: "b1", Status: "running"}, {ID: "b0", Status: "successful"}},
						{{ID: "b1", Status: "successful"}, {ID: "b0", Status: "successful"}}, {{ID: "b1", Status: "failed"}, {ID: "b0", Status: "successful"}},
						{{ID: "b2", Status: "running"}, {ID: "b1", Status: "successful"}}, {{ID: "b2", Status: "failed"}, {ID: "b1", Status: "successful"}},
						{{ID: "b1", Status: "running"}}, {{ID: "b1", Status: "failed"}}, {{ID: "b1", Status: "successful"}},
					} {
						for _, masks := range []bool{false, true} {
							if w := beginning(n, there, status, job, builds, masks); w != nil {
								key := fmt.Sprintf("note %s; %s %s %s %s; job %s; builds %v; masks %t", name, there.Port, there.Branch, there.Env, status, job, builds, masks)
								worlds[key] = w
							}
						}
					}
				}
			}
		}
	}
	return worlds
}

// beginning returns a world, or nil if it is not possible.
func beginning(n note, there appModel, status client.Word, job string, builds []client.Build, masks bool) *world {
	w := &world{
		port: there.Port.ValueInt64(), branch: there.Branch.ValueString(), color: knownStrings(there.Env)["COLOR"], status: status,
		builds: slices.Clone(builds), jobs: map[string]worldJob{}, latest: 10, masks: masks, state: plans["no change"], note: n, keys: secretKeysOf(secrets),
	}
	w.silent = w.port == 2
	for i, build := range w.builds {
		if w.builds[i].Commit = oldCommit; build.ID == "b2" {
			w.builds[i].Commit = newCommit
		}
	}
	w.state.setBuild(w.builds)
	if n.isZero() && job == "another's" { // an app whose variables were imported
		w.keys, w.state.Env = secretKeys{}, types.MapNull(types.StringType)
	}
	isRunning := slices.ContainsFunc(builds, func(b client.Build) bool { return b.Status == "running" })
	wasDeployed := slices.ContainsFunc(builds, client.Build.Succeeded)
	isListed := n.Build == "" || slices.ContainsFunc(builds, func(b client.Build) bool { return b.ID == n.Build })
	queues := n.Job != "" && n.Build != "" && (job == "running" || job == "failed") // its build is listed once the job is done
	switch {
	case n.Job == "" && job != "none" && job != "another's", n.Job != "" && job == "none":
		return nil
	case n.isNew() && (job == "failed" || job == "another's" && !wasDeployed): // a failed import leaves no app
		return nil
	case n.isNew() && (len(builds) != 1 || builds[0].ID != "b1") && (!queues || len(builds) > 0):
		return nil
	case !n.isNew() && len(builds) == 1 && builds[0].ID == "b1":
		return nil
	case queues && isListed, !queues && n.Build != "" && !isListed && n.Job != "" && job == "done":
		return nil
	case status == client.AppBuilding && !isRunning && (!n.isNew() || !queues), status == client.AppRunning && n.isNew() && !wasDeployed && !queues:
		return nil // nothing would end that, and nothing can run
	case queues && n.isNew() && status != client.AppBuilding, status == client.AppFailed && len(builds) == 0:
		return nil
	}
	operation := client.OpAppUpdate
	switch {
	case n.isNew():
		operation = client.OpAppImport
		w.state.BuildID, w.state.Status = types.StringNull(), types.StringValue(client.AppBuilding)
	case n.Job != "" && len(n.Sent) == 0:
		operation = client.OpAppRedeploy
	}
	noted := worldJob{status: job, of: operation}
	if slices.Contains(n.Sent, "port") {
		noted.change.Port = client.Some[int64](2)
	}
	if slices.Contains(n.Sent, "branch") {
		noted.change.Branch = client.Some("n")
	}
	if queues {
		noted.build = n.Build
	}
	switch job {
	case "running", "done", "failed":
		w.jobs[n.Job] = noted
	case "another's":
		w.jobs["j9"] = worldJob{status: "running", of: client.OpAppUpdate, change: client.AppSettings{Port: client.Some[int64](3)}}
	}
	if (w.branch != "m" || w.color != "red" && w.keys.known) && len(builds) > 0 && builds[0].ID != "b0" {
		w.need = builds[0].ID // of the change that the record shows
	}
	w.ran = status == client.AppRunning || slices.ContainsFunc(builds, func(b client.Build) bool { return b.Succeeded() && (!n.isNew() || status != client.AppFailed) })
	return w
}

// ends returns all ways in which a call may end, without the step.
func ends() (all []end) {
	for _, builds := range []string{"ok", "failed", "down"} {
		for _, jobsFail := range []bool{false, true} {
			for _, way := range []end{
				{}, {unread: true}, {killed: true}, {killed: true, unread: true},
				{lost: true}, {killed: true, lost: true}, {lost: true, dropped: true},
			} {
				way.builds, way.jobsFail = builds, jobsFail
				all = append(all, way)
			}
		}
	}
	return all
}

var every = flag.Int("every", 83, "the exhaustive tests play one beginning of so many")

// TestDecideExhaustively plays an apply from each beginning, for each plan: undisturbed, and
// cut short before each of its steps in each way. Applies that nothing disturbs follow.
func TestDecideExhaustively(t *testing.T) {
	t.Parallel()
	worlds, found, plays := beginnings(), map[string]bool{}, 0
	for i, name := range slices.Sorted(maps.Keys(worlds)) {
		if i%*every != *every/2 {
			continue
		}
		for asked, planned := range plans {
			plays += play(t, found, fmt.Sprintf("%s; plan %s", name, asked), worlds[name], planned, (*world).apply)
		}
	}
	t.Logf("%d beginnings, %d plays", len(worlds), plays)
}

// TestCreationsExhaustively does the same with calls that have just imported the app.
func TestCreationsExhaustively(t *testing.T) {
	t.Parallel()
	linked := appOf(1, "m", "red", 0)
	linked.Links = providertest.Texts("auth")
	for name, row := range map[string]struct {
		planned appModel
		asks    bool
	}{
		"no link": {plans["no change"], false}, "a link": {linked, false}, "a link that the build needs": {linked, true},
	} {
		w := &world{port: 1, branch: "m", color: "red", jobs: map[string]worldJob{}, latest: 10, asks: row.asks}
		play(t, map[string]bool{}, name, w, row.planned, (*world).create)
	}
}

// play plays the first call in all ways, and what follows. It reports each problem once.
func play(t *testing.T, found map[string]bool, name string, from *world, planned appModel, first func(*world, appModel, end) error) (plays int) {
	t.Helper()
	for _, e := range ends() {
		for e.at = -1; ; e.at++ {
			plays++
			w := from.clone()
			err := first(w, planned, e)
			if problem := w.settles(planned, from, e, err); problem != "" && !found[problem] {
				found[problem] = true
				t.Errorf("%s. %s, %+v: the first call ends with %v", problem, name, e, err)
			}
			if e.at >= 0 && err != errCut || e.at < 0 && (e.killed || e.lost) { // the call has no such step
				break
			}
		}
	}
	return plays
}

// settles plays what follows a call, and returns what is wrong.
func (w *world) settles(planned appModel, before *world, e end, first error) string {
	isNew := before.state.Name.IsNull()
	asked := before.changes(planned) // all that a plan has asked for
	if isNew {
		asked = []string{"links"}
	}
	isEffective := func(names []string) string {
		for _, name := range names {
			if !w.asPlanned(planned, name) {
				return "The plan's " + name + " is not in effect"
			}
		}
		return w.problem
	}
	if first == nil && isEffective(asked) != "" {
		return isEffective(asked)
	}
	if first != nil && first != errCut && !e.jobsFail {
		for _, name := range w.changes(planned) {
			if slices.Contains(asked, name) && w.asPlanned(planned, name) && w.requests > before.requests {
				return "The state does not have the " + name + " that was sent"
			}
		}
	}
	if w.gone || w.state.Name.IsNull() {
		return w.problem // a refresh removes it from the state, or a killed creation has none
	}
	calmed, deploys := first == nil && w.status == client.AppRunning && w.runningJob() == "", w.deploys
	if !e.unread && w.refresh() {
		if w.ran {
			return "An app that has run would be destroyed"
		}
		return w.problem // it is replaced
	}
	var last []string
	err := errCut
	for range 2 { // the next apply repeats a build or a restart that has failed by then
		if err != nil {
			last = w.changes(planned)
			asked = append(asked, last...)
			err = w.apply(planned, calm)
		}
	}
	if err != nil {
		return "It does not converge: " + err.Error()
	}
	if problem := isEffective(last); problem != "" {
		return problem
	}
	isUnbuilt := w.needed() >= 0 && !slices.ContainsFunc(w.builds[:w.needed()+1], client.Build.Succeeded)
	triggered := !isNew && !before.state.RedeployTriggers.Equal(planned.RedeployTriggers)
	asksForBuild := w.built > before.built || triggered || slices.Contains(asked, "branch") || slices.Contains(asked, "env")
	switch {
	case !slices.Contains(slices.Concat(asked, before.note.Sent), "port") && w.port == 1 && before.port != 1:
		return "A port was undone that no plan contains"
	case !w.note.isZero():
		return "A note is left"
	case !w.state.RedeployTriggers.Equal(planned.RedeployTriggers):
		return "The state does not have the trigger"
	case isUnbuilt && (asksForBuild || !e.unread && (!e.killed || len(asked) > 0)): // without a refresh, no plan asks for the rest
		return "The build that a plan asked for is not deployed, and no later one"
	case (asksForBuild || !e.unread && w.need != "" || before.note.awaitsBuild()) && w.status != client.AppRunning:
		return "The app does not run"
	case triggered && w.built == before.built && before.note.Trigger != planned.RedeployTriggers.String():
		return "The trigger has built nothing"
	case planned.DeployCommit.ValueString() != "" && w.commit() == oldCommit:
		return "Another commit runs"
	case !triggered && e == calm && before.isHealthy() && planned.DeployCommit.IsNull() && w.deploys > before.deploys:
		return "It was redeployed without a reason"
	case calmed && !w.masks && w.deploys > deploys:
		return "An apply that ended well is followed by a redeploy"
	case !e.killed && !e.lost && !e.jobsFail && e.builds == "ok" && w.deploys > before.deploys+1 && before.note.isZero():
		return "It was redeployed twice for one plan"
	}
	requests := w.requests
	if w.refresh(); w.note.isZero() && w.apply(w.state, calm) != nil || w.requests != requests {
		return "An apply without changes sends something"
	}
	if w.note.isZero() && !slices.Equal(w.steps, []verb{readApp, finish}) && w.status != client.AppBuilding {
		return fmt.Sprint("An apply without changes does more than it must: ", w.steps)
	}
	return w.problem
}
