package app

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
)

// A world is a small model of the service with one app, and of Terraform with its state. Only
// decide and the changes of a progress drive its calls.
type world struct {
	// The service: the app's settings, its builds with the newest first, and its jobs by id.
	port   int64  // 1, 2 or 3
	branch string // m, n or o
	color  string // the value of its only variable
	linked bool
	status client.Word
	builds []client.Build
	jobs   map[string]worldJob
	latest int // the number of the newest job or build
	// masks reports whether records hide the variables, and asks whether the first build
	// fails without the link.
	masks, asks bool
	// silent reports whether answers name no build.
	silent bool
	keys   secretKeys // those that private state has

	// Terraform.
	state appModel
	note  note

	need     string // the newest build that was asked for
	ran      bool   // a version has run
	gone     bool   // the import has failed, and there is no app
	requests int    // all that the service has carried out
	deploys  int    // redeploys among them
	built    int    // builds that requests have queued
	steps    []verb // of the last call
	problem  string
}

// A worldJob is a job of the service.
type worldJob struct {
	change client.AppSettings
	build  string // queued when the job is done
	status string // running, done or failed
	of     string // its operation
}

// An end is how a call ends before it is finished.
type end struct {
	at       int    // the number of the step before which it ends; -1 for never
	killed   bool   // nothing is saved
	lost     bool   // the step is a request, and no answer comes
	dropped  bool   // that request is not carried out
	jobsFail bool   // each job fails
	unread   bool   // the next apply refreshes nothing
	builds   string // what becomes of builds: "ok", "failed" or "down"
}

// The service builds the new commit. Builds of before are of the old one.
const oldCommit, newCommit = "aaaaaaa", "bbbbbbb"

// calm is an end of a call that nothing disturbs.
var calm = end{at: -1, builds: "ok"}

var errCut = errors.New("the call was cut short")

func appOf(port int64, branch, color string, trigger int) appModel {
	m := plainApp()
	m.Port, m.Branch, m.Status, m.BuildID = types.Int64Value(port), types.StringValue(branch), types.StringValue("running"), types.StringValue("b0")
	m.Env = stringsMap(map[string]string{"COLOR": color})
	if trigger > 0 {
		m.RedeployTriggers = stringsMap(map[string]string{"v": fmt.Sprint(trigger)})
	}
	return m
}

func (w *world) clone() *world {
	c := *w
	c.builds, c.jobs = slices.Clone(w.builds), maps.Clone(w.jobs)
	return &c
}

func (w *world) record() client.App {
	app := recordOfModel(plainApp())
	app.Port, app.Branch, app.Status = client.Some(w.port), client.Some(w.branch), w.status
	app.Env = client.Some(map[string]string{"COLOR": w.color, "TOKEN": "secret"})
	if w.masks {
		app.Env = client.Some(map[string]string{"COLOR": "***", "TOKEN": "***"})
	}
	if app.Links = client.Some([]string{}); w.linked {
		app.Links = client.Some([]string{"auth"})
	}
	return app
}

func (w *world) problemOf(format string, args ...any) {
	if w.problem == "" {
		w.problem = fmt.Sprintf(format, args...)
	}
}

func (w *world) runningJob() string {
	for id, job := range w.jobs {
		if job.status == "running" {
			return id
		}
	}
	return ""
}

// endJob ends a running job.
func (w *world) endJob(id string, fails bool) {
	job := w.jobs[id]
	if job.status = "done"; fails {
		job.status = "failed"
	}
	w.jobs[id] = job
	if fails {
		w.gone = w.gone || job.of == client.OpAppImport
		return
	}
	if job.change.Port.Set {
		w.port = job.change.Port.Value
	}
	if job.change.Branch.Set {
		w.branch = job.change.Branch.Value
	}
	if job.change.Env.Set {
		w.color = job.change.Env.Value["COLOR"]
	}
	if job.change.Links.Set {
		w.linked = len(job.change.Links.Value) > 0
	}
	if job.build != "" {
		w.need = job.build
		w.builds = slices.Insert(w.builds, 0, client.Build{ID: job.build, Status: "running", Commit: newCommit})
		if job.of == client.OpAppImport {
			w.status = client.AppBuilding
		}
	}
}

// endBuilds ends all builds that run, the oldest first. A version that does not answer replaces
// the one before it.
func (w *world) endBuilds(outcome string) {
	for i, build := range slices.Backward(w.builds) {
		switch {
		case build.Status != "running":
		case outcome == "failed", w.asks && build.ID == "b1":
			w.builds[i].Status = "failed"
			switch {
			case !w.ran:
				w.status = client.AppFailed
			case w.status == client.AppBuilding:
				w.status = client.AppRunning // the version before
			}
		case outcome == "down" && i == 0:
			w.builds[i].Status, w.status = "successful", client.AppFailed
		default:
			w.builds[i].Status, w.status, w.ran = "successful", client.AppRunning, true
		}
	}
}

