package provider

import (
	"context"
	"maps"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// planned is what this process was asked to plan and to make so far: what one
// resource's plan, or deletion, has to know of the others'. No provider is told of
// other resources, but Terraform asks one process to plan all those of a
// configuration.
//
// An apply plans what it changes once more, in a process of its own, which has not
// seen what stays as it is.
type planned struct {
	mu       sync.Mutex
	managers map[managedObject]managers
	// made are the objects that this process was asked to make.
	made map[managedObject]bool
	// instances are those that are planned so far, by id, with the engines that are
	// to be on.
	instances map[string]plannedInstance
	// yetToCome are those that are planned to be made.
	yetToCome []plannedInstance
	// applied tells that something was created, changed or destroyed: no plan does
	// that, so this process applies.
	applied bool
}

// A plannedInstance is an instance as its own plan makes it.
type plannedInstance struct {
	plan    string           // "" while it is not known
	engines map[string]int64 // budgets in MB, 0 for one that is not known; nil while it is not known which are on
}

// A managedObject is what has no id of its own, so that two resources can be about
// it: by mistake, or one after the other.
type managedObject struct{ kind, key string }

// managers are the resources that are to manage an object.
type managers struct {
	count   int
	changes bool // at least one of them is created or changed
}

func newPlanned() *planned {
	return &planned{managers: map[managedObject]managers{}, made: map[managedObject]bool{}, instances: map[string]plannedInstance{}}
}

// noteApply notes that this process applies.
func (p *planned) noteApply() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.applied = true
}

// hasApplied tells whether this process is surely one that applies.
func (p *planned) hasApplied() bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.applied
}

// noteInstance notes how an instance is planned. One that is destroyed is not noted.
func (p *planned) noteInstance(plan *instanceModel) {
	if p == nil || plan == nil {
		return
	}
	noted := plannedInstance{plan: plan.Plan.ValueString()}
	if engines, known := enginesOf(plan.Engines); known {
		noted.engines = map[string]int64{}
		for name, memory := range engines {
			noted.engines[name] = memory.ValueInt64()
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if plan.ID.IsUnknown() {
		p.yetToCome = append(p.yetToCome, noted)
		return
	}
	p.instances[plan.ID.ValueString()] = noted
}

// instanceYetToCome is the best that can be said of an instance that this process has
// planned to make, whichever it is: it has each engine that any of them has, with the
// biggest budget, and the biggest plan. What is not known of one is not known. It is
// false while there is none.
func (p *planned) instanceYetToCome(plans client.Plans) (plannedInstance, bool) {
	if p == nil {
		return plannedInstance{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.yetToCome) == 0 {
		return plannedInstance{}, false
	}
	best := p.yetToCome[0]
	best.engines = maps.Clone(best.engines)
	for _, instance := range p.yetToCome[1:] {
		former, formerKnown := plans.Plan(best.plan)
		plan, known := plans.Plan(instance.plan)
		switch {
		case !formerKnown, !known:
			best.plan = ""
		case plan.MemoryMB > former.MemoryMB:
			best.plan = instance.plan
		}
		if best.engines == nil || instance.engines == nil {
			best.engines = nil
			continue
		}
		for name, memory := range instance.engines {
			present, on := best.engines[name]
			if best.engines[name] = max(present, memory); on && (present == 0 || memory == 0) {
				best.engines[name] = 0
			}
		}
	}
	return best, true
}

// instance is how an instance is planned, false when this process has not planned it.
func (p *planned) instance(id string) (plannedInstance, bool) {
	if p == nil {
		return plannedInstance{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	instance, ok := p.instances[id]
	return instance, ok
}

// manages notes a resource that is to manage an object, and whether its plan changes
// anything. It tells whether another one is to manage the same, unless neither of
// them changes: what stays as it is, is not checked.
func (p *planned) manages(object managedObject, changes bool) (twice bool) {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.managers[object]
	m.count++
	m.changes = m.changes || changes
	p.managers[object] = m
	return m.count > 1 && m.changes
}

// keepsManaged notes a resource that manages an object and whose plan changes
// nothing. It is false, and nothing is noted, where it is left to manages to tell what
// is wrong.
func (p *planned) keepsManaged(object managedObject) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.managers[object]
	if m.changes {
		return false
	}
	m.count++
	p.managers[object] = m
	return true
}

// makes notes that a resource is about to make a object.
func (p *planned) makes(object managedObject) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.made[object] = true
}

// isMadeAnew tells whether this process was asked to make a object that it is asked to
// delete. Then another resource has it now: with create_before_destroy the old
// object's successor, which its deletion would undo.
func (p *planned) isMadeAnew(object managedObject) bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.made[object]
}

// plannedKey notes in a plan's private state that the resource has been planned.
const plannedKey = "planned"

// firstPlanned tells whether a process is asked about a resource for the first
// time. A replacement that the provider did not ask for (-replace) and one that it
// did are both planned in two calls, the second without the prior state, as if
// something else was created, but with the private state that the first one
// planned. A tainted resource is planned in one call, without either. What the note
// leaves behind in a state is never looked at: with a prior state it is the first
// call.
func firstPlanned(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse, diags *diag.Diagnostics) bool {
	if !req.State.Raw.IsNull() {
		notePlanned(ctx, resp.Private, diags)
		return true
	}
	_, noted := loadPrivate[bool](ctx, req.Private, plannedKey, diags)
	return !noted
}

// notePlanned leaves the note for the second call.
func notePlanned(ctx context.Context, private privateWriter, diags *diag.Diagnostics) {
	savePrivate(ctx, private, plannedKey, true, diags)
}
