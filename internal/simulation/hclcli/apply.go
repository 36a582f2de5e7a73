package hclcli

import (
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"
)

// apply carries out what another run has planned.
func (r *run) apply(planned *run) {
	for address, keys := range planned.keys {
		r.keys[address] = keys
		for _, key := range keys {
			if c := planned.changes[address+key]; c == nil || c.action == nothing {
				if v, known := planned.values[address+key]; known {
					r.values[address+key] = v
				}
			}
		}
	}
	needs, nodes := r.graph(planned)
	walk(needs, func(name string) bool { return nodes[name]() })
	if r.flags.destroy {
		r.cli.outputs = map[string]cty.Value{}
	}
	if r.failed() || r.flags.destroy {
		return
	}
	for name, e := range r.config.outputs {
		if v, ok := r.evaluate("output."+name, e, nil); ok && v.IsWhollyKnown() {
			r.cli.outputs[name] = v
		}
	}
}

// graph returns the steps of an apply, and the steps that each needs first. An object is
// destroyed after those that depend on it, and before its replacement is created, unless the
// replacement comes first.
func (r *run) graph(planned *run) (needs map[string][]string, nodes map[string]func() bool) {
	needs, nodes = map[string][]string{}, map[string]func() bool{}
	included := planned.included()
	for address, b := range r.config.blocks {
		if r.flags.destroy || !included[address] || len(planned.keys[address]) == 0 && b.count == nil && b.forEach == nil {
			continue
		}
		nodes[address] = func() bool { return r.applyBlock(planned, address, b) }
		needs[address] = r.config.needs(b)
	}
	for address, c := range planned.changes {
		if c.action != remove && c.action != replace {
			continue
		}
		step, first := "destroy "+address, c.block != nil && c.block.createsFirst
		nodes[step] = func() bool { return r.destroy(c, first) }
		needs[step] = nil
		for other, o := range planned.changes {
			if o.before == nil || !slices.Contains(o.before.needs, c.before.block) {
				continue
			}
			switch {
			case o.action == remove || o.action == replace:
				needs[step] = append(needs[step], "destroy "+other)
			case o.action == update && c.action == remove:
				needs[step] = append(needs[step], o.before.block)
			}
			if first && o.block != nil {
				needs[step] = append(needs[step], o.before.block)
			}
		}
		if c.action == replace && first {
			needs[step] = append(needs[step], c.before.block)
		} else if c.action == replace {
			needs[c.before.block] = append(slices.Clone(needs[c.before.block]), step)
		}
	}
	return needs, nodes
}

func (r *run) applyBlock(planned *run, address string, b *block) bool {
	steps := map[string][]string{}
	for _, key := range planned.keys[address] {
		steps[address+key] = nil
	}
	good := true
	walk(steps, func(one string) bool {
		c, ok := planned.changes[one], true
		switch {
		case b.mode == "ephemeral":
			all, _ := r.instances(b) // it is known since the plan
			ok = r.open(one, b, all[one[len(address):]])
		case c == nil || c.action == nothing || c.action == remove:
		case c.action == readData:
			var config cty.Value
			if config, ok = r.configOf(one, b, c.own); ok {
				ok = r.readData(one, b, config)
			}
		default:
			ok = r.applyChange(c)
		}
		if !ok {
			r.mu.Lock()
			good = false
			r.mu.Unlock()
		}
		return ok
	})
	return good
}

// applyChange plans a change again, with the values that are known by now, and carries it
// out.
func (r *run) applyChange(c *change) bool {
	s := schemaOf(c.block)
	config, ok := r.configOf(c.address, c.block, c.own)
	if !ok {
		return false
	}
	again := &change{address: c.address, block: c.block, kind: c.kind, config: config, prior: cty.NullVal(s.value)}
	if c.action == update {
		again.before, again.prior = c.before, c.before.value
		again.private, again.identity = c.before.private, c.before.identity
		again.config = ignoring(c.block, again.prior, config)
	}
	if !r.valid(c.address, c.block, config) {
		return false
	}
	replaces, ok := r.askForPlan(again, again.prior, true)
	if !ok {
		return false
	}
	if replaces && c.action == update {
		r.cli.Violation("%s was planned to be updated, and is to be replaced in the apply", c.address)
		return false
	}
	if wrong := departs(s, c.planned, again.planned, false); wrong != "" {
		r.cli.Violation("Provider produced inconsistent final plan: %s%s", c.address, wrong)
		return false
	}
	created := c.action != update
	made, ok := r.applyOne(again, created)
	if made != nil {
		made.needs = slices.Sorted(maps.Keys(r.config.needsAtAll(c.block)))
		made.block = c.block.address()
		r.cli.save(map[string]*object{c.address: made})
		r.know(c.address, made.value)
	} else if !created {
		r.cli.save(map[string]*object{c.address: nil})
	}
	return ok
}

// destroy deletes an object. An object whose replacement exists already is deposed, and no
// longer has the place in the state.
func (r *run) destroy(c *change, deposed bool) bool {
	gone := removal(c.address, c.before)
	if deposed {
		if _, ok := r.askForPlan(gone, gone.prior, false); !ok {
			return false
		}
	}
	gone.planned = gone.config
	left, ok := r.applyOne(gone, false)
	if !deposed {
		if left != nil {
			left.needs, left.block, left.tainted = c.before.needs, c.before.block, c.before.tainted
		}
		r.cli.save(map[string]*object{c.address: left})
	}
	return ok
}
