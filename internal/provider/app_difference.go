package provider

import (
	"context"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// An appStep is one request that brings an app nearer to its plan, with its job: a
// change, or without one a redeploy.
type appStep struct {
	change *client.AppChange
}

// appDifference gives the steps from what an app is to what is planned. env is all
// build variables to send, nil when those that the service has stay. The app is built
// again where the plan's triggers or rebuild ask for it, once: a change of the branch
// or of the variables builds anyway.
func appDifference(there, planned appModel, env map[string]string, rebuild bool) []appStep {
	var change client.AppChange
	if !there.Branch.Equal(planned.Branch) {
		change.Branch = planned.Branch.ValueStringPointer()
	}
	if !there.Port.Equal(planned.Port) {
		change.Port = planned.Port.ValueInt64Pointer()
	}
	if !there.HealthPath.Equal(planned.HealthPath) {
		change.HealthPath = planned.HealthPath.ValueStringPointer()
	}
	if !there.Public.Equal(planned.Public) {
		change.Public = planned.Public.ValueBoolPointer()
	}
	if !planned.MemoryMB.IsUnknown() && !planned.MemoryMB.IsNull() && !there.MemoryMB.Equal(planned.MemoryMB) {
		change.MemoryMB = planned.MemoryMB.ValueInt64Pointer()
	}
	if !sameStrings(there.Links, planned.Links) {
		links := sorted(elementsOf(planned.Links))
		change.Links = &links
	}
	if env != nil {
		change.Env = &env
	}
	var steps []appStep
	builds := false
	if change != (client.AppChange{}) {
		step := appStep{change: &change}
		steps, builds = append(steps, step), step.builds()
	}
	if !builds && (rebuild || !there.RedeployTriggers.Equal(planned.RedeployTriggers)) {
		steps = append(steps, appStep{})
	}
	return steps
}

// builds tells whether the step queues a build; any other restarts the app.
func (s appStep) builds() bool {
	return s.change == nil || s.change.Branch != nil || s.change.Env != nil
}

// operation is the operation of the step's job.
func (s appStep) operation() string {
	if s.change == nil {
		return client.OpAppRedeploy
	}
	return client.OpAppUpdate
}

// send sends the step.
func (s appStep) send(ctx context.Context, turn *client.Turn, name string) (client.Pending, error) {
	if s.change == nil {
		return turn.RedeployApp(ctx, name)
	}
	return turn.UpdateApp(ctx, name, *s.change)
}

// applyTo makes the app what it is after the step, its build variables apart.
func (s appStep) applyTo(m *appModel, planned appModel) {
	if s.change != nil {
		m.Branch, m.Port, m.HealthPath, m.Public, m.Links = planned.Branch, planned.Port, planned.HealthPath, planned.Public, planned.Links
		if s.change.MemoryMB != nil {
			m.MemoryMB = planned.MemoryMB
		}
	}
	if s.builds() {
		m.RedeployTriggers, m.DeployCommit = planned.RedeployTriggers, planned.DeployCommit
	}
}

// matches tells whether a record shows the app as it was left, its build variables
// apart.
func (m appModel) matches(a client.App) bool {
	shown := m
	shown.setRecord(a, secretKeys{})
	return len(appDifference(shown, m, nil, false)) == 0
}
