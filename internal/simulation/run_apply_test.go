package simulation

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// apply carries a plan out: first the deletions, then the creations and updates.
func (r *run) apply(p *process, changes map[string]*change) {
	r.known = map[string]value{}
	if forgotten := r.cli.get(r.forgets); forgotten != nil {
		if _, ok := r.upgrade(p, r.forgets, forgotten); ok {
			r.cli.save(r.command, r.forgets, nil)
		}
	}
	byLevel := r.levels(sortedNames(changes), r.kindOf)
	for _, level := range slices.Backward(byLevel) {
		r.atOnce(apart, level, func(address string) {
			made := changes[address]
			if made.do != remove && made.do != recreate || made.address == r.cli.createsFirst || r.command.interrupted() || r.command.killed() {
				return
			}
			for _, other := range changes {
				// The objects that depend on it must have been deleted.
				if levelOf(other.kind) > levelOf(made.kind) && (other.do == remove || other.do == recreate) && r.hasFailed(other.address) {
					r.fail(address)
					return
				}
			}
			if _, ok := r.upgrade(p, address, made.before); !ok || !r.applyOne(p, made, null(typeOf(made.kind)), nil) {
				r.fail(address)
			}
		})
	}
	for n, level := range byLevel {
		r.atOnce(together, level, func(address string) {
			made := changes[address]
			switch {
			case made.block == nil:
				return
			case r.hasFailed(append(made.block.references(), address)...), r.command.interrupted(), r.command.killed():
				r.fail(address)
				return
			case made.do == nothing:
				r.know(address, made.planned)
				return
			}
			if !r.changeOne(p, made) || made.do == recreate && made.address == r.cli.createsFirst && !r.destroyDeposed(p, made) {
				r.fail(address)
			}
		})
		if n == 0 && r.cli.kind.opensUnused() {
			closeConnection, _ := r.openConnection(p)
			defer closeConnection()
		}
	}
}

// planInApply is the name of the second plan of a change, during an apply.
const planInApply = "plan in the apply"

// changeOne plans a creation or an update again, with the values known by now, and carries
// it out.
func (r *run) changeOne(p *process, made *change) bool {
	t := typeOf(made.kind)
	first := made.planned
	again := &change{address: made.address, kind: made.kind, block: made.block, prior: made.prior, before: made.before}
	if made.do != update {
		again.prior, again.before = null(t), nil
	} else {
		again.private, again.identity = made.before.private, made.before.identity
		if _, ok := r.upgrade(p, made.address, made.before); !ok {
			return false
		}
	}
	again.config = configValue(t, made.block.arguments, r.resolve)
	if !r.validate(p, again) {
		return false
	}
	replaces, ok := r.askForPlan(p, again, planInApply, again.prior)
	if !ok {
		return false
	}
	if replaces && made.do == update {
		r.cli.world.violate(promised, "%s was to be updated and is to be replaced now", made.address)
		return false
	}
	if wrong := departs(first, again.planned, false); wrong != "" {
		r.cli.world.violate(promised, "the plan of %s changes in the apply, %s%s", made.address, made.address, wrong)
	}
	return r.applyOne(p, again, again.planned, made.block)
}

// applyOne lets the provider carry one change out, saves the result, and reports whether it
// succeeded.
func (r *run) applyOne(p *process, made *change, planned value, b *block) bool {
	t := typeOf(made.kind)
	if r.command.interrupted() {
		return false // Terraform starts nothing more after Ctrl-C
	}
	what := "update"
	switch {
	case planned.IsNull():
		what = "delete"
	case made.prior.IsNull():
		what = "create"
	}
	identity, config := made.identity, made.config
	if what == "delete" {
		config = null(t)
		if made.do == recreate {
			identity = nil // it belongs to the replacement
		}
	}
	c := &call{address: made.address, what: what, block: b, run: r}
	r.cli.ask(made.address, b)
	console := r.cli.world.consoleOf(made)
	r.cli.world.tell("%s: %s %s", r.cli.name, what, made.address)
	answer, ok := do(p, c, func(ctx context.Context) (*tfprotov6.ApplyResourceChangeResponse, error) {
		return p.server.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
			TypeName: made.kind, PriorState: dynamic(t, made.prior), PlannedState: dynamic(t, planned), Config: dynamic(t, config),
			PlannedPrivate: made.private, PlannedIdentity: identity,
		})
	})
	if !ok || answer == nil {
		r.cli.lose(c)
		return false
	}
	if r.command.key != strangerKey { // the other account's key changes nothing
		r.cli.protect(made.address, b)
	}
	bad := r.hear(made.address, what, answer.Diagnostics)
	if len(answer.Diagnostics) == 0 {
		r.cli.world.toldAsDone(c)
		r.cli.world.toldAsChanged(c, made)
		r.cli.world.noteReplaced(c, made)
	}
	r.cli.doubt(c, answer.Diagnostics)
	r.cli.world.checkConsole(c, made, console, r.command.interrupted() && r.saysOf(made.address, leftConsole))
	result := r.decode(made.kind, answer.NewState)
	if !bad && what != "delete" {
		if wrong := departs(planned, result, true); wrong != "" {
			r.cli.world.violate(promised, "%s of %s%s", what, made.address, wrong)
		}
	}
	for _, d := range answer.Diagnostics {
		c.refusedAsExisting = c.refusedAsExisting || strings.Contains(d.Detail, refusedAsExisting)
	}
	if result.IsNull() {
		r.cli.save(r.command, made.address, nil)
		r.cli.lose(c)
		r.cli.world.leftByApply(c, made, bad)
		return !bad
	}
	if what == "create" {
		r.cli.world.checkTaken(c, made.kind, result)
	}
	failed := bad && what == "create"
	if failed {
		r.cli.world.tainted(c, made.kind, result)
	}
	// A failed deletion keeps the taint.
	tainted := failed || what == "delete" && made.before.tainted
	if !result.IsFullyKnown() {
		if !bad {
			r.cli.world.violate(promised, "%s of %s leaves something unknown", what, made.address)
		}
		result = knownOf(result)
	}
	r.cli.save(r.command, made.address, &saved{made.kind, encode(result), answer.Private, r.cli.identity(answer.NewIdentity), tainted})
	r.know(made.address, result)
	return !bad
}

