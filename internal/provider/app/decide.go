package app

import (
	"errors"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

// This file decides what an apply does next about an app, and what it notes about it. It reads
// and sends nothing. A convergence asks decide, carries out the step, notes the result, and asks
// again until nothing is left to do. A creation, a change, a redeploy, and an apply that
// resumes one of them differ only in where they begin.

// A goal is the app that a plan asks for. prior is the state that the plan was made from.
type goal struct {
	prior, planned appModel
	env, secret    map[string]string
}

// A phase is how far the life of an app has come.
type phase string

const (
	creating  phase = "creating"  // its first version was not seen to run
	failed    phase = "failed"    // like creating, and its creation was seen to fail
	changing  phase = "changing"  // a change was sent, and the end of its job was not seen
	deploying phase = "deploying" // a build was asked for, and was not seen to run
)

// A note is what the next call must know if this one ends now. It is kept in private state. A
// running app that is as planned has none.
type note struct {
	Phase phase  `json:"phase,omitempty"`
	Job   string `json:"job,omitempty"`   // of the newest request, until its end was seen
	Build string `json:"build,omitempty"` // the build that must run; "" is the newest one that is not in Known
	// Sent are the attributes of requests whose effect was not seen. The app may have the
	// values of the state, or others. "env" stands for the secret variables, too.
	Sent []string `json:"sent,omitempty"`
	// Known are the builds that existed before a build was asked for, until the service has
	// named it. Trigger has the redeploy_triggers of that request.
	Known   []string `json:"known,omitempty"`
	Trigger string   `json:"trigger,omitempty"`
}

func (n note) isZero() bool { return n.Phase == "" && n.Job == "" && len(n.Sent) == 0 }

// isNew reports whether nothing is known to have run yet.
func (n note) isNew() bool { return n.Phase == creating || n.Phase == failed }

// awaitsBuild reports whether a build must be seen to run.
func (n note) awaitsBuild() bool { return n.isNew() || n.Phase == deploying }

// requested finds the build that the note is about.
func (n note) requested(builds []client.Build) (client.Build, bool) {
	build, found := client.PickBuild(builds, n.Build)
	return build, found && !slices.Contains(n.Known, build.ID)
}

// A progress is how far one call has come.
type progress struct {
	have appModel // the state, if the call ended now
	keys secretKeys
	note note
	asks []string // attributes of the newest request of this call
	done []string // attributes of the plan that this call has brought about
	// imported, sent, built and redeployed are what this call has done: imported the app, sent
	// another request, asked for the build that the note is about, and asked for it alone.
	imported, sent, built, redeployed bool
	// unlinked reports that the first build of an imported app has failed, which began before
	// the app was linked and may have lacked what a link provides. rebuilt reports that this
	// call has then asked for another one.
	unlinked, rebuilt bool
	deployed, ran     bool // the build, or the app, was seen to run since
}

// imported returns the progress of a call that has imported an app. The import cannot carry
// links (SERVICE.md#apps), so they are sent after it.
func imported(saved appModel, keys secretKeys, pending client.Pending) progress {
	p := progress{have: saved, keys: keys, imported: true, built: true}
	p.note = note{Phase: creating, Job: pending.JobID, Build: pending.BuildID}
	if len(saved.Links.Elements()) > 0 {
		p.note.Sent = []string{"links"}
	}
	return p
}

// seen is what a call has read.
type seen struct {
	app    *client.App    // before the first request; nil if not read yet
	builds []client.Build // newest first; nil if not read since the last request
}

// A verb is a kind of step.
type verb int

const (
	awaitJob     verb = iota // Wait for the noted job.
	readApp                  // Read the record.
	readIdle                 // Wait until no job runs, and read the record.
	readBuilds               // Read the builds.
	send                     // Send a change.
	redeploy                 // Ask for a build.
	awaitBuild               // Wait until a build is deployed and the app runs.
	awaitRunning             // Wait until the app runs.
	finish                   // Read the result.
	refuse                   // Send nothing, and end with an error.
)

// A step is what a call does next.
type step struct {
	do     verb
	change client.AppSettings // to send
	build  string             // to wait for; "" is the newest
	err    error              // why nothing is sent
}

// decide returns the next step towards a goal.
func decide(g goal, p progress, s seen) step {
	switch {
	case p.note.Job != "":
		return step{do: awaitJob}
	case p.ran:
		return step{do: finish}
	case p.unlinked && s.builds == nil:
		return step{do: readBuilds}
	case p.unlinked:
		return step{do: redeploy}
	case p.imported: // a record may still be that of an older app of the name
	case s.app == nil && (g.changesArguments(p.note) || g.planned.asksForAnotherCommit(p.have) || !p.note.isZero()):
		return step{do: readIdle}
	case s.app == nil:
		return step{do: readApp}
	}
	change, err := g.missing(p, s.app)
	switch {
	case err != nil:
		return step{do: refuse, err: err}
	case builds(change) && s.builds == nil && !p.imported && (p.note.awaitsBuild() || p.asksForBuild(g)):
		return step{do: readBuilds} // to know the build of this change from older ones
	case !client.IsEmpty(change):
		return step{do: send, change: change}
	case p.built && p.note.Build == "" && !p.imported:
		return decideUnnamed(g, p, s)
	case p.built:
		return step{do: awaitBuild, build: p.note.Build}
	}
	return decideBuild(g, p, s)
}

// decideUnnamed decides about a request that should build the app, and whose answer names no
// build. A service builds nothing for variables that it has already, and a record that masks
// them does not show that. So the newest build may be an older one, or there is none.
func decideUnnamed(g goal, p progress, s seen) step {
	newest, isNew := p.note.requested(s.builds)
	switch {
	case s.builds == nil:
		return step{do: readBuilds}
	case isNew && p.note.Known != nil:
		return step{do: awaitBuild, build: newest.ID}
	case isNew: // or an older one, as those before are not known
		return step{do: awaitBuild}
	case !p.redeployed && (p.asksForBuild(g) || len(s.builds) > 0 && mustBuildAgain(newest, *s.app)):
		return step{do: redeploy}
	case len(s.builds) == 0:
		return step{do: awaitRunning}
	}
	return step{do: awaitBuild}
}

// asksForBuild reports whether the plan asks for a build by its triggers or its commit, and no
// build of this call has been for them.
func (p progress) asksForBuild(g goal) bool {
	return !p.have.RedeployTriggers.Equal(g.planned.RedeployTriggers) || !p.have.DeployCommit.Equal(g.planned.DeployCommit)
}

// decideBuild decides about the build of an app whose record shows what is planned, and for
// which this call has not asked for a build.
func decideBuild(g goal, p progress, s seen) step {
	open := p.open(g)
	asked := p.note.awaitsBuild() || s.app.Status == client.AppBuilding && p.have.BuildID.IsNull()
	triggered := !p.have.RedeployTriggers.Equal(g.planned.RedeployTriggers)
	recommitted := !p.have.DeployCommit.Equal(g.planned.DeployCommit) || !asked && g.planned.asksForAnotherCommit(p.have)
	// The record shows a change that builds, and no answer has named its build: an apply was
	// killed, or a person made the change.
	unnoticed := slices.Contains(open, "branch") || slices.Contains(open, "env") && p.keys.known
	switch {
	case !asked && !triggered && !recommitted && !unnoticed && len(open) == 0 && !p.sent:
		return step{do: finish}
	case !asked && !triggered && !recommitted && !unnoticed:
		return step{do: awaitRunning}
	case s.builds == nil:
		return step{do: readBuilds}
	}
	of := p.note
	if unnoticed {
		of.Build = "" // it is newer than the noted one
	}
	build, listed := of.requested(s.builds)
	there := p.have
	there.setBuild(s.builds)
	switch {
	case triggered && (!listed || p.note.Trigger != g.planned.RedeployTriggers.String()),
		recommitted && (g.planned.asksForAnotherCommit(there) || s.app.Status == client.AppFailed),
		(asked || unnoticed) && listed && mustBuildAgain(build, *s.app),
		asked && !listed && (p.note.Build != "" || !p.note.isNew() && s.app.Status != client.AppBuilding):
		return step{do: redeploy}
	case listed && (asked || unnoticed || triggered):
		return step{do: awaitBuild, build: build.ID}
	case asked:
		return step{do: awaitBuild} // of an import, which always queues one
	case len(open) > 0 || p.sent:
		return step{do: awaitRunning}
	}
	return step{do: finish}
}

// mustBuildAgain reports whether a build that an earlier call has left is to be repeated: it
// has failed, or it was deployed and the app does not run. The user has probably fixed the
// cause before applying again.
func mustBuildAgain(build client.Build, app client.App) bool {
	return build.Failed() || build.Succeeded() && app.Status == client.AppFailed
}

// open returns the attributes that the plan changes, or whose value is in doubt, and that this
// call has not brought about, sorted. "env" stands for all variables.
func (p progress) open(g goal) []string {
	open := attributes.Union(attributes.Changed(&g.prior.appSettings, &g.planned.appSettings), p.note.Sent)
	if envChanges(g.prior, g.planned) {
		open = attributes.Union(open, []string{"env"})
	}
	return slices.DeleteFunc(open, func(name string) bool { return slices.Contains(p.done, name) })
}

// changesArguments reports whether the plan changes an argument that the service knows, or
// whose value is in doubt. Otherwise the call only finishes what an earlier one has left.
func (g goal) changesArguments(n note) bool {
	return len(progress{note: n}.open(g)) > 0 || !g.prior.RedeployTriggers.Equal(g.planned.RedeployTriggers) ||
		!g.prior.DeployCommit.Equal(g.planned.DeployCommit)
}

// missing returns the settings to send: those that are open, without a comparison, because
// reads may lag. Only a branch and variables that the record shows are left out: they would
// build the app again. app is nil for a new app, which has the values of its import.
func (g goal) missing(p progress, app *client.App) (change client.AppSettings, err error) {
	open := p.open(g)
	attributes.Request(&g.planned.appSettings, &change, open)
	if app == nil {
		return change, nil
	}
	change.Branch = client.Missing(change, app.AppSettings).Branch
	if !slices.Contains(open, "env") {
		return change, nil
	}
	env, err := envToSend(g.prior.withUnknown(p.note.Sent), g.planned, app.Env, g.env, g.secret, p.keys)
	if env != nil {
		change.Env = client.Some(env)
	}
	return change, err
}

// builds reports whether a change queues a build. Every other change restarts the app.
func builds(change client.AppSettings) bool { return change.Branch.Set || change.Env.Set }

// begin notes a request before it is sent, because its answer may be lost.
func (p *progress) begin(g goal, a step, s seen) {
	n := &p.note
	p.asks = client.Names(a.change)
	n.Sent = attributes.Union(n.Sent, p.asks)
	if a.change.Env.Set && !p.keys.known {
		p.keys.names = attributes.Union(p.keys.names, attributes.SortedKeys(g.secret))
	}
	switch {
	case a.do == redeploy, builds(a.change):
		n.Build, n.Trigger, n.Known = "", "", nil
		if s.builds != nil {
			n.Known = diagnostics.IdsOf(s.builds, client.Build.Identifier)
		}
		if a.do == redeploy {
			n.Trigger = g.planned.RedeployTriggers.String()
		}
		if !p.imported { // the version before may run by then, so the app is not new any longer
			n.Phase = deploying
		}
	case n.Phase == "":
		n.Phase = changing
	}
}

// accept notes the answer to a request.
func (p *progress) accept(g goal, a step, pending client.Pending) {
	p.sent, p.rebuilt, p.unlinked = true, p.rebuilt || p.unlinked, false
	p.note.Job = pending.JobID
	if a.do == redeploy || builds(a.change) {
		p.built, p.redeployed = true, p.redeployed || a.do == redeploy
		p.note.Build = pending.BuildID
		if pending.BuildID != "" {
			p.note.Trigger, p.note.Known = "", nil
		}
		if a.do == redeploy || pending.BuildID != "" { // otherwise nothing may have been built
			p.have.RedeployTriggers, p.have.DeployCommit = g.planned.RedeployTriggers, g.planned.DeployCommit
		}
	}
}

// jobOver notes the end of the noted job, which an earlier call or the import has begun. It
// returns the error of the wait if that ends the call. If the service does not know the job any
// longer, the record decides. If it has failed, its change is missing from the record, and is
// made again. Only an import cannot be.
func (p *progress) jobOver(g goal, err error) error {
	failure := (*client.JobError)(nil)
	switch {
	case err == nil:
		p.endJob(g)
	case !p.imported && errors.As(err, new(*client.MissingJobError)):
		p.note.Job = ""
	case !p.imported && errors.As(err, &failure) && (!p.note.isNew() || failure.Job.Operation == client.OpAppUpdate):
		p.failJob()
	default:
		return err
	}
	return nil
}

// endJob notes that the noted job is done. The newest request of this call is in effect.
// Attributes that an earlier call has sent are sent again, because its plan may have been another
// one.
func (p *progress) endJob(g goal) {
	p.note.Job = ""
	if !p.sent {
		return
	}
	attributes.Copy(&g.planned.appSettings, &p.have.appSettings, p.asks)
	if slices.Contains(p.asks, "env") {
		p.noteVariables(g)
	}
	p.done = attributes.Union(p.done, p.asks)
	p.note.Sent = slices.DeleteFunc(slices.Clone(p.note.Sent), func(name string) bool { return slices.Contains(p.asks, name) })
	if p.note.Phase == changing && len(p.note.Sent) == 0 {
		p.note.Phase = ""
	}
}

// failJob notes that the noted job of an earlier call has failed. It has changed nothing. The
// build of a redeploy is still to be made.
func (p *progress) failJob() {
	if p.note.Job = ""; len(p.note.Sent) > 0 {
		p.note.Build, p.note.Trigger, p.note.Known = "", "", nil // of the build that it would have queued
	}
	if !p.note.isNew() { // a new app is still without its links
		p.note.Sent = nil
	}
	if p.note.Phase == changing {
		p.note.Phase = ""
	}
}

// shownBy reports whether a record shows a branch and variables that the plan changes, and that
// this call has not sent.
func (g goal) shownBy(p progress, app client.App) (branch, env bool) {
	open := p.open(g)
	change, err := g.missing(p, &app)
	return slices.Contains(open, "branch") && !change.Branch.Set, slices.Contains(open, "env") && !change.Env.Set && err == nil
}

// fail notes why a step has failed. It reports whether the call continues nevertheless: if the
// first build of a new app may only have lacked a link, the app is built again, because each new
// creation would fail in the same way.
func (p *progress) fail(g goal, s seen, at verb, err error) (goesOn bool) {
	if s.app != nil {
		branch, env := g.shownBy(*p, *s.app)
		if !p.built && !p.ran && (branch || env && p.keys.known) {
			// The state has them from now on, so only the note shows that their build was not seen.
			if p.note.Build = ""; !p.note.awaitsBuild() {
				p.note.Phase = deploying
			}
		}
		if env {
			p.noteVariables(g)
		}
	}
	if p.imported && !p.rebuilt && errors.As(err, new(*client.BuildError)) && len(g.planned.Links.Elements()) > 0 {
		p.unlinked = true
		return true
	}
	ofCreation := p.note.isNew() && diagnostics.Failed(err) && (at == awaitJob || at == awaitBuild)
	unhealthy := errors.As(err, new(*client.AppError))
	switch {
	case ofCreation:
		p.note.Phase = failed
	case unhealthy:
		p.note.Phase = deploying // also after a failed restart: the next apply deploys the app again
	}
	if ofCreation || unhealthy {
		p.have.Status = types.StringValue(client.AppFailed)
	}
	return false
}

// noteVariables notes that the service has the plan's variables. From the first plan that sets
// env, it is known which of them are secret.
func (p *progress) noteVariables(g goal) {
	p.keys = secretKeys{names: attributes.SortedKeys(g.secret), known: p.keys.known || !g.planned.Env.IsNull()}
	p.have.Env, p.have.SecretEnvWOVersion = g.planned.Env, g.planned.SecretEnvWOVersion
}

// A refreshed is what a refresh has found out about an app.
type refreshed struct {
	app    client.App
	builds []client.Build // newest first
	// moved reports whether the branch differs from the state's.
	moved bool
	// lacksSecrets reports whether the app lacks a secret variable that Terraform has sent.
	lacksSecrets bool
}

// refresh returns the note after a refresh. Only the next apply can find out what became of an
// attribute or a redeploy that was sent.
func (n note) refresh(found refreshed) note {
	next := n
	if !n.isZero() && n.Known == nil && found.app.Status == client.AppRunning && deployed(found.builds, n.Build) {
		if next = (note{Sent: n.Sent}); !n.isNew() && len(n.Sent) > 0 {
			next.Job = n.Job
		}
	}
	isOver := len(found.builds) == 0 || found.builds[0].Succeeded() && found.app.Status != client.AppFailed
	if found.moved && !next.awaitsBuild() && !isOver {
		// An apply that was killed may have changed the branch. If the plan has the same one,
		// only this note makes the next apply wait for the build, and build again if it failed.
		next.Phase, next.Build = deploying, ""
	}
	if found.lacksSecrets {
		next.Sent = attributes.Union(next.Sent, []string{"env"}) // the next apply sends all of them again
	}
	if len(next.Sent) > 0 && next.Phase == "" {
		next.Phase = changing
	}
	return next
}
