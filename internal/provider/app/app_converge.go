package app

import (
	"context"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

// A convergence carries out what decide says until an app is as planned.
type convergence struct {
	*appResource
	turn *client.Turn // nil while none is held
	goal
	progress
	seen
	before string // the status before the first request; "" for a new app
	at     verb   // the step that was begun last
}

// run returns the error of the step that ended the call.
func (c *convergence) run(ctx context.Context) error {
	defer c.leave()
	for {
		next := decide(c.goal, c.progress, c.seen)
		c.at = next.do
		if err := c.act(ctx, next); err != nil && !c.fail(c.goal, c.seen, next.do, err) {
			return err
		}
		if next.do == finish {
			return nil
		}
	}
}

// act carries out a step. Builds are waited for outside the turn, because they are not jobs.
func (c *convergence) act(ctx context.Context, next step) (err error) {
	instanceID, name := c.planned.InstanceID.ValueString(), c.planned.Name.ValueString()
	switch next.do {
	case awaitJob:
		return c.jobOver(c.goal, c.awaitJob(ctx))
	case readApp, readIdle:
		return c.readApp(ctx, next.do == readIdle)
	case readBuilds:
		return c.readBuilds(ctx)
	case send, redeploy:
		return c.request(ctx, next)
	case awaitBuild:
		c.leave()
		err = c.Client.WaitDeployed(ctx, instanceID, name, next.build, c.before)
		c.ran, c.deployed = err == nil, err == nil
		return err
	case awaitRunning:
		c.leave()
		err = c.Client.WaitAppRunning(ctx, instanceID, name, c.before)
		c.ran = err == nil
		return err
	case finish:
		c.leave()
		return c.finish(ctx)
	}
	return next.err
}

// leave passes the turn on.
func (c *convergence) leave() {
	if c.turn != nil {
		c.turn.Leave()
		c.turn = nil
	}
}

func (c *convergence) awaitJob(ctx context.Context) error {
	pending := client.Pending{JobID: c.note.Job}
	if c.imported {
		return c.turn.WaitNamed(ctx, pending, client.OpAppImport, c.planned.Name.ValueString())
	}
	return c.turn.Wait(ctx, pending, client.OpAppImport)
}

// readApp reads the record. If it is to wait for the jobs of other clients, and there was one, it
// reads until the record shows a planned branch and planned variables, for 15 s: the job may
// have been that of an earlier call.
func (c *convergence) readApp(ctx context.Context, idle bool) (err error) {
	waited := false
	if idle {
		if _, waited, err = c.turn.AwaitIdle(ctx); err != nil {
			return err
		}
	}
	app, err := client.ReadBack(ctx, c.Client, c.record, func(app client.App) bool {
		change, err := c.missing(c.progress, &app)
		return !waited || err == nil && !builds(change)
	})
	if err != nil {
		return err
	}
	c.app, c.before = &app, string(app.Status)
	c.have.setRecord(app, c.keys)
	return nil
}

func (c *convergence) record(ctx context.Context) (client.App, error) {
	return c.Client.App(ctx, c.planned.InstanceID.ValueString(), c.planned.Name.ValueString())
}

// readBuilds reads the builds back to the deployed one and the noted one. After a request, it
// reads again, for 15 s, until they have a new one.
func (c *convergence) readBuilds(ctx context.Context) error {
	builds, err := client.ReadBack(ctx, c.Client, c.recentBuilds, func(builds []client.Build) bool {
		_, isNew := c.note.requested(builds)
		return !c.sent || isNew
	})
	if err == nil && builds == nil {
		builds = []client.Build{} // read, and there is none
	}
	c.builds = builds
	return err
}

func (c *convergence) recentBuilds(ctx context.Context) ([]client.Build, error) {
	return c.Client.RecentBuilds(ctx, c.planned.InstanceID.ValueString(), c.planned.Name.ValueString(), showDeployed(c.note.Build))
}

// request sends a request and waits for its job. A request that was refused and one whose job
// has failed have changed nothing.
func (c *convergence) request(ctx context.Context, next step) (err error) {
	name, before := c.planned.Name.ValueString(), c.progress
	if c.turn == nil {
		if c.turn, err = c.Client.Enter(ctx, c.planned.InstanceID.ValueString()); err != nil {
			return err
		}
	}
	c.begin(c.goal, next, c.seen)
	var pending client.Pending
	operation := client.OpAppUpdate
	if next.do == redeploy {
		known := map[string]bool{}
		for _, id := range c.note.Known {
			known[id] = true
		}
		operation = client.OpAppRedeploy
		pending, err = c.turn.RebuildApp(ctx, name, known)
	} else {
		pending, err = c.turn.UpdateApp(ctx, name, next.change)
	}
	c.builds = nil
	if err == nil {
		c.accept(c.goal, next, pending)
		err = c.turn.Wait(ctx, pending, operation)
	}
	switch {
	case err == nil:
		c.endJob(c.goal)
	case client.NothingDone(err), diagnostics.Failed(err):
		c.progress = before
	}
	return err
}

// finish reads the app as it is now. It reads again, for 15 s, while the record does not show
// what this call has done.
func (c *convergence) finish(ctx context.Context) error {
	if envChanges(c.prior, c.planned) {
		c.noteVariables(c.goal)
	}
	listBuilds := base.InBackground(func() ([]client.Build, error) {
		if !c.deployed {
			return c.recentBuilds(ctx) // only informational
		}
		return client.ReadBack(ctx, c.Client, c.recentBuilds, func(builds []client.Build) bool { return deployed(builds, c.note.Build) })
	})
	app, err := client.ReadBack(ctx, c.Client, c.record, func(app client.App) bool {
		return (!c.deployed || app.Status != client.AppBuilding) && c.shows(app)
	})
	builds, buildsErr := listBuilds()
	if err == nil && c.deployed {
		err = buildsErr
	}
	if err != nil {
		return err
	}
	m := c.planned
	m.setRecord(app, c.keys)
	m.setBuild(builds)
	c.have, c.note = m.withoutUnknowns(), note{}
	if c.deployed {
		return c.planned.refuseAnother(c.have)
	}
	return nil
}

// shows reports whether no field of a record contradicts what the plan changes, or what an
// earlier call may have changed. The record of a new app must not be that of an older one of the
// same name.
func (c *convergence) shows(app client.App) bool {
	var change client.AppSettings
	names := progress{note: note{Sent: c.done}}.open(c.goal)
	if c.imported {
		names = attributes.Names(&c.planned.appSettings)
	}
	attributes.Request(&c.planned.appSettings, &change, names)
	return client.IsEmpty(client.Contradicted(change, app.AppSettings)) &&
		(!envChanges(c.prior, c.planned) || !app.Env.Set || c.keys.shows(app.Env.Value, c.env))
}
