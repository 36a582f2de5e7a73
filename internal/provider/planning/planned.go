// Package planning records what one process has planned and created, for the plans and
// deletions of other resources of the same configuration.
package planning

import (
	"maps"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Planned records what this process has planned and created so far. A provider receives no
// other resources, but Terraform lets one process plan all those of a configuration, and
// plans an instance before the resources that refer to it.
//
// An apply plans its changes again in a new process, which has not seen the resources
// that stay the same.
type Planned struct {
	mu sync.Mutex
	// instances are the instances planned so far, by id, with the engines that will be
	// on.
	instances map[string]Instance
	// created are the planned instances that do not exist yet and have no id.
	created []Instance
	// ends reports, by id, whether the plan ends an instance: replaces or destroys it. An
	// instance that is kept has the value false.
	ends map[string]bool
	// state contains the names of the instances of the state, by id.
	state map[string]string
	// made are the objects that this process has created, or deleted: then the value is false.
	made map[Object]bool
	// unfinished are the ids, by name, of the instances that this process has created and that
	// did not run when their creation ended.
	unfinished map[string]string
	// creating are the objects that the plan creates.
	creating map[Object]bool
	// kept are the objects of the state that the service keeps under another name than the
	// one that was asked for, with the latter.
	kept map[Object]Object
	// creations are the marks of the creations of objects of the state.
	creations map[Object]string
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

// An Object identifies an object that one resource can create and another one delete.
type Object struct{ Kind, Key string }

// New returns the record of a process that has planned nothing yet.
func New() *Planned {
	return &Planned{
		instances: map[string]Instance{}, ends: map[string]bool{}, state: map[string]string{}, unfinished: map[string]string{},
		made: map[Object]bool{}, creating: map[Object]bool{},
		kept: map[Object]Object{}, creations: map[Object]string{},
	}
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

// NoteState notes that the state has an instance.
func (p *Planned) NoteState(id, name string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state[id] = name
}

// Keeps notes that the plan keeps an instance.
func (p *Planned) Keeps(id string) { p.plan(id, false) }

// Ends notes that the plan replaces or destroys an instance.
func (p *Planned) Ends(id string) { p.plan(id, true) }

func (p *Planned) plan(id string, ends bool) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ends[id] = ends
}

// ReplacesTainted notes that the plan creates an instance of a name. Terraform plans the
// replacement of a tainted instance as a creation, and does not say which one it replaces.
// It is the one of the same name that was not planned: Terraform plans each instance of the
// state.
func (p *Planned) ReplacesTainted(name string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, other := range p.state {
		if _, planned := p.ends[id]; !planned && other == name {
			p.ends[id] = true
		}
	}
}

// IsEnding reports whether the plan replaces or destroys an instance.
func (p *Planned) IsEnding(id string) bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ends[id]
}

// NoteKept notes that the service keeps an object of the state under another name than the
// one that was asked for.
func (p *Planned) NoteKept(kept, asked Object) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept[kept] = asked
}

// ForgetKept removes the note of an object that is not tainted.
func (p *Planned) ForgetKept(kept Object) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.kept, kept)
}

// IsKept reports whether an object, by either of its names, is kept under another one, and
// returns both.
func (p *Planned) IsKept(object Object) (kept, asked Object, ok bool) {
	if p == nil {
		return Object{}, Object{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for kept, asked := range p.kept {
		if kept == object || asked == object {
			return kept, asked, true
		}
	}
	return Object{}, Object{}, false
}

// HasMade notes that this process has created an object. It is called in the instance's
// turn, so that a deletion in a later turn sees the note.
func (p *Planned) HasMade(object Object) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.made[object] = true
}

// HasDropped notes that this process has deleted an object.
func (p *Planned) HasDropped(object Object) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.made[object] = false
}

// IsDropped reports whether this process has deleted an object and not created it since. Reads
// that lag may still show the object.
func (p *Planned) IsDropped(object Object) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	made, known := p.made[object]
	return known && !made
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

// LeavesUnfinished notes that the creation of an instance has ended before the instance ran.
func (p *Planned) LeavesUnfinished(id, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unfinished[name] = id
}

// Unfinished returns the id of an instance of a name that this process has created and that did
// not run then, or "".
func (p *Planned) Unfinished(name string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.unfinished[name]
}

// Creates notes that the plan creates an object.
func (p *Planned) Creates(object Object) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.creating[object] = true
}

// IsCreating reports whether the plan creates an object.
func (p *Planned) IsCreating(object Object) bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.creating[object]
}

// NoteCreation notes the mark of the creation of an object of the state, which no other
// creation has. It is "" for an object that no apply has created.
func (p *Planned) NoteCreation(object Object, mark string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.creations[object] = mark
}

// Creation returns the mark of the creation of an object, or nil if this process has neither
// created nor read it.
func (p *Planned) Creation(object Object) *string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if mark, known := p.creations[object]; known {
		return &mark
	}
	return nil
}