// destroyDeposed deletes the previous object of a resource with create_before_destroy.
func (r *run) destroyDeposed(p *process, made *change) bool {
	t := typeOf(made.kind)
	prior, ok := r.upgrade(p, made.address, made.before)
	if !ok {
		return false
	}
	deposed := &change{
		address: made.address, kind: made.kind, do: remove, before: made.before, prior: prior, config: null(t),
		private: made.before.private, identity: made.before.identity,
	}
	if _, ok := r.askForPlan(p, deposed, planInApply, prior); !ok {
		return false
	}
	now := r.cli.get(made.address)
	deleted := r.applyOne(p, deposed, null(t), nil)
	r.cli.save(r.command, made.address, now)
	return deleted
}

// knownOf replaces the unknown parts of a value with null, as a CLI does with the result of
// a failed apply.
func knownOf(v value) value {
	known, err := tftypes.Transform(v, func(_ *tftypes.AttributePath, v value) (value, error) {
		if !v.IsKnown() {
			return null(v.Type()), nil
		}
		return v, nil
	})
	if err != nil {
		panic(err) // the function returns no error
	}
	return known
}

// ask permanently records everything that a block asks for.
func (c *cli) ask(address string, b *block) {
	if b == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	asked := c.asked[address]
	if asked == nil {
		asked = map[string]bool{}
		c.asked[address] = asked
	}
	for _, of := range []string{"engines", "env", "secret_env_wo"} {
		members, _ := b.arguments[of].(map[string]any)
		for name := range maps.Keys(members) {
			asked[of+"."+name] = true
		}
	}
}

// protect records whether a block protects an address whose change has ended: a killed
// change leaves no trace in the state.
func (c *cli) protect(address string, b *block) {
	if b == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.protected[address], _ = b.arguments["deletion_protection"].(bool)
}

// protects reports whether the configuration that was last applied protects an address.
func (c *cli) protects(address string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.protected[address]
}

func (c *cli) hasAsked(address, what string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked[address][what]
}

// lose records a call that leaves nothing in the state.
func (c *cli) lose(of *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if of.what == "create" {
		c.lost = append(c.lost, of)
	}
}

// orphans returns the objects that lost creations have made so far and that are not in the
// state. Two creations of equal objects may each have taken the other's object.
func (c *cli) orphans() []orphan {
	managed := map[string]bool{}
	for _, address := range c.addresses() {
		managed[c.text(address, "id")] = true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []orphan
	for _, of := range c.lost {
		of.mu.Lock()
		for _, id := range of.ids {
			if !c.taken[id] && !managed[id] {
				all = append(all, orphan{of.address, id})
			}
		}
		of.mu.Unlock()
	}
	return all
}

// importAs imports an object into the state by its id.
func (r *run) importAs(p *process, address, id string) bool {
	r.cli.world.tell("%s: import %s %s", r.cli.name, address, id)
	for _, other := range r.cli.addresses() {
		if _, ok := r.upgrade(p, other, r.cli.get(other)); !ok {
			return false
		}
	}
	taken, _ := r.importBy(p, address, &tfprotov6.ImportResourceStateRequest{TypeName: r.kindOf(address), ID: id})
	if taken != nil {
		r.cli.save(r.command, address, taken)
	}
	return taken != nil
}

// importBy imports by an id or an identity, and reads. It returns nil if that fails.
func (r *run) importBy(p *process, address string, by *tfprotov6.ImportResourceStateRequest) (*saved, value) {
	kind := by.TypeName
	none := null(typeOf(kind))
	answer, ok := do(p, &call{address: address, what: "import"}, func(ctx context.Context) (*tfprotov6.ImportResourceStateResponse, error) {
		return p.server.ImportResourceState(ctx, by)
	})
	if !ok || answer == nil || r.hear(address, "import", answer.Diagnostics) {
		return nil, none
	}
	one := answer.ImportedResources[0]
	state := r.decode(kind, one.State)
	read, ok := do(p, &call{address: address, what: "read"}, func(ctx context.Context) (*tfprotov6.ReadResourceResponse, error) {
		return p.server.ReadResource(ctx, &tfprotov6.ReadResourceRequest{
			TypeName: kind, CurrentState: dynamic(typeOf(kind), state), Private: one.Private, CurrentIdentity: r.cli.identity(one.Identity),
		})
	})
	if !ok || read == nil || r.hear(address, "read", read.Diagnostics) {
		return nil, none
	}
	v := r.decode(kind, read.NewState)
	if v.IsNull() {
		return nil, none // the CLI says that it cannot import what does not exist
	}
	return &saved{kind, encode(v), read.Private, r.cli.identity(read.NewIdentity), false}, v
}
