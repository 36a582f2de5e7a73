package simulation

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// upgrade reads a state as the provider does.
func (r *run) upgrade(p *process, address string, s *saved) (value, bool) {
	answer, ok := do(p, &call{address: address, what: "upgrade"}, func(ctx context.Context) (*tfprotov6.UpgradeResourceStateResponse, error) {
		return p.server.UpgradeResourceState(ctx, &tfprotov6.UpgradeResourceStateRequest{
			TypeName: s.kind, Version: schemaOf(s.kind).Version, RawState: &tfprotov6.RawState{JSON: s.json},
		})
	})
	if !ok || answer == nil || r.hear(address, "upgrade", answer.Diagnostics) {
		return null(typeOf(s.kind)), false
	}
	return r.decode(s.kind, answer.UpgradedState), true
}

func (r *run) decode(kind string, encoded *tfprotov6.DynamicValue) value {
	if encoded == nil {
		return null(typeOf(kind))
	}
	v, err := encoded.Unmarshal(typeOf(kind))
	if err != nil {
		r.cli.world.violate(noBug, "a %s cannot be decoded: %v", kind, err)
		return null(typeOf(kind))
	}
	return composed(v)
}

// read refreshes a resource. It returns nil if the object no longer exists.
func (r *run) read(p *process, address string, s *saved) (*saved, value, bool) {
	prior, ok := r.upgrade(p, address, s)
	if !ok {
		return s, null(typeOf(s.kind)), false
	}
	return r.readUpgraded(p, address, s, prior)
}

func (r *run) readUpgraded(p *process, address string, s *saved, prior value) (*saved, value, bool) {
	none := null(typeOf(s.kind))
	c := &call{address: address, what: "read"}
	answer, ok := do(p, c, func(ctx context.Context) (*tfprotov6.ReadResourceResponse, error) {
		return p.server.ReadResource(ctx, &tfprotov6.ReadResourceRequest{
			TypeName: s.kind, CurrentState: dynamic(typeOf(s.kind), prior), Private: s.private, CurrentIdentity: s.identity,
		})
	})
	if !ok || answer == nil || r.hear(address, "read", answer.Diagnostics) {
		return s, none, false
	}
	v := r.decode(s.kind, answer.NewState)
	if v.IsNull() {
		r.isGone(address, &saved{private: answer.Private, identity: r.cli.identity(answer.NewIdentity)})
		r.cli.world.removedByRead(c, s.kind, prior)
		return nil, none, true
	}
	return &saved{s.kind, encode(v), answer.Private, r.cli.identity(answer.NewIdentity), s.tainted}, v, true
}

// plan refreshes the state, unless the command's flags say otherwise, and plans. It reports
// whether the plan can be applied.
func (r *run) plan(p *process) (changes map[string]*change, ok bool) {
	r.planning = true
	blocks := byAddress(r.cli.blocks())
	changes = map[string]*change{}
	all := slices.Compact(slices.Sorted(func(yield func(string) bool) {
		for _, names := range [][]string{sortedNames(blocks), r.cli.addresses()} {
			for _, name := range names {
				if !yield(name) {
					return
				}
			}
		}
	}))
	refreshed := map[string]*saved{}
	var mu sync.Mutex
	for n, level := range r.levels(all, r.kindOf) {
		r.atOnce(together, level, func(address string) {
			if r.command.interrupted() || r.command.killed() {
				return
			}
			var b *block
			if configured, ok := blocks[address]; ok {
				b = &configured
				if r.hasFailed(b.references()...) { // Terraform plans nothing that depends on an error
					r.fail(address)
					return
				}
			}
			now, made, ok := r.planAddress(p, address, b)
			if !ok {
				r.fail(address)
				return
			}
			mu.Lock()
			refreshed[address] = now
			mu.Unlock()
			if made == nil {
				return
			}
			mu.Lock()
			changes[address] = made
			mu.Unlock()
		})
		if n == 0 {
			closeConnection, ok := r.openConnection(p)
			defer closeConnection()
			if !ok {
				r.fail(connectionAddress)
			}
		}
	}
	if r.command.interrupted() || r.command.killed() || len(r.failed) > 0 {
		return changes, false
	}
	for address, s := range refreshed {
		r.cli.save(r.command, address, s)
	}
	return changes, true
}

// isGone records the result of a read that found a resource gone.
func (r *run) isGone(address string, left *saved) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gone[address] = left
}

// leftOf returns the result of a read that found a resource gone, or nil.
func (r *run) leftOf(address string) *saved {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.gone[address]
}

// identity returns an identity in the CLI's form: an empty identity becomes nil.
func (c *cli) identity(identity *tfprotov6.ResourceIdentityData) *tfprotov6.ResourceIdentityData {
	if c.kind.noIdentity() || identity == nil || identity.IdentityData == nil {
		return nil
	}
	if null, err := identity.IdentityData.IsNull(); err != nil || null {
		return nil
	}
	return identity
}

