package base

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/privatestate"
)

// This file has the common parts of the resources that belong to an instance.

// InstanceIDAttribute returns the argument instance_id. lost, if not empty, says in the
// description what a replacement deletes.
func InstanceIDAttribute(lost string) schema.StringAttribute {
	description := "The instance's id. A change replaces the resource"
	if lost != "" {
		description += ": **" + lost + "**"
	}
	return ReplacingName(description + ".")
}

// ReplacingName returns a required, non-empty string attribute. A change of it replaces
// the resource (Resource.PlanReplacement).
func ReplacingName(description string) schema.StringAttribute {
	return schema.StringAttribute{
		Required:            true,
		MarkdownDescription: description,
		Validators:          []validator.String{attributes.PathElement()},
	}
}

// RemoveGone removes from the state a resource that the service no longer knows, and adds
// a warning. The resource stays if ConfirmsGone cannot confirm that, for example because
// the account is a different one.
func (b *Resource) RemoveGone(ctx context.Context, private privatestate.Reader, state *tfsdk.State, o AbsentObject, diags *diag.Diagnostics) {
	if !b.ConfirmsGone(ctx, private, o, diags) {
		return
	}
	diags.AddWarning(o.What+" is gone",
		"The service does not know it any more, so it was removed from the state. If it is still in the configuration, the next apply creates it again.")
	state.RemoveResource(ctx)
}

// RefusesChanges reports whether a change was refused because the instance, or its
// deletion, has failed. In both cases the record has that status and no job. It is read
// again later, because the first read may be old.
func (b *Resource) RefusesChanges(ctx context.Context, instanceID string, refusal error) bool {
	if !client.Refused(refusal) {
		return false
	}
	failed := func() bool {
		instance, err := b.Client.Instance(ctx, instanceID)
		return err == nil && instance.JobID == "" && (instance.Status == client.StatusFailed || instance.Status == client.StatusDeleting)
	}
	return failed() && lifetime.Pause(ctx, b.Client.ReadLag()) == nil && failed()
}

// AddDeletionError reports why something on an instance was not deleted. If the instance
// refuses every change, the error explains how to delete the whole instance.
func (b *Resource) AddDeletionError(ctx context.Context, instanceID, summary string, err error, diags *diag.Diagnostics) {
	if !b.RefusesChanges(ctx, instanceID, err) {
		diagnostics.AddClientError(diags, summary, err)
		return
	}
	diags.AddError(summary, diagnostics.Sentence(err.Error())+"\n\nThe instance has failed, or its deletion has, so it accepts no change: only the whole instance can be deleted. "+
		"To do that, remove from the state what is on it, as it goes with the instance, and apply again. This command deletes nothing at the service:\n\nterraform state rm ADDRESS\n\n"+
		"If you repair the instance instead, apply again after that.")
}

// ChildIdentity identifies a named object on an instance.
type ChildIdentity struct {
	InstanceID types.String `tfsdk:"instance_id"`
	Name       types.String `tfsdk:"name"`
}
