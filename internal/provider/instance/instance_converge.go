package instance

import (
	"context"
	"errors"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
)

// A convergence carries out what decide says until an instance is as planned.
type convergence struct {
	*instanceResource
	turn *client.Turn
	job  string // that creates the instance, or ""
	goal
	progress
	seen
	instance   client.Instance // as it was read last
	connection client.Connection
	diags      *diag.Diagnostics
}

// errRefused ends a change that was refused with a diagnostic.
var errRefused = errors.New("refused")

// run returns the error of the step that ended the call.
func (c *convergence) run(ctx context.Context) error {
	for {
		next := decide(c.goal, c.progress, c.seen)
		if err := c.act(ctx, next); err != nil || next.do == finish {
			return err
		}
	}
}

func (c *convergence) act(ctx context.Context, next step) (err error) {
	switch next.do {
	case awaitCreation:
		err = c.Client.WaitCreated(ctx, c.turn.InstanceID(), c.job)
		c.created = err == nil
		return err
	case readInstance:
		return c.readInstance(ctx)
	case readResult:
		return c.readBack(ctx, func(i client.Instance) bool { return c.wanted().missing(c.prior, i) == instanceParts{} })
	case readCatalogue:
		plans, err := c.Client.Plans(ctx)
		if c.kinds = plans.Engines; c.kinds == nil {
			c.kinds = map[string]client.EngineKind{} // read, and there is none
		}
		return err
	case change, setEngines, resize:
		return c.request(ctx, next)
	case readConnection:
		c.connection, err = c.Client.CompleteConnection(ctx, c.turn.InstanceID(), func(record client.Connection) bool {
			return record.Host != "" || !lacks(c.there.Host)
		})
		c.connected = err == nil
		return err
	case finish:
		c.finish()
		return nil
	}
	if len(next.off) > 0 {
		c.state.refuseLoss(next.off, c.configured, c.diags)
	}
	return next.err
}

// readInstance reads the instance once it has run and no job is in progress. If another client
// or an interrupted apply has begun a change, it waits for that job's end. The job may have
// made the planned engines or plan, so it then reads until the record shows them, for 15 s.
func (c *convergence) readInstance(ctx context.Context) error {
	if !c.changes() {
		return c.readBack(ctx, func(client.Instance) bool { return true })
	}
	instance, waited, err := c.turn.AwaitIdle(ctx)
	if err != nil {
		return err
	}
	isCurrent := func(i client.Instance) bool {
		missing := c.planned.missing(c.prior, i)
		return !waited || !missing.engines && !missing.plan
	}
	if base.HasRun(instance) && isCurrent(instance) {
		c.take(instance)
		return nil
	}
	return c.readBack(ctx, isCurrent)
}

// readBack reads the record until the instance has run and a condition holds, for 15 s.
func (c *convergence) readBack(ctx context.Context, holds func(client.Instance) bool) error {
	read := func(ctx context.Context) (client.Instance, error) { return c.Client.Instance(ctx, c.turn.InstanceID()) }
	instance, err := client.ReadBack(ctx, c.Client, read, func(i client.Instance) bool { return base.HasRun(i) && holds(i) })
	if err == nil {
		c.take(instance)
	}
	return err
}

// take notes a record that was read.
func (c *convergence) take(instance client.Instance) {
	there := c.have
	there.setRecord(instance, c.DefaultTags)
	c.progress.take(c.goal, there)
	c.instance, c.there = instance, &there
}

// wanted returns the plan with the engines that stay on.
func (c *convergence) wanted() instanceModel {
	wanted := c.planned
	on, _ := enginesOf(c.have.Engines)
	engines, _ := c.engines(on)
	wanted.Engines = enginesMap(engines)
	return wanted
}

// request sends a request and waits for its job.
func (c *convergence) request(ctx context.Context, next step) error {
	operation, send := client.OpUpdate, func(ctx context.Context) (client.Pending, error) { return c.turn.Update(ctx, next.settings) }
	switch next.do {
	case setEngines:
		operation, send = client.OpEngines, func(ctx context.Context) (client.Pending, error) { return c.turn.SetEngines(ctx, c.budgets) }
	case resize:
		operation, send = client.OpResize, func(ctx context.Context) (client.Pending, error) {
			return c.turn.Resize(ctx, c.planned.Plan.ValueString())
		}
	}
	err := c.turn.Do(ctx, operation, send)
	switch {
	case err == nil:
		c.accept(c.goal, next)
		c.there = nil
	case !client.NothingDone(err) && !errors.Is(err, errRefused):
		c.forget(next, c.instance.Engines.Value)
	}
	return err
}

// budgets returns the engines to set for the instance as it is right before the request. By
// then, a job may have turned on another engine, which must not be turned off unnoticed.
func (c *convergence) budgets(i client.Instance) (map[string]client.EngineBudget, error) {
	before, _ := enginesOf(c.there.Engines)
	on := recordedEngines(i.Engines.Value, before)
	engines, off := c.engines(on)
	if c.mustKeep(off) {
		c.state.refuseLoss(off, c.configured, c.diags)
		return nil, errRefused
	}
	return engineBudgets(engines, on), nil
}

// finish sets the state to the plan, completed from what was read.
func (c *convergence) finish() {
	done := c.planned
	done.setRecord(c.instance, c.DefaultTags)
	attributes.SetRecordedWord(&done.Region, c.instance.Region) // SetResult reports another one
	if engines, known := enginesOf(done.Engines); known {
		maps.DeleteFunc(engines, func(name string, _ types.Int64) bool { return c.isForeign(name) })
		done.Engines = enginesMap(engines)
	}
	if c.connected {
		done.setConnection(c.connection)
	}
	c.have = done.withoutUnknowns()
}

// engineBudgets returns the engines in the form of a request. An engine without a budget
// keeps its current one, or gets the minimum if it is new.
func engineBudgets(planned, there map[string]types.Int64) map[string]client.EngineBudget {
	budgets := map[string]client.EngineBudget{}
	for name, memory := range planned {
		if memory.IsNull() || memory.IsUnknown() {
			memory = there[name]
		}
		budgets[name] = client.EngineBudget{MemoryMB: memory.ValueInt64Pointer()}
	}
	return budgets
}
