package simulation

import "strings"

// flags are the options of a command that change its calls of the provider.
type flags int

const (
	withoutRefresh flags = 1 << iota // -refresh=false: the plan uses the state and reads nothing
	oneByOne                         // -parallelism=1
	// planningTwice is -minimal-refresh of Terraform 1.17. A resource is planned from the
	// state. If that changes anything, the same process reads it and plans it again. Both
	// plans get the prior state, and the first one's warnings are dropped. A resource that
	// will be deleted is not read.
	planningTwice
	// unknownIDs hides the ids of instances from the plan, as references through a module with
	// depends_on do. The apply knows them.
	unknownIDs
)

const flagsEnd = 4

func (f flags) String() string {
	var all []string
	for i, name := range []string{"-refresh=false", "-parallelism=1", "-minimal-refresh", "ids that are unknown to the plan"} {
		if f&(1<<i) != 0 {
			all = append(all, name)
		}
	}
	return strings.Join(all, " ")
}

// refreshes reports whether the command has refreshed a resource. made is its planned
// change, or nil if it has none.
func (c *command) refreshes(made *change) bool {
	switch {
	case c.flags&withoutRefresh != 0:
		return false
	case c.flags&planningTwice != 0:
		return made != nil && made.do != nothing
	}
	return true
}

// planAddress reads and plans one resource as the command's flags say. now is its state, or
// nil if it has none or no longer exists. made is nil if there is nothing to plan.
func (r *run) planAddress(p *process, address string, b *block) (now *saved, made *change, ok bool) {
	w := r.cli.world
	var v value
	if by := r.imports[address]; by != nil {
		if now, v = r.importBy(p, address, by); now == nil {
			return nil, nil, false
		}
		made, ok = r.planOne(p, address, b, now, v)
		return now, made, ok
	}
	if now = r.cli.get(address); now == nil {
		if b == nil {
			return nil, nil, true
		}
		made, ok = r.planOne(p, address, b, nil, v)
		return nil, made, ok
	}
	if address == r.forgets {
		if r.cli.kind.isTofu() {
			_, _, ok = r.read(p, address, now)
		} else {
			_, ok = r.upgrade(p, address, now)
		}
		return now, nil, ok
	}
	if r.isRefreshed || r.command.flags&withoutRefresh != 0 || b == nil && r.command.flags&planningTwice != 0 {
		if r.command.flags&withoutRefresh != 0 {
			w.countOnce(flagged(withoutRefresh))
		}
		if v, ok = r.upgrade(p, address, now); ok {
			made, ok = r.planOne(p, address, b, now, v)
		}
		return now, made, ok
	}
	if r.command.flags&planningTwice != 0 {
		return r.planTwice(p, address, b, now)
	}
	if r.command.interrupted() || r.command.killed() {
		return now, nil, false
	}
	if b == nil && r.cli.kind.plansOrphansFirst() {
		if made, ok = r.planOrphan(p, address, now); !ok {
			return now, nil, false
		}
		if now, _, ok = r.readUpgraded(p, address, now, made.prior); !ok || now == nil {
			return now, nil, ok
		}
		return now, made, true
	}
	if now, v, ok = r.read(p, address, now); !ok || b == nil && now == nil {
		return now, nil, ok
	}
	made, ok = r.planOne(p, address, b, now, v)
	return now, made, ok
}

// planTwice plans a resource with -minimal-refresh.
func (r *run) planTwice(p *process, address string, b *block, now *saved) (*saved, *change, bool) {
	prior, ok := r.upgrade(p, address, now)
	if !ok {
		return now, nil, false
	}
	before := r.toldOf(address)
	made, ok := r.planOne(p, address, b, now, prior)
	if !ok || made.do == nothing {
		return now, made, ok
	}
	r.cli.world.countOnce(flagged(planningTwice))
	r.forgetTold(address, before)
	if r.command.interrupted() || r.command.killed() {
		return now, nil, false
	}
	now, v, ok := r.readUpgraded(p, address, now, prior)
	if !ok {
		return now, nil, false
	}
	made, ok = r.planOne(p, address, b, now, v)
	return now, made, ok
}
