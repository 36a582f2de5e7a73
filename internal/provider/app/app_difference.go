package app

import (
	"context"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
)

// An appStep is one request that brings an app closer to its plan, with its job. Without
// a change, it is a redeploy.
type appStep struct {
	change *client.AppChange
}

// appDifference returns the steps that lead to the planned app. They contain the changes
// of the plan from the prior state, except those that the app shows already. env is the
// complete set of build variables to send, or nil to keep those of the service. The app
// is rebuilt once if the plan's triggers or rebuild ask for it. A change of the branch or
// of the variables builds the app anyway.
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
	differ := func(links types.Set) bool {
		return links.IsUnknown() || !attributes.SameStrings(links, planned.Links)
	}
	if differ(prior.Links) && differ(there.Links) {
		links := attributes.Sorted(attributes.ElementsOf(planned.Links))
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

// builds reports whether the step queues a build. Every other step restarts the app.
func (s appStep) builds() bool {
	return s.change == nil || s.change.Branch != nil || s.change.Env != nil
}

// attributes returns the names of the attributes that the step sends.
func (s appStep) attributes() (names []string) {
	if s.change == nil {
		return nil
	}
	for name, sends := range map[string]bool{
		"branch": s.change.Branch != nil, "port": s.change.Port != nil, "health_path": s.change.HealthPath != nil, "public": s.change.Public != nil,
		"memory_mb": s.change.MemoryMB != nil, "links": s.change.Links != nil, "env": s.change.Env != nil,
	} {
		if sends {
			names = append(names, name)
		}
	}
	return names
}

// operation returns the operation of the step's job.
func (s appStep) operation() string {
	if s.change == nil {
		return client.OpAppRedeploy
	}
	return client.OpAppUpdate
}

// send sends the step. noted are the ids of the builds that existed before.
func (s appStep) send(ctx context.Context, turn *client.Turn, name string, noted map[string]bool) (client.Pending, error) {
	if s.change == nil {
		return turn.RebuildApp(ctx, name, noted)
	}
	return turn.UpdateApp(ctx, name, *s.change)
}

// applyTo updates the model to its values after the step, except the build variables.
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

// isPartlyShown reports whether a record shows a part of what the plan changes of the prior
// state, except the build variables.
func (m appModel) isPartlyShown(prior appModel, a client.App) bool {
	there := prior
	there.setRecord(a, secretKeys{})
	return !reflect.DeepEqual(appDifference(prior, m, there, nil, false), appDifference(prior, m, prior, nil, false))
}

// shows reports whether a record shows all changes of a plan from the prior state, except
// the build variables.
func (m appModel) shows(prior appModel, a client.App) bool {
	shown := m
	shown.setRecord(a, secretKeys{})
	prior.RedeployTriggers = m.RedeployTriggers // which no record contains
	return len(appDifference(prior, m, shown, nil, false)) == 0
}
