package provider

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
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
	// made are the objects that this process makes: true once it has.
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

// lacks reports whether an engine is planned to be off.
func (i plannedInstance) lacks(engine string) bool {
	return i.engines != nil && !has(i.engines, engine)
}

// A managedObject is what has no id of its own, so that two resources can be about
// it: by mistake, or one after the other.
type managedObject struct{ kind, key string }

// managers are the resources that are to manage an object. They are not told apart:
// Terraform may plan one more than once.
type managers struct {
	new       int  // how often one was planned that is not in the state
	stays     bool // one that is in the state and keeps the object
	destroyed bool // one that is in the state and destroys the object
	// takers are those in the state that are to manage the object, by what they manage now.
	takers map[managedObject]bool
}

// kept tells whether one that is in the state already is to manage the object.
func (m managers) kept() bool { return m.stays || len(m.takers) > 0 }

// A conflict is what other resources of a plan manage the same object.
type conflict int

const (
	noConflict       conflict = iota
	twoNew                    // two that are created, or one that was planned twice
	keptAndNew                // one that is in the state, and one that is created
	keptAndDestroyed          // one that is in the state and stays, and one that is destroyed
)

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

// keeps notes that a resource in the state manages an object, and goes on to.
func (p *planned) keeps(object managedObject) conflict {
	return p.manage(object, func(m *managers) { m.stays = true })
}

// takes notes that a resource in the state is to manage an object instead of the one
// that it manages now.
func (p *planned) takes(object, now managedObject) conflict {
	return p.manage(object, func(m *managers) {
		if m.takers == nil {
			m.takers = map[managedObject]bool{}
		}
		m.takers[now] = true
	})
}

// destroys notes that a resource is to be destroyed, and its object with it. What is to
// be created instead is no conflict.
func (p *planned) destroys(object managedObject) conflict {
	if c := p.manage(object, func(m *managers) { m.destroyed = true }); c == keptAndDestroyed {
		return c
	}
	return noConflict
}

// adds notes that a resource is to be created that manages an object.
func (p *planned) adds(object managedObject) conflict {
	return p.manage(object, func(m *managers) { m.new++ })
}

// forgets takes keeps and takes back: a resource has left the state, as its object is gone.
func (p *planned) forgets(objects ...managedObject) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, object := range objects {
		m := p.managers[object]
		m.stays = false
		p.managers[object] = m
		for _, other := range p.managers {
			delete(other.takers, object) // it is not there to take another any more
		}
	}
}

func (p *planned) manage(object managedObject, note func(*managers)) conflict {
	if p == nil || object == (managedObject{}) {
		return noConflict
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.managers[object]
	note(&m)
	p.managers[object] = m
	switch {
	case m.stays && m.destroyed:
		return keptAndDestroyed
	case m.kept() && m.new > 0:
		return keptAndNew
	case m.new > 1:
		return twoNew
	}
	return noConflict
}

// makes notes that a resource is about to make an object. It is false if another
// resource has made it in this process.
func (p *planned) makes(object managedObject) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, begun := p.made[object]; begun {
		return false
	}
	p.made[object] = false
	return true
}

// hasMade notes that a resource has made an object. It is called in the instance's turn,
// so that a deletion in a later turn knows.
func (p *planned) hasMade(object managedObject) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.made[object] = true
}

// failsToMake takes makes back.
func (p *planned) failsToMake(object managedObject) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.made, object)
}

// isMadeAnew tells whether this process has made an object that it is asked to
// delete. Then another resource has it now, which its deletion would undo: with
// create_before_destroy the old object's successor, or one at another address. It is
// asked in the instance's turn: what is still being made may fail.
func (p *planned) isMadeAnew(object managedObject) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.made[object]
}

// plannedKey notes in a plan's private state that the resource has been planned.
const plannedKey = "planned"