// planOne plans one resource.
func (r *run) planOne(p *process, address string, b *block, now *saved, prior value) (*change, bool) {
	kind := r.kindOf(address)
	t := typeOf(kind)
	made := &change{address: address, kind: kind, block: b, before: now, prior: prior}
	if now == nil {
		made.prior = null(t)
	}
	if known := cmp.Or(now, r.leftOf(address)); known != nil {
		made.private, made.identity = known.private, known.identity
	}
	if b == nil {
		made.do, made.config, made.planned = remove, null(t), null(t)
		_, ok := r.askForPlan(p, made, "plan", made.prior)
		return made, ok
	}
	made.config = configValue(t, b.arguments, r.resolve)
	if !r.validate(p, made) {
		return nil, false
	}
	from := made.prior
	if now != nil && now.tainted {
		from, made.private, made.identity = null(t), nil, nil
	}
	replaces, ok := r.askForPlan(p, made, "plan", from)
	if !ok {
		return nil, false
	}
	switch {
	case now == nil:
		made.do = create
	case now.tainted:
		made.do = recreate
	case replaces || r.replace == address:
		// The second call gets the private data that the first one planned.
		made.do = recreate
		if r.cli.kind.isTofu() {
			made.identity = nil
		}
		if _, ok := r.askForPlan(p, made, "plan of the new one", null(t)); !ok {
			return nil, false
		}
	case made.planned.Equal(prior):
		made.do = nothing
	default:
		made.do = update
	}
	if wrong := misplanned(schemaOf(kind).Block.Attributes, attributesOf(made.prior), attributesOf(made.config), attributesOf(made.planned)); wrong != "" {
		r.cli.world.violate(promised, "the plan of %s is none of its configuration: %s", address, wrong)
	}
	r.know(address, made.planned)
	return made, true
}

// planOrphan plans the destruction of a resource that is no longer configured.
func (r *run) planOrphan(p *process, address string, now *saved) (*change, bool) {
	prior, ok := r.upgrade(p, address, now)
	if !ok {
		return nil, false
	}
	return r.planOne(p, address, nil, now, prior)
}

// validate lets the provider validate a configuration.
func (r *run) validate(p *process, made *change) bool {
	answer, ok := do(p, &call{address: made.address, what: "validate"}, func(ctx context.Context) (*tfprotov6.ValidateResourceConfigResponse, error) {
		return p.server.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{
			TypeName: made.kind, Config: dynamic(typeOf(made.kind), made.config),
			ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
		})
	})
	return ok && !r.hear(made.address, "validate", answer.Diagnostics)
}

// validateAll lets a process validate the whole configuration before anything is planned.
func (r *run) validateAll(p *process) bool {
	for _, b := range r.cli.blocks() {
		made := &change{address: b.address, kind: b.kind, config: configValue(typeOf(b.kind), b.arguments, r.resolve)}
		if !r.validate(p, made) {
			r.fail(b.address)
		}
	}
	return len(r.failed) == 0
}

// askForPlan asks the provider for the plan of a change from a prior state, and reports
// whether it requires a replacement.
func (r *run) askForPlan(p *process, made *change, during string, from value) (replaces, ok bool) {
	var capabilities *tfprotov6.PlanResourceChangeClientCapabilities
	if during == planInApply && !r.cli.kind.isTofu() {
		capabilities = &tfprotov6.PlanResourceChangeClientCapabilities{DeferralAllowed: true} // as Terraform says there, and only there
	}
	t := typeOf(made.kind)
	wanted := null(t)
	if made.block != nil {
		wanted = tftypes.NewValue(t, proposed(schemaOf(made.kind).Block.Attributes, attributesOf(from), attributesOf(made.config)))
	}
	c := &call{address: made.address, what: during, block: made.block}
	answer, ok := do(p, c, func(ctx context.Context) (*tfprotov6.PlanResourceChangeResponse, error) {
		return p.server.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
			TypeName: made.kind, PriorState: dynamic(t, from), ProposedNewState: dynamic(t, wanted), Config: dynamic(t, made.config),
			PriorPrivate: made.private, PriorIdentity: made.identity, ClientCapabilities: capabilities,
		})
	})
	if !ok || answer == nil || r.hear(made.address, during, answer.Diagnostics) {
		return false, false
	}
	made.planned, made.private, made.identity = r.decode(made.kind, answer.PlannedState), answer.PlannedPrivate, r.cli.identity(answer.PlannedIdentity)
	for _, path := range answer.RequiresReplace {
		before, _, _ := tftypes.WalkAttributePath(from, path)
		after, _, _ := tftypes.WalkAttributePath(made.planned, path)
		was, wasValue := before.(value)
		is, isValue := after.(value)
		replaces = replaces || !wasValue || !isValue || !was.Equal(is)
	}
	return replaces, true
}