// create plays the call that has imported the app.
func (w *world) create(planned appModel, e end) error {
	w.state = planned
	w.state.BuildID, w.state.Status = types.StringNull(), types.StringValue(client.AppBuilding)
	w.jobs["j1"], w.keys = worldJob{status: "running", build: "b1", of: client.OpAppImport}, secretKeysOf(secrets)
	p := imported(w.state, w.keys, client.Pending{JobID: "j1", BuildID: "b1"})
	err := w.call(goalOf(w.state, planned), p, e)
	switch isOver := err != nil && !errors.Is(err, errCut); {
	case isOver && w.note.Phase == failed && w.ran:
		w.problemOf("a creation is tainted though a version has run")
	case isOver && w.note.Phase == creating && !w.ran && e.jobsFail == w.gone:
		w.problemOf("a creation has failed, and is not tainted")
	}
	return err
}

// apply plays a call that makes the app as planned.
func (w *world) apply(planned appModel, e end) error {
	return w.call(goalOf(w.state, planned), progress{have: w.state, keys: w.keys, note: w.note}, e)
}

func goalOf(prior, planned appModel) goal {
	return goal{prior, planned, knownStrings(planned.Env), secrets}
}

// secrets are the write-only variables of each plan.
var secrets = map[string]string{"TOKEN": "secret"}

// call plays one call of Terraform, and returns its error.
func (w *world) call(g goal, p progress, e end) error {
	var s seen
	w.steps = nil
	for n := 0; ; n++ {
		if n > 16 {
			w.problemOf("a call never ends")
			return errors.New("it never ends")
		}
		next := decide(g, p, s)
		w.steps = append(w.steps, next.do)
		isRequest := next.do == send || next.do == redeploy
		if n == e.at && (!e.lost || !isRequest) {
			return w.cut(g, p, s, next.do, e)
		}
		err := w.step(next, g, &p, &s, n == e.at, e)
		if errors.Is(err, errCut) {
			return w.cut(g, p, s, next.do, e)
		}
		if err != nil && !p.fail(g, s, next.do, err) {
			if errors.As(err, new(*client.AppError)) && (!p.note.awaitsBuild() || p.have.Status.ValueString() != client.AppFailed) {
				w.problemOf("the app is down, and neither the note nor the state tells")
			}
			w.save(p)
			return err
		}
		if next.do == finish {
			return w.finish(g, p)
		}
	}
}

// cut ends a call that is cut short. Jobs and builds that have begun end without it.
func (w *world) cut(g goal, p progress, s seen, at verb, e end) error {
	if p.fail(g, s, at, errCut); !e.killed {
		w.save(p)
	}
	if e.builds != "ok" || e.jobsFail {
		if id := w.runningJob(); id != "" {
			w.endJob(id, e.jobsFail)
		}
		w.endBuilds(e.builds)
	}
	return errCut
}

func (w *world) save(p progress) {
	w.state, w.note, w.keys = p.have, p.note, p.keys
	w.checkSecret()
}

// checkSecret checks that the state does not have the secret variable.
func (w *world) checkSecret() {
	if _, shown := w.state.Env.Elements()["TOKEN"]; shown {
		w.problemOf("the secret variable is in the state")
	}
}

// finish saves what a call promised. A call that ends well leaves nothing to do.
func (w *world) finish(g goal, p progress) error {
	if w.status != client.AppRunning && len(w.builds) > 0 && (p.sent || p.deployed) {
		w.problemOf("a call ended well, and the app is %s", w.status)
	}
	asks := envChanges(g.prior, g.planned) && w.keys.known || !g.prior.Branch.Equal(g.planned.Branch) || w.note.awaitsBuild() || p.built
	if w.status == client.AppFailed && asks {
		w.problemOf("a call that changes the app ended well, and it is down")
	}
	if at := w.needed(); at >= 0 && asks && w.builds[at].Status == "running" {
		w.problemOf("a call ended well, and its build runs")
	}
	if envChanges(g.prior, g.planned) {
		p.noteVariables(g)
	}
	w.state, w.note, w.keys = g.planned, note{}, p.keys
	w.state.Status = types.StringValue(string(w.status))
	if w.state.setBuild(w.builds); p.deployed {
		return g.planned.refuseAnother(w.state)
	}
	return nil
}

