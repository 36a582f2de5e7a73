package base

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// CheckEngineOn checks that the instance of a resource has the engine that the resource
// belongs to. It is called for a resource that the plan creates or changes, and for one
// that is protected. The parameter what is the resource's name in messages, such as
// "database". If the instance's own plan lacks the engine, this is an error. It is only a
// warning if the plan creates the instance, which then has no id, or if only a record is
// known, which may change before the apply. CheckEngineOn sends no request.
func (b *Resource) CheckEngineOn(engine, what string, instanceID types.String, diags *diag.Diagnostics) {
	at, summary, id := path.Root("instance_id"), "The engine "+engine+" is off", instanceID.ValueString()
	if instanceID.IsUnknown() {
		if instance, planned := b.Planned.CreatedInstance(); planned && instance.Lacks(engine) {
			diags.AddAttributeWarning(at, summary,
				fmt.Sprintf("The %s engine is needed for the %s, but no instance that the plan creates has it. Add %[1]s = {} to the engines of the instance.", engine, what))
		}
		return
	}
	if instance, planned := b.Planned.Instance(id); planned {
		if instance.Lacks(engine) {
			diags.AddAttributeError(at, summary,
				fmt.Sprintf("The %s engine is needed for the %s, but the plan leaves it off on instance %s. Add %[1]s = {} to the engines of the instance.", engine, what, id))
		}
		return
	}
	if b.Client == nil || b.Planned.HasApplied() {
		return // the record may be older than the changes of this apply
	}
	if instance, seen := b.Client.SeenInstance(id); seen && instance.Lacks(engine) {
		diags.AddAttributeWarning(at, summary,
			fmt.Sprintf("The %s engine is needed for the %s, but it is currently off on instance %s. Ignore this warning if the engine is turned on first.", engine, what, id))
	}
}
