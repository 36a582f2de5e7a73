package simulation

import "strings"

// flags are the options of a command that change what it asks the provider.
type flags int

const (
	withoutRefresh flags = 1 << iota // -refresh=false: it plans from the state and reads nothing
	oneByOne                         // -parallelism=1
	// planningTwice is -minimal-refresh of Terraform 1.17: a resource is planned from
	// the state, and if that changes anything, it is read and planned again by the same
	// process. Both plans get the prior state.
	planningTwice
)

const flagsEnd = 3

func (f flags) String() string {
	var all []string
	for i, name := range []string{"-refresh=false", "-parallelism=1", "-minimal-refresh"} {
		if f&(1<<i) != 0 {
			all = append(all, name)
		}
	}
	return strings.Join(all, " ")
}

// planAddress reads and plans one resource as the command's flags say. now is its
// state, nil if it has none or is found gone, and made is nil if there is nothing to
// plan.
func (r *run) planAddress(p *process, address string, b *block) (now *saved, made *change, ok bool) {
	w := r.cli.world
	var v value
	if now = r.cli.get(address); now == nil {
		if b == nil {
			return nil, nil, true
		}
		made, ok = r.planOne(p, address, b, nil, v)
		return nil, made, ok
	}
	if r.command.flags&(withoutRefresh|planningTwice) != 0 {
		if v, ok = r.upgrade(p, address, now); !ok {
			return now, nil, false
		}
		made, ok = r.planOne(p, address, b, now, v)
		if !ok || r.command.flags&withoutRefresh != 0 || made.do == nothing {
			if ok && r.command.flags&withoutRefresh != 0 {
				w.countOnce(flagged(withoutRefresh))
			}
			return now, made, ok
		}
		w.countOnce(flagged(planningTwice))
	}
	if r.command.interrupted() || r.command.killed() {
		return now, nil, false
	}
	if now, v, ok = r.read(p, address, now); !ok || b == nil && now == nil {
		return now, nil, ok
	}
	made, ok = r.planOne(p, address, b, now, v)
	return now, made, ok
}
