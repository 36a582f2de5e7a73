package base

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/privatestate"
)

// A service may keep a new object under another name than the requested one. The creation
// then ends with an error, and the state has the object under the name that it has. Terraform
// taints it, and would plan to destroy it and to create another one, which the service may
// rename again. So each plan is refused until the object is untainted. A plan does not see
// the state of a tainted object, but the refresh before it does.

// SaveKept ends the creation of an object that the service keeps under another name.
func (b *Resource) SaveKept(ctx context.Context, resp *resource.CreateResponse, summary string, kept *client.KeptNameError) {
	name := types.StringValue(kept.Kept)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("name"), name)...)
	b.SetIdentity(ctx, resp.Identity, ChildIdentity{InstanceID: types.StringValue(kept.InstanceID), Name: name}, &resp.Diagnostics)
	privatestate.Save(ctx, resp.Private, privatestate.KeptNameKey, kept.Asked, &resp.Diagnostics)
	resp.Diagnostics.AddAttributeError(path.Root("name"), summary, diagnostics.Explain(kept))
}

// NoteKept notes, in a refresh, that an object has another name than the requested one. noun
// is "app" or "database".
func (b *Resource) NoteKept(ctx context.Context, private privatestate.Reader, noun string, instanceID, name types.String, diags *diag.Diagnostics) {
	if asked, ok := privatestate.Load[string](ctx, private, privatestate.KeptNameKey, diags); ok {
		id := instanceID.ValueString()
		b.Planned.NoteKept(NamedObject{noun + " " + name.ValueString(), id}.Managed(), NamedObject{noun + " " + asked, id}.Managed())
	}
}

// RefuseKept refuses a plan without a prior state for an object that a refresh has noted.
func (b *Resource) RefuseKept(object NamedObject, diags *diag.Diagnostics) {
	kept, asked, ok := b.Planned.IsKept(object.Managed())
	if !ok {
		return
	}
	diags.AddAttributeError(path.Root("name"), "The service keeps the object under another name",
		fmt.Sprintf("An earlier apply asked for %s. The service has created it as %s on instance %s, so it is tainted. "+
			"This plan would delete it and create it again, and the service might rename it again. "+
			"To use it, write the name that it has in the configuration, untaint it, and apply again:\n\n"+
			"terraform untaint ADDRESS\n\nTo delete it, use it like this first. Then set deletion_protection = false, apply, and remove its block.", asked.Kind, kept.Kind, kept.Key))
}

// ForgetKept removes the note of an object that is not tainted.
func ForgetKept(ctx context.Context, private privatestate.Writer, diags *diag.Diagnostics) {
	diags.Append(private.SetKey(ctx, privatestate.KeptNameKey, nil)...)
}
