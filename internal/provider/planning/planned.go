// Package planning records what one process has planned and created. It finds two resources
// that manage one object, and tells the plan of one resource what others will be.
package planning

import (
	"maps"
	"sync"

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
	managers map[Object]managers
	// made are the objects that this process creates. The value is true once it has done
	// so.
	made map[Object]bool
	// instances are the instances planned so far, by id, with the engines that will be
	// on.
	instances map[string]Instance
	// created are the planned instances that do not exist yet and have no id.
	created []Instance
	// applied is true if something was created, changed or destroyed. No plan does that,
	// so this process applies.
	applied bool
}

// An Instance is an instance as its plan makes it.
type Instance struct {
	Plan    string           // "" if unknown
	Engines map[string]int64 // budgets in MB, 0 if unknown; nil if it is unknown which are on
}

func (i Instance) equal(other Instance) bool {
	return i.Plan == other.Plan && (i.Engines == nil) == (other.Engines == nil) && maps.Equal(i.Engines, other.Engines)
}

// Lacks reports whether an engine is planned to be off.
func (i Instance) Lacks(engine string) bool {
	_, on := i.Engines[engine]
	return i.Engines != nil && !on
}

// An Object identifies an object that two resources could manage: by mistake, or one after
// the other.
type Object struct{ Kind, Key string }

// managers summarizes the resources that will manage an object. It cannot distinguish
// them, because Terraform may plan one more than once.
type managers struct {
	new       int  // number of plans of resources that are not in the state
	stays     bool // one in the state keeps the object
	destroyed bool // one in the state destroys the object
	// takers are the resources in the state that will take the object over, by their
	// current object.
	takers map[Object]bool
}

// kept reports whether a resource that is in the state already will manage the object.
func (m managers) kept() bool { return m.stays || len(m.takers) > 0 }

// A Conflict describes the other resources of a plan that manage the same object.
type Conflict int

const (
	// NoConflict means that no other resource manages the object.
	NoConflict Conflict = iota
	// TwoNew means that two resources create the object, or that one is planned twice.
	TwoNew
	// KeptAndNew means that one resource is in the state, and another is created.
	KeptAndNew
	// KeptAndDestroyed means that one resource in the state keeps the object, and another one
	// is destroyed.
	KeptAndDestroyed
)

// New returns the record of a process that has planned nothing yet.
func New() *Planned {
	return &Planned{managers: map[Object]managers{}, made: map[Object]bool{}, instances: map[string]Instance{}}
}

// NoteApply notes that this process applies.
func (p *Planned) NoteApply() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.applied = true
}

// HasApplied reports whether this process is certainly applying.
func (p *Planned) HasApplied() bool {
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
	noted := Instance{Plan: plan, Engines: engines}
	if id.IsUnknown() {
		p.created = append(p.created, noted)
		return
	}
	p.instances[id.ValueString()] = noted
}

// CreatedInstance returns the instance that this process has planned to create. The second
// result is false if there is none, or if several differ, because an unknown id does not
// say which of them it belongs to.
func (p *Planned) CreatedInstance() (Instance, bool) {
	if p == nil {
		return Instance{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.created) == 0 {
		return Instance{}, false
	}
	first := p.created[0]
	for _, other := range p.created[1:] {
		if !other.equal(first) {
			return Instance{}, false
		}
	}
	return first, true
}

// Instance returns an instance as planned. It returns false if this process has not
// planned it.
func (p *Planned) Instance(id string) (Instance, bool) {
	if p == nil {
		return Instance{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	instance, ok := p.instances[id]
	return instance, ok
}

// Keeps notes that a resource in the state manages an object, and continues to do so.
func (p *Planned) Keeps(object Object) Conflict {
	return p.manage(object, func(m *managers) { m.stays = true })
}

// Takes notes that a resource in the state will manage an object instead of its current
// one.
func (p *Planned) Takes(object, now Object) Conflict {
	return p.manage(object, func(m *managers) {
		if m.takers == nil {
			m.takers = map[Object]bool{}
		}
		m.takers[now] = true
	})
}

// Destroys notes that a resource and its object will be destroyed. A resource that is
// created in its place does not conflict with it.
func (p *Planned) Destroys(object Object) Conflict {
	if c := p.manage(object, func(m *managers) { m.destroyed = true }); c == KeptAndDestroyed {
		return c
	}
	return NoConflict
}

// Adds notes that a resource that manages an object will be created.
func (p *Planned) Adds(object Object) Conflict {
	return p.manage(object, func(m *managers) { m.new++ })
}

// Forgets undoes Keeps and Takes: a resource has left the state, because its object is
// gone.
func (p *Planned) Forgets(objects ...Object) {
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

func (p *Planned) manage(object Object, note func(*managers)) Conflict {
	if p == nil || object == (Object{}) {
		return NoConflict
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.managers[object]
	note(&m)
	p.managers[object] = m
	switch {
	case m.stays && m.destroyed:
		return KeptAndDestroyed
	case m.kept() && m.new > 0:
		return KeptAndNew
	case m.new > 1:
		return TwoNew
	}
	return NoConflict
}

// Makes notes that a resource is about to create an object. It returns false if another
// resource of this process has begun to create it.
func (p *Planned) Makes(object Object) bool {
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
func (p *Planned) HasMade(object Object) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.made[object] = true
}

// FailsToMake undoes Makes.
func (p *Planned) FailsToMake(object Object) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.made, object)
}

// IsMadeAnew reports whether this process has created an object that it is about to
// delete. If so, another resource manages the object now, and the deletion would undo
// that: with create_before_destroy the successor, or a resource at a different address.
// It is called in the instance's turn, because a creation that is still in progress may
// fail.
func (p *Planned) IsMadeAnew(object Object) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.made[object]
}
