package base

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/privatestate"
)

// All imports share these rules. An object that does not exist is refused here, because
// Terraform's own error would say neither what is missing nor what to do. All other
// errors are left to the next read.

const (
	// NothingToImport is the summary of an import of a missing object.
	NothingToImport = "There is nothing to import"
	// OtherName is the advice for a name that the service does not know.
	OtherName = "Correct the name, or remove the import to create it."
)

// An ImportID is the form of a type's import IDs.
type ImportID struct {
	What   string   // description in errors
	Sample string   // example, with slashes between the parts
	Names  []string // names of the parts
}

// ImportByInstance is the import id of an object that an instance has once: the
// instance's id. name is the attribute that it sets.
func ImportByInstance(name string) ImportID {
	return ImportID{"the instance's id", "i-4f2a", []string{name}}
}

// ImportNamed imports by an id or by an identity, and returns the parts. An id consists
// of the named parts, separated by slashes. ImportNamed also marks the object as
// imported. It returns false if it refuses.
func (b *Resource) ImportNamed(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse, form ImportID) ([]string, bool) {
	if !RequireClient(b.Client, &resp.Diagnostics) {
		return nil, false
	}
	var parts []string
	if req.ID != "" || req.Identity == nil || req.Identity.Raw.IsFullyNull() {
		parts = form.split(req.ID, &resp.Diagnostics)
	} else {
		parts = splitIdentity(func(name string) (value types.String) {
			resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root(name), &value)...)
			return value
		}, &resp.Diagnostics, form.Names...)
	}
	for i, part := range parts {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(form.Names[i]), part)...)
	}
	privatestate.Save(ctx, resp.Private, privatestate.ImportedKey, true, &resp.Diagnostics)
	return parts, !resp.Diagnostics.HasError()
}

// split splits an import ID into its named parts.
func (f ImportID) split(id string, diags *diag.Diagnostics) []string {
	parts := strings.Split(id, "/")
	if len(parts) != len(f.Names) || slices.Contains(parts, "") {
		diags.AddError("Invalid import ID", fmt.Sprintf("The import ID is %s, such as %s, not %q.", f.What, f.Sample, shownID(id)))
		return nil
	}
	return parts
}

// shownID returns an id as an error shows it. Of a URL, what follows the host may be secret.
func shownID(id string) string {
	if strings.Contains(id, "://") {
		return client.ShownURL(id)
	}
	return id
}

// splitIdentity returns the value of each name in an identity. It refuses values that are
// empty or contain a slash: no id or name is like that, and a slash would request a
// different object.
func splitIdentity(value func(name string) types.String, diags *diag.Diagnostics, names ...string) []string {
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = value(name).ValueString()
		if parts[i] == "" || strings.Contains(parts[i], "/") {
			diags.AddError("Invalid import identity", fmt.Sprintf("%s of the identity must not be empty or contain a slash; it is %q.", name, shownID(parts[i])))
			return nil
		}
	}
	return parts
}

// RequireInstance refuses an import if its instance does not exist or is being deleted,
// because a plan would create the object again. It returns false if it refuses.
func (b *Resource) RequireInstance(ctx context.Context, attribute, id string, diags *diag.Diagnostics) bool {
	instance, err := b.Client.RefreshInstance(ctx, id)
	switch {
	case errors.Is(err, client.ErrNotFound):
		if named := b.instancesNamed(ctx, id); len(named) > 0 {
			addNameForID(diags, attribute, id, named)
		} else {
			diagnostics.AddNoInstance(diags, attribute, id)
		}
		return false
	case err == nil && instance.Status == client.StatusDeleting:
		diags.AddAttributeError(path.Root(attribute), NothingToImport, "Instance "+id+" is being deleted, with all that is on it. Remove the import.")
		return false
	}
	return true
}

// addNameForID reports that an instance's name was used in place of its id.
func addNameForID(diags *diag.Diagnostics, attribute, name string, ids []string) {
	diags.AddAttributeError(path.Root(attribute), "Unknown instance", fmt.Sprintf("%s is an instance's name; its id is %s.", name, strings.Join(ids, " or ")))
}

// instancesNamed returns the ids of the instances with a name, because users may pass it
// as an id.
func (b *Resource) instancesNamed(ctx context.Context, name string) []string {
	instances, err := b.Client.Instances(ctx)
	if err != nil {
		return nil
	}
	return diagnostics.IdsOf(slices.DeleteFunc(instances, func(i client.Instance) bool { return i.Name.Value != name }), client.Instance.Identifier)
}
