package provider

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// planned records what this process has planned and created so far. The plan or the
// deletion of one resource needs that of others. A provider receives no other resources,
// but Terraform lets one process plan all those of a configuration.
//
// An apply plans its changes again in a new process, which has not seen the resources
// that stay the same.
type planned struct {
	mu       sync.Mutex
	managers map[managedObject]managers
	// made are the objects that this process creates. The value is true once it has done
	// so.
	made map[managedObject]bool
	// instances are the instances planned so far, by id, with the engines that will be
	// on.
	instances map[string]plannedInstance
	// created are the planned instances that do not exist yet and have no id.
	created []plannedInstance
	// applied is true if something was created, changed or destroyed. No plan does that,
	// so this process applies.
	applied bool
}

// A plannedInstance is an instance as its plan makes it.
type plannedInstance struct {
	plan    string           // "" if unknown
	engines map[string]int64 // budgets in MB, 0 if unknown; nil if it is unknown which are on
}

func (i plannedInstance) equal(other plannedInstance) bool {
	return i.plan == other.plan && (i.engines == nil) == (other.engines == nil) && maps.Equal(i.engines, other.engines)
}

// lacks reports whether an engine is planned to be off.
func (i plannedInstance) lacks(engine string) bool {
	_, on := i.engines[engine]
	return i.engines != nil && !on
}

// A managedObject identifies an object that two resources could manage: by mistake, or
// one after the other.
type managedObject struct{ kind, key string }

// managers summarizes the resources that will manage an object. It cannot distinguish
// them, because Terraform may plan one more than once.
type managers struct {
	new       int  // number of plans of resources that are not in the state
	stays     bool // one in the state keeps the object
	destroyed bool // one in the state destroys the object
	// takers are the resources in the state that will take the object over, by their
	// current object.
	takers map[managedObject]bool
}

// kept reports whether a resource that is in the state already will manage the object.
func (m managers) kept() bool { return m.stays || len(m.takers) > 0 }

// A conflict describes the other resources of a plan that manage the same object.
type conflict int

const (
	noConflict       conflict = iota
	twoNew                    // two are created, or one is planned twice
	keptAndNew                // one is in the state, and one is created
	keptAndDestroyed          // one is in the state and stays, and one is destroyed
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

// hasApplied reports whether this process is certainly applying.
func (p *planned) hasApplied() bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.applied
}

// noteInstance notes the plan and the engines of an instance that is created or kept. plan
// is "" and engines is nil if they are unknown.
func (p *planned) noteInstance(id types.String, plan string, engines map[string]int64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	noted := plannedInstance{plan: plan, engines: engines}
	if id.IsUnknown() {
		p.created = append(p.created, noted)
		return
	}
	p.instances[id.ValueString()] = noted
}

