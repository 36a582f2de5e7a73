package app

import (
	"context"

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
// of the plan from the prior state, except a branch that the app's record shows already:
// only that one would build the app again. env is the complete set of build variables to send, or nil to keep those of the service. The
// app is rebuilt once if the plan's triggers or rebuild ask for it. A change of the branch
// or of the variables builds the app anyway.
func appDifference(prior, planned appModel, app client.App, env map[string]string, rebuild bool) []appStep {
	change := appChange(prior, planned)
	change.Branch = change.Without(app).Branch
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

// appChange returns the changes of the plan from the prior state, except the build
// variables. A value of the prior state may be unknown, and then differs.
func appChange(prior, planned appModel) client.AppChange {
	change := client.AppChange{
		Branch:     changed(prior.Branch, planned.Branch, types.String.ValueStringPointer),
		Port:       changed(prior.Port, planned.Port, types.Int64.ValueInt64Pointer),
		HealthPath: changed(prior.HealthPath, planned.HealthPath, types.String.ValueStringPointer),
		Public:     changed(prior.Public, planned.Public, types.Bool.ValueBoolPointer),
		MemoryMB:   changed(prior.MemoryMB, planned.MemoryMB, types.Int64.ValueInt64Pointer),
	}
	if prior.Links.IsUnknown() || !attributes.SameStrings(prior.Links, planned.Links) {
		links := attributes.Sorted(attributes.ElementsOf(planned.Links))
		change.Links = &links
	}
	return change
}

// changed returns the planned value of an attribute, or nil if it is the prior one, null or
// unknown.
func changed[V attr.Value, T any](prior, planned V, pointer func(V) *T) *T {
	if planned.IsUnknown() || prior.Equal(planned) {
		return nil
	}
	return pointer(planned)
}

// builds reports whether the step queues a build. Every other step restarts the app.
func (s appStep) builds() bool {
	return s.change == nil || s.change.Branch != nil || s.change.Env != nil
}

// attributes returns the names of the attributes that the step sends.
func (s appStep) attributes() []string {
	if s.change == nil {
		return nil
	}
	return s.change.Names()
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

// shows reports whether a record shows all changes of a plan from the prior state, except
// the build variables. A field that the record lacks is taken as planned.
func (m appModel) shows(prior appModel, a client.App) bool {
	return appChange(prior, m).Contradicted(a) == client.AppChange{}
}
