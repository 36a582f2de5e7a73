package hclcli

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
)

// The actions of a plan on an object.
const (
	nothing  = "no-op"
	create   = "create"
	update   = "update"
	replace  = "replace"
	remove   = "delete"
	readData = "read"
)

// A change is the plan of one object.
type change struct {
	address string
	block   *block // nil if it is no longer configured
	own     map[string]cty.Value
	kind    string
	action  string
	// before is its state, and prior that value or null.
	before                 *object
	prior, config, planned cty.Value
	private                []byte
	identity               *tfprotov6.ResourceIdentityData
}

// validate validates the whole configuration without knowing any value.
func (r *run) validate() {
	for address, b := range r.config.blocks {
		own := map[string]cty.Value{"each": cty.DynamicVal, "count": cty.DynamicVal}
		if v, ok := r.configOf(address, b, own); ok {
			r.valid(address, b, v)
		}
	}
}

// plan refreshes the state and plans all changes.
func (r *run) plan() {
	needs := map[string][]string{}
	for address, b := range r.config.blocks {
		needs[address] = r.config.needs(b)
	}
	included := r.included()
	walk(needs, func(address string) bool {
		return !included[address] || r.planBlock(address, r.config.blocks[address])
	})
	orphans := map[string][]string{}
	for _, address := range r.cli.State() {
		if o := r.cli.object(address); !r.isConfigured(address, o) && (len(r.flags.targets) == 0 || slices.Contains(r.flags.targets, o.block)) {
			orphans[address] = nil
		}
	}
	walk(orphans, func(address string) bool {
		now, ok := r.refresh(address, r.cli.object(address))
		if !ok || now == nil || r.flags.refreshOnly {
			return ok
		}
		return r.planRemoval(address, now)
	})
	if r.failed() || r.flags.destroy {
		return
	}
	for name, e := range r.config.outputs {
		v, ok := r.evaluate("output."+name, e, nil)
		if before, had := r.cli.outputs[name]; ok && (!had || !v.IsWhollyKnown() || !before.RawEquals(v)) {
			r.changes["output."+name] = &change{action: update, planned: v}
		}
	}
}

// included returns the blocks that the command concerns: all, or the targets and all that
// these need.
func (r *run) included() map[string]bool {
	all := map[string]bool{}
	for address, b := range r.config.blocks {
		if len(r.flags.targets) == 0 {
			all[address] = true
		} else if slices.Contains(r.flags.targets, address) {
			all[address] = true
			maps.Copy(all, r.config.needsAtAll(b))
		}
	}
	return all
}

// isConfigured reports whether an address in the state still has a configuration.
func (r *run) isConfigured(address string, o *object) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.config.blocks[o.block]
	keys, visited := r.keys[o.block]
	return b != nil && (!visited || slices.ContainsFunc(keys, func(key string) bool { return o.block+key == address }))
}