// step carries out a step. isLost reports that the call ends during it.
func (w *world) step(next step, g goal, p *progress, s *seen, isLost bool, e end) error {
	switch next.do {
	case awaitJob:
		job, known := w.jobs[p.note.Job]
		if known && job.status == "running" {
			w.endJob(p.note.Job, e.jobsFail)
			job = w.jobs[p.note.Job]
		}
		var err error
		if !known {
			err = &client.MissingJobError{}
		} else if job.status == "failed" {
			err = &client.JobError{Job: client.Job{Operation: job.of}}
		}
		return p.jobOver(g, err)
	case readApp, readIdle:
		if id := w.runningJob(); id != "" && next.do == readIdle {
			w.endJob(id, e.jobsFail)
		}
		app := w.record()
		s.app = &app
		p.have.setRecord(app, p.keys)
	case readBuilds:
		s.builds = append([]client.Build{}, w.builds...)
	case send, redeploy:
		return w.request(next, g, p, s, isLost, e)
	case awaitBuild:
		return w.awaitBuild(next.build, p, e)
	case awaitRunning:
		if w.status == client.AppBuilding {
			w.endBuilds(e.builds)
		}
		if w.status == client.AppFailed {
			return &client.AppError{}
		}
		p.ran = true
	}
	return nil
}

// request carries out a request and its job.
func (w *world) request(next step, g goal, p *progress, s *seen, isLost bool, e end) error {
	before := *p
	switch {
	case w.runningJob() != "":
		w.problemOf("a request was sent beside a job")
	case w.gone:
		w.problemOf("a request was sent for an app that was not imported")
	case next.do == redeploy && s.builds == nil:
		w.problemOf("a build was asked for, and those before it are not known")
	case next.change.Branch.Set && next.change.Branch.Value == w.branch:
		w.problemOf("a branch was sent that the record shows")
	}
	p.begin(g, next, *s)
	s.builds = nil
	if isLost && e.dropped {
		return errCut
	}
	w.latest++
	w.requests++
	id, build := fmt.Sprint("j", w.latest), ""
	if next.do == redeploy || next.change.Branch.Set || next.change.Env.Set && next.change.Env.Value["COLOR"] != w.color {
		build = fmt.Sprint("b", w.latest)
		w.built++
	}
	of := client.OpAppUpdate
	if next.do == redeploy {
		of = client.OpAppRedeploy
		w.deploys++
	}
	if e.builds != "ok" {
		w.endBuilds("ok") // the build before it ends by then
	}
	w.jobs[id] = worldJob{change: next.change, build: build, status: "running", of: of}
	if isLost {
		return errCut
	}
	if w.silent {
		build = ""
	}
	p.accept(g, next, client.Pending{JobID: id, BuildID: build})
	w.endJob(id, e.jobsFail)
	if e.jobsFail {
		*p = before
		return &client.JobError{Job: client.Job{Operation: of}}
	}
	p.endJob(g)
	return nil
}

// awaitBuild waits for a build, or for the newest.
func (w *world) awaitBuild(id string, p *progress, e end) error {
	if id == "" && len(w.builds) > 0 {
		id = w.builds[0].ID
	}
	at := slices.IndexFunc(w.builds, func(b client.Build) bool { return b.ID == id })
	if at < 0 {
		w.problemOf("a call waits for build %q, which is not there", id)
		return errors.New("no such build")
	}
	w.endBuilds(e.builds)
	switch {
	case !w.builds[at].Succeeded():
		return &client.BuildError{}
	case w.status == client.AppFailed:
		return &client.AppError{}
	}
	p.ran, p.deployed = true, true
	return nil
}

// refresh plays a refresh. It reports whether the next plan would replace the app because it
// seems never to have run.
func (w *world) refresh() (looksNew bool) {
	moved := w.state.Branch.ValueString() != w.branch
	w.state.setRecord(w.record(), w.keys)
	w.state.setBuild(w.builds)
	w.checkSecret()
	w.note = w.note.refresh(refreshed{app: w.record(), builds: w.builds, moved: moved})
	return w.state.neverRan(w.note) && w.state.Status.ValueString() == client.AppFailed
}

// changes returns the settings that a plan changes.
func (w *world) changes(planned appModel) []string {
	names := attributes.Changed(&w.state.appSettings, &planned.appSettings)
	if envChanges(w.state, planned) {
		names = append(names, "env")
	}
	return names
}

// needed returns the index of the newest build that was asked for, or -1.
func (w *world) needed() int {
	return slices.IndexFunc(w.builds, func(b client.Build) bool { return b.ID == w.need })
}

// asPlanned reports whether the app has a setting's planned value.
func (w *world) asPlanned(planned appModel, name string) bool {
	switch name {
	case "port":
		return w.port == planned.Port.ValueInt64()
	case "branch":
		return w.branch == planned.Branch.ValueString()
	case "env":
		return w.color == knownStrings(planned.Env)["COLOR"]
	}
	return w.linked == (len(attributes.ElementsOf(planned.Links)) > 0)
}

// commit returns the commit of the newest build that was deployed.
func (w *world) commit() string {
	for _, build := range w.builds {
		if build.Succeeded() {
			return build.Commit
		}
	}
	return ""
}

// isHealthy reports whether the app runs with its newest build, and nothing is unfinished.
func (w *world) isHealthy() bool {
	return w.note.isZero() && w.status == client.AppRunning && len(w.builds) > 0 && w.builds[0].Succeeded() && w.runningJob() == ""
}
