package app

import (
	"context"
	"errors"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

// An appUpdate turns an app into the planned one: after its import, after a change of the
// plan, or after an interrupted apply.
type appUpdate struct {
	*appResource
	// prior is the state that the plan was made from. Attributes that the plan does not
	// change are left alone. Those of PendingWork.Unsure are unknown.
	prior, planned appModel
	env, secret    map[string]string
	// imported, if non-nil, is the import that the same call has sent. It queued the
	// first build, which is repeated only if it was builtUnlinked.
	imported *client.Pending
}

// An appProgress describes how far an update has come.
type appProgress struct {
	model  appModel // the app's current attributes
	secret secretKeys
	work   base.PendingWork // begun work whose end was not seen
	failed string           // the id of the newest build, if an earlier apply has left it failed
	stage  appStage
}

// An appStage is the stage at which an update ended.
type appStage int

const (
	appAwaiting  appStage = iota // Wait for the job of an earlier request, and read the record.
	appChanging                  // Send the requests that the plan needs, and wait for their jobs.
	appDeploying                 // Wait for the build, and for the app's first answer.
	appReading                   // Read the result.
)

// run sends the missing requests and waits until the app runs as planned. It leaves the
// turn when the jobs are done, because a build is not a job.
func (u appUpdate) run(ctx context.Context, turn *client.Turn, p appProgress) (appProgress, error) {
	err := u.converge(ctx, turn, &p)
	if err != nil {
		p.noteFailure(err)
	}
	return p, err
}

func (u appUpdate) converge(ctx context.Context, turn *client.Turn, p *appProgress) error {
	app, err := u.await(ctx, turn, p)
	if err != nil {
		return err
	}
	p.stage = appChanging
	steps, err := u.steps(ctx, app, p)
	if err != nil {
		return err
	}
	for _, step := range steps {
		if err := u.perform(ctx, turn, step, p); err != nil {
			return err
		}
	}
	if p.failed != "" && p.work.Build == "" {
		if err := u.buildUnbuilt(ctx, turn, p); err != nil {
			return err
		}
	}
	turn.Leave()
	p.stage = appDeploying
	instanceID, name, before := u.planned.InstanceID.ValueString(), u.planned.Name.ValueString(), string(app.Status)
	if u.imported != nil {
		before = "" // nothing ran before
	}
	switch {
	case p.work.Deploying, p.work.Creating:
		err = u.Client.WaitDeployed(ctx, instanceID, name, p.work.Build, before)
	case u.changes(*p):
		err = u.Client.WaitAppRunning(ctx, instanceID, name, before)
	}
	if err != nil {
		return err
	}
	p.stage = appReading
	built := p.work.Deploying || p.work.Creating
	deployed, err := u.readDeployed(ctx, *p, built)
	if err != nil {
		return err
	}
	p.model = deployed
	if !built {
		return nil
	}
	p.work = base.PendingWork{}
	return u.planned.refuseAnother(deployed)
}

// buildUnbuilt builds an app again if its newest build is still the failed one, after a
// change that should have built it. A service builds nothing for variables that it has
// already, and a record that masks them does not show that.
func (u appUpdate) buildUnbuilt(ctx context.Context, turn *client.Turn, p *appProgress) error {
	read := func(ctx context.Context) ([]client.Build, error) {
		return u.Client.RecentBuilds(ctx, u.planned.InstanceID.ValueString(), u.planned.Name.ValueString(), client.NewestBuilds)
	}
	builds, err := client.ReadBack(ctx, u.Client, read, func(builds []client.Build) bool { return len(builds) > 0 && builds[0].ID != p.failed })
	if err != nil || len(builds) == 0 || builds[0].ID != p.failed {
		return err
	}
	return u.perform(ctx, turn, appStep{}, p)
}

// builtUnlinked reports whether the error of an update is that of a first build that began
// before the app was linked. Such a build may have lacked what a link provides, and each new
// creation would fail in the same way.
func (u appUpdate) builtUnlinked(err error) bool {
	return u.imported != nil && errors.As(err, new(*client.BuildError)) && len(u.planned.Links.Elements()) > 0
}

// buildLinked builds an app again whose first build was builtUnlinked.
func (u appUpdate) buildLinked(ctx context.Context, p appProgress) (appProgress, error) {
	turn, err := u.Client.Enter(ctx, u.planned.InstanceID.ValueString())
	if err != nil {
		return p, err
	}
	defer turn.Leave()
	u.imported, u.prior, p.work.Failed = nil, p.model, false
	p, err = u.run(ctx, turn, p)
	if diagnostics.Failed(err) {
		p.model.Status = types.StringValue(client.AppFailed) // nothing has run
	}
	return p, err
}

// await waits for the import's job, or for a job that an earlier apply or another client
// has begun, and reads the app. It returns the error of a failed job only for the import.
// If any other job failed, its change is missing from the record, so the update makes it
// again.
func (u appUpdate) await(ctx context.Context, turn *client.Turn, p *appProgress) (client.App, error) {
	if u.imported != nil {
		if err := turn.WaitNamed(ctx, *u.imported, client.OpAppImport, u.planned.Name.ValueString()); err != nil {
			return client.App{}, err
		}
		return client.ReadBack(ctx, u.Client, u.app(u.planned), func(a client.App) bool { return u.prior.shows(appModel{}, a) })
	}
	if err := base.AwaitPending(ctx, turn, p.work, client.OpAppImport); diagnostics.Failed(err) && !p.work.Creating {
		// Its change was not made. The build of a redeploy is still to be made.
		failed := p.work
		p.work = base.PendingWork{Deploying: failed.Deploying, Noted: failed.Noted, Triggers: failed.Triggers}
		if len(failed.Unsure) == 0 {
			p.work.Build = failed.Build
		}
	} else if err != nil {
		return client.App{}, err
	}
	if !u.changes(*p) && !p.work.Unfinished() {
		return client.ReadBack(ctx, u.Client, u.app(u.planned), client.AnyRecord)
	}
	_, waited, err := turn.AwaitIdle(ctx)
	if err != nil {
		return client.App{}, err
	}
	return client.ReadBack(ctx, u.Client, u.app(u.planned), func(a client.App) bool { return !waited || u.showsWhatBuilds(a, *p) })
}

// showsWhatBuilds reports whether a record shows the planned branch and variables.
func (u appUpdate) showsWhatBuilds(a client.App, p appProgress) bool {
	env, err := u.envToSend(a, p)
	return err == nil && env == nil && !client.Missing(appChange(u.prior, u.planned), a.AppSettings).Branch.Set
}

// changes reports whether the plan changes anything at the service.
func (u appUpdate) changes(p appProgress) bool {
	return envChanges(u.prior, u.planned) || u.planned.asksForAnotherCommit(p.model) ||
		len(appDifference(u.prior, u.planned, client.App{}, nil, false)) > 0
}

// changesArguments reports whether the plan changes an argument that the service knows. An
// update may also only finish what an earlier apply has left.
func (u appUpdate) changesArguments() bool {
	return envChanges(u.prior, u.planned) || !u.prior.DeployCommit.Equal(u.planned.DeployCommit) ||
		len(appDifference(u.prior, u.planned, client.App{}, nil, false)) > 0
}

func (u appUpdate) envToSend(app client.App, p appProgress) (map[string]string, error) {
	return envToSend(u.prior, u.planned, app.Env, u.env, u.secret, p.secret)
}

// steps returns the missing steps, given the app's record.
func (u appUpdate) steps(ctx context.Context, app client.App, p *appProgress) ([]appStep, error) {
	prior := p.model.withUnknown(p.work.Unsure) // a failed job has changed nothing
	redeployed, err := u.adoptRedeploy(ctx, p)
	if err != nil {
		return nil, err
	}
	if redeployed {
		prior.RedeployTriggers = u.planned.RedeployTriggers
	}
	env, err := u.envToSend(app, *p)
	if err != nil {
		return nil, err
	}
	rebuild, err := u.rebuilds(ctx, app, env, p)
	if err != nil {
		return nil, err
	}
	if env == nil && envChanges(u.prior, u.planned) {
		u.noteVariables(p) // the service has them already
	}
	p.model.setRecord(app, p.secret)
	if p.model.Status.ValueString() == client.AppBuilding && p.model.BuildID.IsNull() {
		p.work.Deploying = true // imported while its first build runs
	}
	return appDifference(prior, u.planned, app, env, rebuild), nil
}

// recordShowsChange reports whether the app's record shows everything for which the plan
// builds the app. An earlier apply or a person has then made the change, and its build
// may still run or may have failed. env are the variables to send. The first plan of an
// imported app's variables may repeat the existing ones, so it proves no change.
func (u appUpdate) recordShowsChange(app client.App, env map[string]string, p *appProgress) bool {
	branch, variables := !u.prior.Branch.Equal(u.planned.Branch), envChanges(u.prior, u.planned) && p.secret.known
	return env == nil && (branch || variables) && (!branch || app.Branch.Value == u.planned.Branch.ValueString())
}

// adoptRedeploy reports whether the redeploy for the plan's triggers was carried out
// although an earlier apply did not learn of it. In that case there is a build that did
// not exist when that apply first asked.
func (u appUpdate) adoptRedeploy(ctx context.Context, p *appProgress) (bool, error) {
	if !u.hasAskedForRedeploy(p) || u.prior.RedeployTriggers.Equal(u.planned.RedeployTriggers) {
		return false, nil
	}
	builds, err := u.Client.RecentBuilds(ctx, u.planned.InstanceID.ValueString(), u.planned.Name.ValueString(), client.NewestBuilds)
	if err != nil || len(builds) == 0 || slices.Contains(p.work.Noted, builds[0].ID) {
		return false, err
	}
	u.noteBuild(p, client.Pending{BuildID: builds[0].ID})
	return true, nil
}

// hasAskedForRedeploy reports whether an earlier apply has asked for the redeploy for the
// plan's triggers and did not learn the outcome.
func (u appUpdate) hasAskedForRedeploy(p *appProgress) bool {
	return p.work.Noted != nil && p.work.Triggers == u.planned.RedeployTriggers.String()
}

// rebuilds reports whether the app must be built although its arguments do not change.
// This is the case if an earlier apply left a build that did not succeed, or if the
// deployed commit is not the planned one. rebuilds reads the builds, because those in the
// state may be old. env are the variables to send.
func (u appUpdate) rebuilds(ctx context.Context, app client.App, env map[string]string, p *appProgress) (bool, error) {
	begun, pending := u.recordShowsChange(app, env, p), p.work.Deploying || p.work.Creating
	if u.imported != nil || !begun && !pending && !u.planned.asksForAnotherCommit(p.model) {
		return false, nil
	}
	builds, err := u.Client.RecentBuilds(ctx, u.planned.InstanceID.ValueString(), u.planned.Name.ValueString(), showDeployed(p.work.Build))
	if err != nil {
		return false, err
	}
	if pending && len(builds) > 0 && builds[0].Failed() {
		p.failed = builds[0].ID
	}
	there := p.model
	there.setBuild(builds)
	another := u.planned.asksForAnotherCommit(there)
	if begun && len(builds) > 0 {
		p.work.Deploying = true
	}
	if !pending {
		return another || p.work.Deploying && mustBuildAgain(p.work, app, builds), nil
	}
	// A redeploy that was asked for, and refused or lost, has left no newer build.
	lost := len(builds) > 0 && slices.Contains(p.work.Noted, builds[0].ID)
	asksAgain := lost || !p.model.DeployCommit.Equal(u.planned.DeployCommit)
	return mustBuildAgain(p.work, app, builds) || asksAgain && another, nil
}

// perform sends a step and waits for its job. It notes the step before sending it,
// because the answer may be lost.
func (u appUpdate) perform(ctx context.Context, turn *client.Turn, step appStep, p *appProgress) error {
	instanceID, name := u.planned.InstanceID.ValueString(), u.planned.Name.ValueString()
	if step.isRedeploy() && !u.hasAskedForRedeploy(p) {
		builds, err := u.Client.RecentBuilds(ctx, instanceID, name, client.NewestBuilds)
		if err != nil {
			return err
		}
		p.work.Noted, p.work.Triggers = diagnostics.IdsOf(builds, client.Build.Identifier), u.planned.RedeployTriggers.String()
	}
	if step.builds() {
		p.work.Deploying, p.work.Build = true, ""
	}
	noted := map[string]bool{}
	for _, id := range p.work.Noted {
		noted[id] = true
	}
	secret, unsure := p.secret, p.work.Unsure
	p.work.Unsure = attributes.Union(p.work.Unsure, client.Names(step.change))
	if step.change.Env.Set && !p.secret.known {
		p.secret.names = attributes.Union(p.secret.names, attributes.SortedKeys(u.secret))
	}
	pending, err := step.send(ctx, turn, name, noted)
	if err != nil {
		if client.NothingDone(err) {
			p.secret, p.work.Unsure = secret, unsure
		}
		return err
	}
	if step.builds() {
		u.noteBuild(p, pending)
	} else if !p.work.Creating { // which has its own job
		p.work.Job = pending.JobID
	}
	if err := turn.Wait(ctx, pending, step.operation()); err != nil {
		if diagnostics.Failed(err) { // a failed job changes nothing
			p.secret, p.work.Unsure = secret, unsure
		}
		return err
	}
	p.work.Unsure = nil
	if !step.builds() && !p.work.Creating {
		p.work.Job = ""
	}
	step.applyTo(&p.model, u.planned)
	if step.change.Env.Set {
		u.noteVariables(p)
	}
	return nil
}

// noteBuild notes that the service has accepted a build that the plan asks for.
func (u appUpdate) noteBuild(p *appProgress, pending client.Pending) {
	p.work = base.PendingWork{Job: pending.JobID, Build: pending.BuildID, Deploying: true, Unsure: p.work.Unsure}
	p.model.RedeployTriggers, p.model.DeployCommit = u.planned.RedeployTriggers, u.planned.DeployCommit
}

// noteVariables notes that the service has the plan's build variables. From the first
// plan that sets env, it is known which of them are secret.
func (u appUpdate) noteVariables(p *appProgress) {
	known := p.secret.known || !u.planned.Env.IsNull()
	p.secret = secretKeys{names: attributes.SortedKeys(u.secret), known: known}
	p.model.Env, p.model.SecretEnvWOVersion = u.planned.Env, u.planned.SecretEnvWOVersion
}

// noteFailure records the result of a failed update.
func (p *appProgress) noteFailure(err error) {
	// The failed job of a change says nothing about the first version.
	p.work.Failed = p.work.Creating && p.stage != appChanging && diagnostics.Failed(err)
	unhealthy := (*client.AppError)(nil)
	if errors.As(err, &unhealthy) {
		p.work.Deploying = true // also after a failed restart: the next apply deploys the app again
	}
	if p.work.Failed || unhealthy != nil {
		p.model.Status = types.StringValue(client.AppFailed)
	}
}

// readDeployed returns the planned app, completed from its record and its builds after a
// change. built reports whether the update waited for a build, which the list of builds
// must then show. If the keys of secret variables are unknown, env stays as planned.
func (u appUpdate) readDeployed(ctx context.Context, p appProgress, built bool) (appModel, error) {
	m, secret := u.planned, p.secret
	read := func(ctx context.Context) ([]client.Build, error) {
		return u.Client.RecentBuilds(ctx, m.InstanceID.ValueString(), m.Name.ValueString(), showDeployed(p.work.Build))
	}
	listBuilds := base.InBackground(func() ([]client.Build, error) {
		if !built {
			return read(ctx) // the builds are only informational
		}
		return client.ReadBack(ctx, u.Client, read, func(builds []client.Build) bool { return deployed(builds, p.work.Build) })
	})
	app, err := client.ReadBack(ctx, u.Client, u.app(m), func(a client.App) bool {
		if built && a.Status == client.AppBuilding {
			return false // the app was seen to run, but this replica does not show it yet
		}
		return u.planned.shows(u.prior, a) && (!envChanges(u.prior, m) || !a.Env.Set || secret.shows(a.Env.Value, u.env))
	})
	builds, buildsErr := listBuilds()
	if err != nil {
		return m, err
	}
	m.setRecord(app, secret)
	if buildsErr != nil && built {
		return m, buildsErr
	}
	m.setBuild(builds)
	return m.withoutUnknowns(), nil
}

func (r *appResource) app(m appModel) func(context.Context) (client.App, error) {
	return func(ctx context.Context) (client.App, error) {
		return r.Client.App(ctx, m.InstanceID.ValueString(), m.Name.ValueString())
	}
}

// mustBuildAgain reports whether an app must be built again although an earlier apply
// left a build pending. This is the case if that build has failed, or if it was deployed
// and the app does not run: the user has probably fixed the cause before applying again.
// It is also the case if there is no such build to wait for. An import always queues a
// build, which may not be listed yet.
func mustBuildAgain(work base.PendingWork, app client.App, builds []client.Build) bool {
	if build, found := client.PickBuild(builds, work.Build); found {
		return build.Failed() || build.Succeeded() && app.Status == client.AppFailed
	}
	return work.Build != "" || !work.Creating && app.Status != client.AppBuilding
}