// planBlock plans all objects of a block.
func (r *run) planBlock(address string, b *block) bool {
	all, ok := r.instances(b)
	if !ok {
		r.hear(Diagnostic{Severity: "error", Summary: "Invalid count or for_each argument", Address: address})
		return false
	}
	needs := map[string][]string{}
	for key := range all {
		needs[key] = nil
	}
	r.mu.Lock()
	r.keys[address] = slices.Sorted(maps.Keys(all))
	r.mu.Unlock()
	good := true
	walk(needs, func(key string) bool {
		var ok bool
		switch b.mode {
		case "data":
			ok = r.planData(address+key, b, all[key])
		case "ephemeral":
			ok = r.open(address+key, b, all[key])
		default:
			ok = r.planResource(address+key, b, all[key])
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

func (r *run) know(address string, v cty.Value) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.values[address] = v
}

func (r *run) add(c *change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changes[c.address] = c
}

// planData reads a data source, or leaves it to the apply.
func (r *run) planData(address string, b *block, own map[string]cty.Value) bool {
	if r.flags.destroy {
		return true
	}
	config, ok := r.configOf(address, b, own)
	if !ok {
		return false
	}
	if config.IsWhollyKnown() && !r.haveChanges(r.config.waitsFor(b)) {
		return r.readData(address, b, config)
	}
	members := config.AsValueMap()
	for name, a := range schemaOf(b).attributes {
		if a.computed && members[name].IsNull() {
			members[name] = cty.UnknownVal(members[name].Type())
		}
	}
	r.know(address, cty.ObjectVal(members))
	r.add(&change{address: address, block: b, own: own, kind: b.kind, action: readData})
	return true
}

// haveChanges reports whether the plan changes any of these blocks.
func (r *run) haveChanges(blocks []string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, address := range blocks {
		for _, key := range r.keys[address] {
			if c := r.changes[address+key]; c != nil && c.action != nothing {
				return true
			}
		}
	}
	return false
}

func (r *run) planResource(address string, b *block, own map[string]cty.Value) bool {
	now, ok := r.imported(address, b)
	if ok && now == nil {
		now, ok = r.refresh(address, r.cli.object(address))
	}
	switch {
	case !ok:
		return false
	case r.flags.refreshOnly:
		if now != nil {
			r.know(address, now.value)
		}
		return true
	case r.flags.destroy:
		return now == nil || r.planRemoval(address, now)
	}
	config, ok := r.configOf(address, b, own)
	if !ok {
		return false
	}
	c := &change{address: address, block: b, own: own, kind: b.kind, before: now, config: config, prior: cty.NullVal(schemaOf(b).value)}
	from := c.prior
	if known := r.lastOf(address, now); known != nil {
		c.private, c.identity = known.private, known.identity
	}
	if now != nil {
		c.prior = now.value
		c.config = ignoring(b, c.prior, config)
		if from = c.prior; now.tainted {
			from, c.private, c.identity = cty.NullVal(schemaOf(b).value), nil, nil
		}
	}
	if !r.valid(address, b, config) { // before ignore_changes, as Terraform does
		return false
	}
	replaces, ok := r.askForPlan(c, from, false)
	if !ok {
		return false
	}
	switch {
	case now == nil:
		c.action = create
	case now.tainted:
		c.action = replace
	case replaces || slices.Contains(r.flags.replace, address):
		c.action = replace
		if _, ok := r.askForPlan(c, cty.NullVal(schemaOf(b).value), false); !ok {
			return false
		}
	case c.planned.RawEquals(c.prior):
		c.action = nothing
	default:
		c.action = update
	}
	r.know(address, c.planned)
	r.add(c)
	return true
}

// lastOf returns the state of an object, or what was left of it when it was found gone.
func (r *run) lastOf(address string, now *object) *object {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now == nil {
		return r.gone[address]
	}
	return now
}

// removal is the change that destroys an object.
func removal(address string, o *object) *change {
	return &change{
		address: address, kind: o.kind, action: remove, before: o,
		prior: o.value, config: cty.NullVal(o.value.Type()), private: o.private, identity: o.identity,
	}
}

func (r *run) planRemoval(address string, now *object) bool {
	c := removal(address, now)
	if _, ok := r.askForPlan(c, c.prior, false); !ok {
		return false
	}
	r.add(c)
	return true
}

// ignoring returns a configuration with the prior values of what ignore_changes names.
func ignoring(b *block, prior, config cty.Value) cty.Value {
	members, before := config.AsValueMap(), prior.AsValueMap()
	if b.ignoresAll {
		for name, a := range schemaOf(b).attributes {
			if !a.computed || !members[name].IsNull() {
				members[name] = before[name]
			}
		}
		return cty.ObjectVal(members)
	}
	for _, path := range b.ignored {
		name := path[0].(hcl.TraverseAttr).Name
		if len(path) == 1 {
			members[name] = before[name]
			continue
		}
		index, ok := path[1].(hcl.TraverseIndex)
		if !ok || members[name].IsNull() || !members[name].IsKnown() {
			continue
		}
		key, elements := index.Key.AsString(), members[name].AsValueMap()
		if elements == nil {
			elements = map[string]cty.Value{}
		}
		delete(elements, key)
		if !before[name].IsNull() {
			if v, had := before[name].AsValueMap()[key]; had {
				elements[key] = v
			}
		}
		if members[name] = cty.MapValEmpty(members[name].Type().ElementType()); len(elements) > 0 {
			members[name] = cty.MapVal(elements)
		}
	}
	return cty.ObjectVal(members)
}
