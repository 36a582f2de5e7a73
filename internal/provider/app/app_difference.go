package app

import (
	"context"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
)

// An appStep is one request that brings an app closer to its plan, with its job: a change, or
// without any setting a redeploy.
type appStep struct {
	change client.AppSettings
}

// appDifference returns the steps that lead to the planned app. They contain the changes
// of the plan from the prior state, except a branch that the app's record shows already:
// only that one would build the app again. env is the complete set of build variables to send,
// or nil to keep those of the service. The app is rebuilt once if the plan's triggers or
// rebuild ask for it. A change of the branch or of the variables builds the app anyway.
func appDifference(prior, planned appModel, app client.App, env map[string]string, rebuild bool) []appStep {
	change := appChange(prior, planned)
	change.Branch = client.Missing(change, app.AppSettings).Branch
	if env != nil {
		change.Env = client.Some(env)
	}
	var steps []appStep
	builds := false
	if step := (appStep{change: change}); !client.IsEmpty(change) {
		steps, builds = append(steps, step), step.builds()
	}
	if !builds && (rebuild || !prior.RedeployTriggers.Equal(planned.RedeployTriggers)) {
		steps = append(steps, appStep{})
	}
	return steps
}

// appChange returns the changes of the plan from the prior state, except the build
// variables. A value of the prior state may be unknown, and then differs.
func appChange(prior, planned appModel) (change client.AppSettings) {
	attributes.Request(&planned.appSettings, &change, attributes.Changed(&prior.appSettings, &planned.appSettings))
	return change
}

// isRedeploy reports whether the step changes nothing and builds the app.
func (s appStep) isRedeploy() bool { return client.IsEmpty(s.change) }

// builds reports whether the step queues a build. Every other step restarts the app.
func (s appStep) builds() bool {
	return s.isRedeploy() || s.change.Branch.Set || s.change.Env.Set
}

// operation returns the operation of the step's job.
func (s appStep) operation() string {
	if s.isRedeploy() {
		return client.OpAppRedeploy
	}
	return client.OpAppUpdate
}

// send sends the step. noted are the ids of the builds that existed before.
func (s appStep) send(ctx context.Context, turn *client.Turn, name string, noted map[string]bool) (client.Pending, error) {
	if s.isRedeploy() {
		return turn.RebuildApp(ctx, name, noted)
	}
	return turn.UpdateApp(ctx, name, s.change)
}

// applyTo updates the model to its values after the step, except the build variables.
func (s appStep) applyTo(m *appModel, planned appModel) {
	attributes.Copy(&planned.appSettings, &m.appSettings, client.Names(s.change))
	if s.builds() {
		m.RedeployTriggers, m.DeployCommit = planned.RedeployTriggers, planned.DeployCommit
	}
}

// shows reports whether a record shows all changes of a plan from the prior state, except
// the build variables. A field that the record lacks is taken as planned.
func (m appModel) shows(prior appModel, a client.App) bool {
	return client.IsEmpty(client.Contradicted(appChange(prior, m), a.AppSettings))
}
