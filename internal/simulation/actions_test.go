package simulation

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// planAction plans an invocation of an action. It first refreshes the instance that the
// action refers to.
func (w *world) planAction(r *run, kind string, config *tfprotov6.DynamicValue) bool {
	c, cmd := r.cli, r.command
	if !r.validateAll(w.start(c, cmd)) {
		return false
	}
	p := w.start(c, cmd)
	now, _, ok := r.read(p, webAddress, c.get(webAddress))
	if !ok || cmd.killed() || cmd.interrupted() {
		return false
	}
	if c.save(cmd, webAddress, now); now == nil {
		return false
	}
	planned, ok := do(p, &call{address: kind, what: "plan"}, func(ctx context.Context) (*tfprotov6.PlanActionResponse, error) {
		return p.server.(tfprotov6.ActionServer).PlanAction(ctx, &tfprotov6.PlanActionRequest{ActionType: kind, Config: config})
	})
	return ok && !r.hear(kind, "plan", planned.Diagnostics) && !cmd.killed() && !cmd.interrupted()
}

// act invokes an action on the first instance in a CLI's state.
func (w *world) act(c *cli, cmd *command, v verb) {
	id := c.text(webAddress, "id")
	config := map[string]any{"instance_id": id}
	kind, operation := "hosting_instance_rotate", "rotate"
	switch v {
	case restartEngine:
		kind, operation, config["engine"] = "hosting_engine_restart", "engine_restart", "postgres"
	case redeploy:
		kind, operation, config["app"] = "hosting_app_redeploy", "app_redeploy", "guestbook"
	case restartApp:
		kind, operation, config["app"] = "hosting_app_restart", "app_restart", "guestbook"
	}
	if id == "" || config["app"] != nil && c.get(appAddress) == nil {
		return
	}
	r := c.run(cmd)
	schema := schemas().ActionSchemas[kind]
	t := schema.Schema.ValueType()
	if !w.planAction(r, kind, dynamic(t, configValue(t, config, nil))) {
		return
	}
	p := w.start(c, cmd)
	of := &call{address: kind, what: "action"}
	answer, ok := do(p, of, func(ctx context.Context) ([]*tfprotov6.Diagnostic, error) {
		stream, err := p.server.(tfprotov6.ActionServer).InvokeAction(ctx, &tfprotov6.InvokeActionRequest{
			ActionType: kind, Config: dynamic(t, configValue(t, config, nil)),
		})
		if err != nil {
			return nil, err
		}
		var told []*tfprotov6.Diagnostic
		for event := range stream.Events {
			if completed, ok := event.Type.(tfprotov6.CompletedInvokeActionEventType); ok {
				told = completed.Diagnostics
			}
		}
		return told, nil
	})
	if !ok || r.hear(kind, "action", answer) || cmd.killed() {
		return
	}
	// If the answer is lost, a job that a person started too shortly before for a read to
	// show it cannot be distinguished from the action's own job.
	since := of.began.Add(-w.readsLag())
	for _, j := range w.fake.Jobs() {
		if j.CreatedAt.After(since) && j.InstanceID == id && j.Operation == operation && j.Status == fakeservice.StatusDone {
			return
		}
	}
	w.violate(actedOnce, "%s is told as done after %s, and no job of it ran", kind, time.Since(of.began))
}
