package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// An appStep is one request that brings an app nearer to its plan, with its job: a
// change, or without one a redeploy.
type appStep struct {
	change *client.AppChange
}

// appDifference gives the steps to what is planned: what the plan changes of the prior
// state and the app does not show yet. env is all build variables to send, nil when
// those that the service has stay. The app is built again where the plan's triggers or
// rebuild ask for it, once: a change of the branch or of the variables builds anyway.
func appDifference(prior, planned, there appModel, env map[string]string, rebuild bool) []appStep {
	var change client.AppChange
	differs := func(of func(*appModel) attr.Value) bool {
		wanted := of(&planned)
		return !of(&prior).Equal(wanted) && !of(&there).Equal(wanted)
	}
	if differs(func(m *appModel) attr.Value { return m.Branch }) {
		change.Branch = planned.Branch.ValueStringPointer()
	}
	if differs(func(m *appModel) attr.Value { return m.Port }) {
		change.Port = planned.Port.ValueInt64Pointer()
	}
	if differs(func(m *appModel) attr.Value { return m.HealthPath }) {
		change.HealthPath = planned.HealthPath.ValueStringPointer()
	}
	if differs(func(m *appModel) attr.Value { return m.Public }) {
		change.Public = planned.Public.ValueBoolPointer()
	}
	if !planned.MemoryMB.IsUnknown() && !planned.MemoryMB.IsNull() && differs(func(m *appModel) attr.Value { return m.MemoryMB }) {
		change.MemoryMB = planned.MemoryMB.ValueInt64Pointer()
	}
	if !sameStrings(prior.Links, planned.Links) && !sameStrings(there.Links, planned.Links) {
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
	if !builds && (rebuild || !prior.RedeployTriggers.Equal(planned.RedeployTriggers)) {
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

// send sends the step. noted are the ids of the builds that were there before.
func (s appStep) send(ctx context.Context, turn *client.Turn, name string, noted map[string]bool) (client.Pending, error) {
	if s.change == nil {
		return turn.RebuildApp(ctx, name, noted)
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

// shows tells whether a record shows all that a plan changes of the prior state, the
// build variables apart.
func (m appModel) shows(prior appModel, a client.App) bool {
	shown := m
	shown.setRecord(a, secretKeys{})
	prior.RedeployTriggers = m.RedeployTriggers // of which no record tells
	return len(appDifference(prior, m, shown, nil, false)) == 0
}
