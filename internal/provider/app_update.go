package provider

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// An appUpdate brings an app from wherever it stands to its plan. What is true
// is in model at any time, and what was set going and not seen to its end in
// work.
type appUpdate struct {
	*appResource
	model, plan  appModel
	env, secret  map[string]string
	secretKeys   []string // of the variables that the service has
	keysKnown    bool     // false after an import
	work         pendingWork
	restarted    bool   // by a change that needs no build
	statusBefore string // what the app's record showed before the change
}

func (u *appUpdate) run(ctx context.Context, timeout time.Duration, diags *diag.Diagnostics) error {
	instanceID, name := u.plan.InstanceID.ValueString(), u.plan.Name.ValueString()
	turn, err := u.client.Enter(ctx, instanceID)
	if err != nil {
		return err
	}
	defer turn.Leave()
	ctx, cancel := withTimeout(ctx, timeout)
	defer cancel()
	if err := u.change(ctx, turn, name, diags); err != nil {
		return err
	}
	turn.Leave()
	switch {
	case u.work.Deploying, u.work.Creating:
		err = u.client.WaitDeployed(ctx, instanceID, name, u.work.Build, u.statusBefore)
	case u.restarted:
		err = u.client.WaitAppRunning(ctx, instanceID, name, u.statusBefore)
	}
	if err != nil {
		return err
	}
	deployed, err := u.readDeployed(ctx, u.plan, u.secretKeys, u.keysKnown)
	if err != nil {
		return err
	}
	u.model = deployed
	return nil
}

// change sends what differs from the plan and queues the build that it needs.
func (u *appUpdate) change(ctx context.Context, turn *client.Turn, name string, diags *diag.Diagnostics) error {
	if err := u.waitBefore(ctx, turn); err != nil {
		return err
	}
	app, err := readBack(ctx, u.app(&u.model), anything)
	if err != nil {
		return err
	}
	u.statusBefore = app.Status
	rebuild := false
	if u.work.Deploying || u.work.Creating {
		builds, err := u.client.Builds(ctx, u.plan.InstanceID.ValueString(), name)
		if err != nil {
			return err
		}
		rebuild = builtAgain(u.work, app, builds)
	}
	triggers := !u.model.RedeployTriggers.Equal(u.plan.RedeployTriggers)
	env, err := envToSend(u.model, u.plan, app.Env, u.env, u.secret, u.secretKeys, u.keysKnown)
	if err != nil {
		return err
	}
	if env == nil && !u.keysKnown && envChanges(u.model, u.plan) {
		u.noteVariables() // they are there already
	}
	u.model.setRecord(app, u.secretKeys, u.keysKnown)
	if u.model.Status.ValueString() == client.AppBuilding && u.model.BuildID.IsNull() {
		u.work.Deploying = true // imported while its first build runs
	}

	built := false
	if change, any := u.model.changeTo(ctx, u.plan, env, diags); any {
		// What is about to be sent is noted before: its answer may be lost.
		built = change.Env != nil || change.Branch != nil
		if u.work.Deploying = u.work.Deploying || built; built {
			u.work.Build = ""
		}
		if env != nil {
			u.secretKeys = union(u.secretKeys, sortedKeys(u.secret))
		}
		u.restarted = true
		pending, err := turn.UpdateApp(ctx, name, change)
		if err != nil {
			return err
		}
		if built {
			u.work = pendingWork{Job: pending.JobID, Build: pending.BuildID, Deploying: true}
			u.model.RedeployTriggers = u.plan.RedeployTriggers
		}
		if err := turn.Wait(ctx, pending, client.OpAppUpdate); err != nil {
			return err
		}
		if env != nil {
			u.noteVariables()
		}
	}
	if !built && (triggers || rebuild) {
		u.work = pendingWork{Deploying: true}
		pending, err := turn.RedeployApp(ctx, name)
		if err != nil {
			return err
		}
		u.work = pendingWork{Job: pending.JobID, Build: pending.BuildID, Deploying: true}
		u.model.RedeployTriggers = u.plan.RedeployTriggers
		if err := turn.Wait(ctx, pending, client.OpAppRedeploy); err != nil {
			return err
		}
	}
	return nil
}

// waitBefore waits for the job that an earlier apply left behind. One that failed
// is told again only where it was the import: of any other, what it did not do
// is seen and done anew.
func (u *appUpdate) waitBefore(ctx context.Context, turn *client.Turn) error {
	err := awaitLeft(ctx, turn, u.work, client.OpAppImport)
	if failed(err) && !u.work.Creating {
		u.work = pendingWork{Deploying: u.work.Deploying}
		return nil
	}
	return err
}

// builtAgain tells whether an app is built again, of which an earlier apply left a
// build pending. It is where the build has failed, or was deployed and does not run,
// as whoever applies again has mended something; and where there is no such build to
// wait for. An import always queues one, which may not be listed yet.
func builtAgain(work pendingWork, app client.App, builds []client.Build) bool {
	for _, build := range builds {
		if work.Build == "" || build.ID == work.Build {
			return build.Failed() || build.Succeeded() && app.Status == client.AppFailed
		}
	}
	return work.Build != "" || !work.Creating && app.Status != client.AppBuilding
}

// envToSend is the whole of the build variables to send, nil when the service
// keeps those that it has. env and secret are those of the plan, there is what the
// record tells.
//
// They are sent when the plan changes them, or when the record shows that
// somebody else has. Secret values cannot be compared with what was sent before:
// their version tells. While it is not known which variables are secret, after an
// import, the record's say nothing, and as long as the plan sets no env those that
// are there stay. Where the record does not tell those, nothing can be sent:
// errUnknownEnv.
func envToSend(state, plan appModel, there client.Maybe[map[string]string], env, secret map[string]string, secretKeys []string, keysKnown bool) (map[string]string, error) {
	newSecret := !state.SecretEnvWOVersion.Equal(plan.SecretEnvWOVersion)
	all := merged(env, secret)
	switch {
	case !envChanges(state, plan) && (!keysKnown || !there.Set):
		return nil, nil
	case !keysKnown && !there.Set && plan.Env.IsNull():
		return nil, errUnknownEnv
	case !keysKnown && plan.Env.IsNull():
		return merged(there.Value, secret), nil
	case !keysKnown && there.Set && maps.Equal(all, there.Value):
		return nil, nil
	case keysKnown && !newSecret && there.Set && maps.Equal(env, withoutKeys(there.Value, secretKeys)):
		return nil, nil
	}
	return all, nil
}

// errUnknownEnv is that secret variables are to be sent beside others that nothing
// tells, of an app that was imported.
var errUnknownEnv = errors.New("the service replaces an app's variables as a whole and does not report the current ones, " +
	"so sending secret_env_wo alone would remove the others")

// envChanges tells whether the plan changes the build variables.
func envChanges(state, plan appModel) bool {
	return !state.Env.Equal(plan.Env) || !state.SecretEnvWOVersion.Equal(plan.SecretEnvWOVersion)
}

// noteVariables notes that the service has the plan's build variables. Which of them are
// secret is known from the first plan on that sets env.
func (u *appUpdate) noteVariables() {
	if u.keysKnown || !u.plan.Env.IsNull() {
		u.secretKeys, u.keysKnown = sortedKeys(u.secret), true
	}
	u.model.Env, u.model.SecretEnvWOVersion = u.plan.Env, u.plan.SecretEnvWOVersion
}
