package base

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/planning"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/privatestate"
)

// PlanManaged notes the object that a resource manages before and after the plan, and
// returns the conflict with other resources of the plan. Either is the zero planning.Object
// if there is none, or if it is unknown.
//
// Terraform plans a replacement in two calls, whether the provider or -replace causes it.
// The second call has no prior state, like a creation, but it has the private state that
// the first one planned. A tainted resource is planned without either. A note that is
// left in a state is ignored, because a call with a prior state is the first one.
func (b *Resource) PlanManaged(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse, before, after planning.Object) planning.Conflict {
	kept := !req.State.Raw.IsNull()
	if req.Plan.Raw.IsNull() {
		return b.Planned.Destroys(before)
	}
	if kept {
		notePlanned(ctx, resp.Private, &resp.Diagnostics)
	}
	_, replaces := privatestate.Load[bool](ctx, req.Private, privatestate.PlannedKey, &resp.Diagnostics)
	switch {
	case kept && before == after:
		return b.Planned.Keeps(after)
	case kept:
		return b.Planned.Takes(after, before)
	case replaces:
		return planning.NoConflict // the first call has noted it
	}
	return b.Planned.Adds(after)
}

// AddConflict reports that two resources of the configuration manage one object. If both
// are created, the plan only warns, because it cannot distinguish that from one resource
// that is planned twice. The apply refuses the second creation. An object that is in the
// state twice is kept and destroyed after a rename without a moved block, if its first
// address could not be destroyed.
func AddConflict(c planning.Conflict, diags *diag.Diagnostics, at path.Path, summary, text string) {
	switch c {
	case planning.KeptAndNew:
		diags.AddAttributeError(at, summary, text)
	case planning.KeptAndDestroyed:
		diags.AddAttributeError(at, "The plan destroys what another resource keeps",
			summary+", and both are in the state. Destroying one of them would also undo the other. "+
				"Remove the one that the plan destroys from the state. This command deletes nothing at the service:\n\nterraform state rm ADDRESS\n\n"+
				"If the plan destroys a deposed object, remove its resource from the state in the same way, and import it again.")
	case planning.TwoNew:
		diags.AddAttributeWarning(at, summary, text)
	}
}

// PlanLeft notes that a resource destroys its current object if the plan gives it another
// one, and returns the conflict with a resource that keeps that object. It is for objects
// that cannot become another one without a replacement.
func (b *Resource) PlanLeft(before, after planning.Object) planning.Conflict {
	if before == after {
		return planning.NoConflict
	}
	return b.Planned.Destroys(before)
}

// PlanIdentified reports another resource in the state for the same object. Objects that
// have their own id are compared by it. destroys reports whether the plan destroys or
// replaces the object.
func (b *Resource) PlanIdentified(resp *resource.ModifyPlanResponse, object planning.Object, destroys bool) {
	note := b.Planned.Keeps
	if destroys {
		note = b.Planned.Destroys
	}
	AddConflict(note(object), &resp.Diagnostics, path.Root("id"), "Two resources manage "+object.Kind+" "+object.Key, "")
}

// PlanNamed reports another resource of the plan for the same object, which has its own
// name. before is the object in the state, and after the one in the plan.
func (b *Resource) PlanNamed(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse, before, after NamedObject) {
	of, conflict := after, b.PlanManaged(ctx, req, resp, before.Managed(), after.Managed())
	if left := b.PlanLeft(before.Managed(), after.Managed()); left != planning.NoConflict {
		of, conflict = before, left
	}
	AddConflict(conflict, &resp.Diagnostics, path.Root("name"), of.secondText(), of.secondDetail())
}

// PlanReplacedInPlace is PlanNamed for a plan that replaces an object by one with the same
// name.
func (b *Resource) PlanReplacedInPlace(ctx context.Context, resp *resource.ModifyPlanResponse, object NamedObject) {
	notePlanned(ctx, resp.Private, &resp.Diagnostics)
	conflict := b.Planned.Takes(object.Managed(), object.Managed())
	if left := b.Planned.Destroys(object.Managed()); left != planning.NoConflict {
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
func (o NamedObject) Managed() planning.Object {
	if o == (NamedObject{}) {
		return planning.Object{}
	}
	return planning.Object{Kind: o.Kind, Key: o.InstanceID + "/" + o.What}
}

func (o NamedObject) secondText() string {
	return "Two resources manage " + o.What + " of instance " + o.InstanceID
}

func (o NamedObject) secondDetail() string {
	return fmt.Sprintf("The configuration has another resource for the same %s. An instance has one %s of that name, so only one of the resources can manage it. "+
		"Remove one of them, or change its name or instance_id.", o.Kind, o.Kind)
}

// notePlanned writes the note that the second call reads.
func notePlanned(ctx context.Context, private privatestate.Writer, diags *diag.Diagnostics) {
	privatestate.Save(ctx, private, privatestate.PlannedKey, true, diags)
}
