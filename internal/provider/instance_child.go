package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// What the resources that belong to an instance have in common.

// instanceIDAttribute is the argument that names the instance.
func instanceIDAttribute(lost string) schema.StringAttribute {
	description := "The instance's id. A change replaces the resource"
	if lost != "" {
		description += ": **" + lost + "**"
	}
	return replacingName(description + ".")
}

// replacingName is a required, non-empty string whose change replaces the
// resource.
func replacingName(description string) schema.StringAttribute {
	return schema.StringAttribute{
		Required:            true,
		MarkdownDescription: description,
		Validators:          []validator.String{notEmpty()},
		PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
	}
}

// removeGone drops a resource that the service does not know from the state, and says
// so. It stays if the service was asked with another account.
func (b *resourceBase) removeGone(ctx context.Context, private privateReader, state *tfsdk.State, o absentObject, diags *diag.Diagnostics) {
	if !b.confirmsGone(ctx, private, o, diags) {
		return
	}
	diags.AddWarning(o.what+" is gone",
		"The service does not know it any more, so it was removed from the state. If it is still in the configuration, the next apply creates it again.")
	state.RemoveResource(ctx)
}

// childIdentity identifies something that has a name on its instance.
type childIdentity struct {
	InstanceID types.String `tfsdk:"instance_id"`
	Name       types.String `tfsdk:"name"`
}