// planManaged notes which object a resource manages before and after the plan, and
// returns what other resources of the plan do with that object. Either is the zero
// managedObject if there is none, or if it is not known.
//
// A replacement that the provider did not ask for (-replace) and one that it did are
// both planned in two calls, the second without the prior state, as if something else
// was created, but with the private state that the first one planned. A tainted
// resource is planned without either. What the note leaves behind in a state is never
// looked at: with a prior state it is the first call.
func (b *resourceBase) planManaged(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse, before, after managedObject) conflict {
	kept := !req.State.Raw.IsNull()
	if req.Plan.Raw.IsNull() {
		return b.planned.destroys(before)
	}
	if kept {
		notePlanned(ctx, resp.Private, &resp.Diagnostics)
	}
	_, replaces := loadPrivate[bool](ctx, req.Private, plannedKey, &resp.Diagnostics)
	switch {
	case kept && before == after:
		return b.planned.keeps(after)
	case kept:
		return b.planned.takes(after, before)
	case replaces:
		return noConflict // the first call has noted it
	}
	return b.planned.adds(after)
}

// addConflict reports that two resources of the configuration manage one object. Of two
// that are created, the creation of the second is refused: a plan cannot tell them from
// one that was planned twice. An object that is in the state twice is kept and destroyed
// after a rename without a moved block, if its first address could not be destroyed.
func addConflict(c conflict, diags *diag.Diagnostics, at path.Path, summary, text string) {
	switch c {
	case keptAndNew:
		diags.AddAttributeError(at, summary, text)
	case keptAndDestroyed:
		diags.AddAttributeError(at, "The plan destroys what another resource keeps",
			summary+", and both are in the state. Destroying one of them would also undo the other. "+
				"Remove the one that the plan destroys from the state. This command deletes nothing at the service:\n\nterraform state rm ADDRESS\n\n"+
				"If the plan destroys a deposed object, remove its resource from the state in the same way, and import it again.")
	case twoNew:
		diags.AddAttributeWarning(at, summary, text)
	}
}

// planIdentified reports another resource of the state for the same object, which has an
// id of its own.
func (b *resourceBase) planIdentified(req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse, object managedObject) {
	note := b.planned.keeps
	if req.Plan.Raw.IsNull() {
		note = b.planned.destroys
	}
	addConflict(note(object), &resp.Diagnostics, path.Root("id"), "Two resources manage "+object.kind+" "+object.key, "")
}

// planNamed reports another resource of the plan for the same object, which has a name of
// its own. It is before in the state, and after in the plan.
func (b *resourceBase) planNamed(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse, before, after namedObject) {
	of := after
	if req.Plan.Raw.IsNull() {
		of = before
	}
	addConflict(b.planManaged(ctx, req, resp, before.managed(), after.managed()), &resp.Diagnostics, path.Root("name"), of.secondText(), of.secondDetail())
}

// makesNamed notes that a resource is about to create an object, and refuses the second
// resource of this process that does.
func (b *resourceBase) makesNamed(object namedObject, diags *diag.Diagnostics) bool {
	made := b.planned.makes(object.managed())
	if !made {
		diags.AddAttributeError(path.Root("name"), object.secondText(), object.secondDetail())
	}
	return made
}

// A namedObject is something on an instance that has a name of its own there. It is zero
// while that is not known.
type namedObject struct {
	kind       string // "app"
	what       string // "app web"
	instanceID string
}

func (o namedObject) managed() managedObject {
	if o == (namedObject{}) {
		return managedObject{}
	}
	return managedObject{o.kind, o.instanceID + "/" + o.what}
}

func (o namedObject) secondText() string {
	return "Two resources manage " + o.what + " of instance " + o.instanceID
}

func (o namedObject) secondDetail() string {
	return fmt.Sprintf("The configuration has another resource for the same %s. An instance has one %s of that name, so only one of the resources can manage it. "+
		"Remove one of them, or change its name or instance_id.", o.kind, o.kind)
}

// notePlanned leaves the note for the second call.
func notePlanned(ctx context.Context, private privateWriter, diags *diag.Diagnostics) {
	savePrivate(ctx, private, plannedKey, true, diags)
}
