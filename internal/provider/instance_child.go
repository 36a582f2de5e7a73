package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
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

// removeGone drops a resource that the service does not know any more from the
// state, and says so.
func removeGone(ctx context.Context, state *tfsdk.State, diags *diag.Diagnostics, what string) {
	diags.AddWarning(what+" is gone",
		"The service does not know it any more, so it was removed from the state. If it is still in the configuration, the next apply creates it again.")
	state.RemoveResource(ctx)
}

// childIdentity identifies something that has a name on its instance.
type childIdentity struct {
	InstanceID types.String `tfsdk:"instance_id"`
	Name       types.String `tfsdk:"name"`
}

// importChild imports by instance_id/name, or by identity.
func (b *resourceBase) importChild(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	b.importNamed(ctx, req, resp, "instance_id", "name")
}

// importNamed imports by a composite id of the named parts, or by an identity of
// the same.
func (b *resourceBase) importNamed(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse, names ...string) {
	if !requireClient(b.client, &resp.Diagnostics) {
		return
	}
	defer b.requireInstance(ctx, "instance_id", resp)
	if req.ID != "" {
		for name, value := range splitImportID(req.ID, &resp.Diagnostics, names...) {
			resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), value)...)
		}
		return
	}
	for _, name := range names {
		var value types.String
		resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root(name), &value)...)
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), value)...)
	}
}

// requireInstance refuses to import what is on an instance that there is not, or that
// instance itself: Terraform's own error would say neither where ids come from nor how
// to find one. Any other trouble is the next read's to report.
func (b *resourceBase) requireInstance(ctx context.Context, attribute string, resp *resource.ImportStateResponse) {
	var id types.String
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.GetAttribute(ctx, path.Root(attribute), &id)...)
	if _, err := b.client.RefreshInstance(ctx, id.ValueString()); errors.Is(err, client.ErrNotFound) {
		addNoInstance(&resp.Diagnostics, attribute, id.ValueString())
	}
}

// splitImportID splits a composite import id into its named parts.
func splitImportID(id string, diags *diag.Diagnostics, names ...string) map[string]string {
	parts := strings.Split(id, "/")
	values := map[string]string{}
	for i, name := range names {
		if len(parts) != len(names) || parts[i] == "" {
			diags.AddError("Invalid import ID", fmt.Sprintf("The import ID must have the form %s, not %q.", strings.Join(names, "/"), id))
			return nil
		}
		values[name] = parts[i]
	}
	return values
}
