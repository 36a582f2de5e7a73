package base

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

// Planned records what this process has planned and created so far. The plan or the
// deletion of one resource needs that of others. A provider receives no other resources,
// but Terraform lets one process plan all those of a configuration.
//
// An apply plans its changes again in a new process, which has not seen the resources
// that stay the same.
type Planned struct {
	mu       sync.Mutex
	managers map[ManagedObject]managers
	// made are the objects that this process creates. The value is true once it has done
	// so.
	made map[ManagedObject]bool
	// instances are the instances planned so far, by id, with the engines that will be
	// on.
	instances map[string]PlannedInstance
	// created are the planned instances that do not exist yet and have no id.
	created []PlannedInstance
	// applied is true if something was created, changed or destroyed. No plan does that,
	// so this process applies.
	applied bool
}

// A PlannedInstance is an instance as its plan makes it.
type PlannedInstance struct {
	Plan    string           // "" if unknown
	Engines map[string]int64 // budgets in MB, 0 if unknown; nil if it is unknown which are on
}

func (i PlannedInstance) equal(other PlannedInstance) bool {
	return i.Plan == other.Plan && (i.Engines == nil) == (other.Engines == nil) && maps.Equal(i.Engines, other.Engines)
}

// lacks reports whether an engine is planned to be off.
func (i PlannedInstance) lacks(engine string) bool {
	_, on := i.Engines[engine]
	return i.Engines != nil && !on
}

// A ManagedObject identifies an object that two resources could manage: by mistake, or
// one after the other.
type ManagedObject struct{ Kind, Key string }

// managers summarizes the resources that will manage an object. It cannot distinguish
// them, because Terraform may plan one more than once.
type managers struct {
	new       int  // number of plans of resources that are not in the state
	stays     bool // one in the state keeps the object
	destroyed bool // one in the state destroys the object
	// takers are the resources in the state that will take the object over, by their
	// current object.
	takers map[ManagedObject]bool
}

// kept reports whether a resource that is in the state already will manage the object.
func (m managers) kept() bool { return m.stays || len(m.takers) > 0 }

// A Conflict describes the other resources of a plan that manage the same object.
type Conflict int

const (
	// NoConflict means that no other resource manages the object.
	NoConflict       Conflict = iota
	twoNew                    // two are created, or one is planned twice
	keptAndNew                // one is in the state, and one is created
	keptAndDestroyed          // one is in the state and stays, and one is destroyed
)

// NewPlanned returns the record of a process that has planned nothing yet.
func NewPlanned() *Planned {
	return &Planned{managers: map[ManagedObject]managers{}, made: map[ManagedObject]bool{}, instances: map[string]PlannedInstance{}}
}

// noteApply notes that this process applies.
func (p *Planned) noteApply() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.applied = true
}

// hasApplied reports whether this process is certainly applying.
func (p *Planned) hasApplied() bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.applied
}

// NoteInstance notes the plan and the engines of an instance that is created or kept. plan
// is "" and engines is nil if they are unknown.
func (p *Planned) NoteInstance(id types.String, plan string, engines map[string]int64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	noted := PlannedInstance{Plan: plan, Engines: engines}
	if id.IsUnknown() {
		p.created = append(p.created, noted)
		return
	}
	p.instances[id.ValueString()] = noted
}

// CreatedInstance returns the instance that this process has planned to create. The second
// result is false if there is none, or if several differ, because an unknown id does not
// say which of them it belongs to.
func (p *Planned) CreatedInstance() (PlannedInstance, bool) {
	if p == nil {
		return PlannedInstance{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.created) == 0 {
		return PlannedInstance{}, false
	}
	first := p.created[0]
	for _, other := range p.created[1:] {
		if !other.equal(first) {
			return PlannedInstance{}, false
		}
	}
	return first, true
}

// Instance returns an instance as planned. It returns false if this process has not
// planned it.
func (p *Planned) Instance(id string) (PlannedInstance, bool) {
	if p == nil {
		return PlannedInstance{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	instance, ok := p.instances[id]
	return instance, ok
}

// keeps notes that a resource in the state manages an object, and continues to do so.
func (p *Planned) keeps(object ManagedObject) Conflict {
	return p.manage(object, func(m *managers) { m.stays = true })
}

// takes notes that a resource in the state will manage an object instead of its current
// one.
func (p *Planned) takes(object, now ManagedObject) Conflict {
	return p.manage(object, func(m *managers) {
		if m.takers == nil {
			m.takers = map[ManagedObject]bool{}
		}
		m.takers[now] = true
	})
}

// destroys notes that a resource and its object will be destroyed. A resource that is
// created in its place does not conflict with it.
func (p *Planned) destroys(object ManagedObject) Conflict {
	if c := p.manage(object, func(m *managers) { m.destroyed = true }); c == keptAndDestroyed {
		return c
	}
	return NoConflict
}

// adds notes that a resource that manages an object will be created.
func (p *Planned) adds(object ManagedObject) Conflict {
	return p.manage(object, func(m *managers) { m.new++ })
}

// forgets undoes keeps and takes: a resource has left the state, because its object is
// gone.
func (p *Planned) forgets(objects ...ManagedObject) {
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

func (p *Planned) manage(object ManagedObject, note func(*managers)) Conflict {
	if p == nil || object == (ManagedObject{}) {
		return NoConflict
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
	return NoConflict
}

// Makes notes that a resource is about to create an object. It returns false if another
// resource of this process has begun to create it.
func (p *Planned) Makes(object ManagedObject) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, begun := p.made[object]; begun {
		return false
	}
	p.made[object] = false
	return true
}

// HasMade notes that a resource has created an object. It is called in the instance's
// turn, so that a deletion in a later turn sees the note.
func (p *Planned) HasMade(object ManagedObject) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.made[object] = true
}

// FailsToMake undoes makes.
func (p *Planned) FailsToMake(object ManagedObject) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.made, object)
}

// IsMadeAnew reports whether this process has created an object that it is about to
// delete. If so, another resource manages the object now, and the deletion would undo
// that: with create_before_destroy the successor, or a resource at a different address.
// It is called in the instance's turn, because a creation that is still in progress may
// fail.
func (p *Planned) IsMadeAnew(object ManagedObject) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.made[object]
}