// createdInstance returns the instance that this process has planned to create. The second
// result is false if there is none, or if several differ, because an unknown id does not
// say which of them it belongs to.
func (p *planned) createdInstance() (plannedInstance, bool) {
	if p == nil {
		return plannedInstance{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.created) == 0 {
		return plannedInstance{}, false
	}
	first := p.created[0]
	for _, other := range p.created[1:] {
		if !other.equal(first) {
			return plannedInstance{}, false
		}
	}
	return first, true
}

// instance returns an instance as planned. It returns false if this process has not
// planned it.
func (p *planned) instance(id string) (plannedInstance, bool) {
	if p == nil {
		return plannedInstance{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	instance, ok := p.instances[id]
	return instance, ok
}

// keeps notes that a resource in the state manages an object, and continues to do so.
func (p *planned) keeps(object managedObject) conflict {
	return p.manage(object, func(m *managers) { m.stays = true })
}

// takes notes that a resource in the state will manage an object instead of its current
// one.
func (p *planned) takes(object, now managedObject) conflict {
	return p.manage(object, func(m *managers) {
		if m.takers == nil {
			m.takers = map[managedObject]bool{}
		}
		m.takers[now] = true
	})
}

// destroys notes that a resource and its object will be destroyed. A resource that is
// created in its place does not conflict with it.
func (p *planned) destroys(object managedObject) conflict {
	if c := p.manage(object, func(m *managers) { m.destroyed = true }); c == keptAndDestroyed {
		return c
	}
	return noConflict
}

// adds notes that a resource that manages an object will be created.
func (p *planned) adds(object managedObject) conflict {
	return p.manage(object, func(m *managers) { m.new++ })
}

// forgets undoes keeps and takes: a resource has left the state, because its object is
// gone.
func (p *planned) forgets(objects ...managedObject) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, object := range objects {
		m := p.managers[object]
		m.stays = false
		p.managers[object] = m
		for _, other := range p.managers {
			delete(other.takers, object) // a resource that is gone takes no other object over
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

// makes notes that a resource is about to create an object. It returns false if another
// resource of this process has begun to create it.
func (p *planned) makes(object managedObject) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, begun := p.made[object]; begun {
		return false
	}
	p.made[object] = false
	return true
}

// hasMade notes that a resource has created an object. It is called in the instance's
// turn, so that a deletion in a later turn sees the note.
func (p *planned) hasMade(object managedObject) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.made[object] = true
}

// failsToMake undoes makes.
func (p *planned) failsToMake(object managedObject) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.made, object)
}

// isMadeAnew reports whether this process has created an object that it is about to
// delete. If so, another resource manages the object now, and the deletion would undo
// that: with create_before_destroy the successor, or a resource at a different address.
// It is called in the instance's turn, because a creation that is still in progress may
// fail.
func (p *planned) isMadeAnew(object managedObject) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.made[object]
}

// plannedKey is the key in a plan's private state that notes that the resource is
// planned.
const plannedKey = "planned"

// planManaged notes the object that a resource manages before and after the plan, and
// returns the conflict with other resources of the plan. Either is the zero managedObject
// if there is none, or if it is unknown.
//
// Terraform plans a replacement in two calls, whether the provider or -replace causes it.
// The second call has no prior state, like a creation, but it has the private state that
// the first one planned. A tainted resource is planned without either. A note that is
// left in a state is ignored, because a call with a prior state is the first one.
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

// addConflict reports that two resources of the configuration manage one object. If both
// are created, the plan only warns, because it cannot distinguish that from one resource
// that is planned twice. The apply refuses the second creation. An object that is in the
// state twice is kept and destroyed after a rename without a moved block, if its first
// address could not be destroyed.
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

// planIdentified reports another resource in the state for the same object. Objects that
// have their own id are compared by it.
func (b *resourceBase) planIdentified(req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse, object managedObject) {
	note := b.planned.keeps
	if req.Plan.Raw.IsNull() {
		note = b.planned.destroys
	}
	addConflict(note(object), &resp.Diagnostics, path.Root("id"), "Two resources manage "+object.kind+" "+object.key, "")
}

// planNamed reports another resource of the plan for the same object, which has its own
// name. before is the object in the state, and after the one in the plan.
func (b *resourceBase) planNamed(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse, before, after namedObject) {
	of := after
	if req.Plan.Raw.IsNull() {
		of = before
	}
	addConflict(b.planManaged(ctx, req, resp, before.managed(), after.managed()), &resp.Diagnostics, path.Root("name"), of.secondText(), of.secondDetail())
}

// makesNamed notes that a resource is about to create an object. It refuses the second
// resource of this process that does so, and returns false.
func (b *resourceBase) makesNamed(object namedObject, diags *diag.Diagnostics) bool {
	made := b.planned.makes(object.managed())
	if !made {
		diags.AddAttributeError(path.Root("name"), object.secondText(), object.secondDetail())
	}
	return made
}

// A namedObject is an object with its own name on an instance. It is zero if it is
// unknown.
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

// notePlanned writes the note that the second call reads.
func notePlanned(ctx context.Context, private privateWriter, diags *diag.Diagnostics) {
	savePrivate(ctx, private, plannedKey, true, diags)
}