// PlanManaged notes the object that a resource manages before and after the plan, and
// returns the conflict with other resources of the plan. Either is the zero ManagedObject
// if there is none, or if it is unknown.
//
// Terraform plans a replacement in two calls, whether the provider or -replace causes it.
// The second call has no prior state, like a creation, but it has the private state that
// the first one planned. A tainted resource is planned without either. A note that is
// left in a state is ignored, because a call with a prior state is the first one.
func (b *Resource) PlanManaged(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse, before, after ManagedObject) Conflict {
	kept := !req.State.Raw.IsNull()
	if req.Plan.Raw.IsNull() {
		return b.Planned.destroys(before)
	}
	if kept {
		notePlanned(ctx, resp.Private, &resp.Diagnostics)
	}
	_, replaces := LoadPrivate[bool](ctx, req.Private, PlannedKey, &resp.Diagnostics)
	switch {
	case kept && before == after:
		return b.Planned.keeps(after)
	case kept:
		return b.Planned.takes(after, before)
	case replaces:
		return NoConflict // the first call has noted it
	}
	return b.Planned.adds(after)
}

// AddConflict reports that two resources of the configuration manage one object. If both
// are created, the plan only warns, because it cannot distinguish that from one resource
// that is planned twice. The apply refuses the second creation. An object that is in the
// state twice is kept and destroyed after a rename without a moved block, if its first
// address could not be destroyed.
func AddConflict(c Conflict, diags *diag.Diagnostics, at path.Path, summary, text string) {
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

// PlanLeft notes that a resource destroys its current object if the plan gives it another
// one, and returns the conflict with a resource that keeps that object. It is for objects
// that cannot become another one without a replacement.
func (b *Resource) PlanLeft(before, after ManagedObject) Conflict {
	if before == after {
		return NoConflict
	}
	return b.Planned.destroys(before)
}

// PlanIdentified reports another resource in the state for the same object. Objects that
// have their own id are compared by it. destroys reports whether the plan destroys or
// replaces the object.
func (b *Resource) PlanIdentified(resp *resource.ModifyPlanResponse, object ManagedObject, destroys bool) {
	note := b.Planned.keeps
	if destroys {
		note = b.Planned.destroys
	}
	AddConflict(note(object), &resp.Diagnostics, path.Root("id"), "Two resources manage "+object.Kind+" "+object.Key, "")
}

// PlanNamed reports another resource of the plan for the same object, which has its own
// name. before is the object in the state, and after the one in the plan.
func (b *Resource) PlanNamed(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse, before, after NamedObject) {
	of, conflict := after, b.PlanManaged(ctx, req, resp, before.Managed(), after.Managed())
	if left := b.PlanLeft(before.Managed(), after.Managed()); left != NoConflict {
		of, conflict = before, left
	}
	AddConflict(conflict, &resp.Diagnostics, path.Root("name"), of.secondText(), of.secondDetail())
}

// PlanReplacedInPlace is PlanNamed for a plan that replaces an object by one with the same
// name.
func (b *Resource) PlanReplacedInPlace(ctx context.Context, resp *resource.ModifyPlanResponse, object NamedObject) {
	notePlanned(ctx, resp.Private, &resp.Diagnostics)
	conflict := b.Planned.takes(object.Managed(), object.Managed())
	if left := b.Planned.destroys(object.Managed()); left != NoConflict {
		conflict = left
	}
	AddConflict(conflict, &resp.Diagnostics, path.Root("name"), object.secondText(), object.secondDetail())
}

// MakesNamed notes that a resource is about to create an object. It refuses the second
// resource of this process that does so, and returns false.
func (b *Resource) MakesNamed(object NamedObject, diags *diag.Diagnostics) bool {
	made := b.Planned.Makes(object.Managed())
	if !made {
		diags.AddAttributeError(path.Root("name"), object.secondText(), object.secondDetail())
	}
	return made
}

// A NamedObject is an object with its own name on an instance. It is zero if it is
// unknown.
type NamedObject struct {
	Kind       string // "app"
	What       string // "app web"
	InstanceID string
}

// Managed returns the object for the process's record of planned objects.
func (o NamedObject) Managed() ManagedObject {
	if o == (NamedObject{}) {
		return ManagedObject{}
	}
	return ManagedObject{o.Kind, o.InstanceID + "/" + o.What}
}

func (o NamedObject) secondText() string {
	return "Two resources manage " + o.What + " of instance " + o.InstanceID
}

func (o NamedObject) secondDetail() string {
	return fmt.Sprintf("The configuration has another resource for the same %s. An instance has one %s of that name, so only one of the resources can manage it. "+
		"Remove one of them, or change its name or instance_id.", o.Kind, o.Kind)
}

// notePlanned writes the note that the second call reads.
func notePlanned(ctx context.Context, private PrivateWriter, diags *diag.Diagnostics) {
	SavePrivate(ctx, private, PlannedKey, true, diags)
}
