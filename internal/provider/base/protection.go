package base

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/planning"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/privatestate"
)

// A ProtectedObject describes an object with deletion_protection in errors.
type ProtectedObject struct {
	Title    string `json:"title"`     // "Instance shop"
	Name     string `json:"name"`      // "Instance i-1"
	ImportID string `json:"import_id"` // "i-1"
}

// Refuse adds the error for a plan that would replace the object. why is the Replacement's.
func (o ProtectedObject) Refuse(diags *diag.Diagnostics, at path.Path, why string) {
	diags.AddAttributeError(at, o.Title+" is protected from deletion",
		fmt.Sprintf("%s%s has deletion_protection = true in the state, and replacing it would delete its data. "+
			"To go ahead, set deletion_protection = false, apply that alone, and then apply the replacement.", why, o.Name))
}

// RenamedHint ends the warning of a plan that destroys an object with data.
const RenamedHint = " If you only renamed its block, add a moved block instead."

// RefuseDestruction adds the error for a plan or an apply that would destroy the object.
// Its block may already be deleted, and the object may be tainted or deposed. The error
// says how to lift the protection in each case.
func (o ProtectedObject) RefuseDestruction(diags *diag.Diagnostics, at path.Path) {
	diags.AddAttributeError(at, o.Title+" is protected from deletion",
		fmt.Sprintf("%s (%s) is protected. Set deletion_protection = false, apply, then destroy. "+
			"Deleted the block? Put it back first. Renamed it? Add a moved block.\n\n"+
			"Tainted? Run terraform untaint first. Deposed? See \"Take back a deposed object\" in the guide \"Protecting and destroying\".", o.Title, o.ImportID))
}

// IsProtected reports whether the value of deletion_protection in a state protects the
// object. Null also protects: such an object was never read.
func IsProtected(value types.Bool) bool { return value.IsNull() || value.ValueBool() }

// ProtectAtOnce saves a protection that an update turns on. This needs no request, so the
// protection stays even if the rest of the update fails.
func ProtectAtOnce(ctx context.Context, prior, planned types.Bool, state *tfsdk.State, diags *diag.Diagnostics) {
	if !IsProtected(prior) && planned.ValueBool() {
		diags.Append(state.SetAttribute(ctx, path.Root("deletion_protection"), planned)...)
	}
}

// ProtectionDuring returns the deletion_protection of an object during an update. A
// protection that the plan lifts stays until everything else is done.
func ProtectionDuring(prior, planned types.Bool) types.Bool {
	if planned.ValueBool() {
		return planned
	}
	return prior
}

// A Deletion describes the deletion of a ProtectedObject.
type Deletion struct {
	InstanceID string
	Timeout    time.Duration
	Operation  string // of the job
	Object     ProtectedObject
	Managed    planning.Object // zero for an object with its own id
	// IsProtected checks the protection again, right before each request.
	IsProtected func(context.Context, *client.Turn) (bool, error)
	Send        func(context.Context, *client.Turn, client.DeleteGuard) (client.Pending, error)
}

// errProtected ends the deletion of a protected object.
var errProtected = errors.New("it is protected")

// DeleteObject deletes an object. If the object is protected, DeleteObject reports that
// in diags and returns nil. An object that another resource of this process has created
// stays: it is that resource's.
func (b *Resource) DeleteObject(ctx context.Context, d Deletion, diags *diag.Diagnostics) error {
	err := InTurn(ctx, b.Client, d.InstanceID, d.Timeout, func(ctx context.Context, turn *client.Turn) error {
		if b.Planned.IsMadeAnew(d.Managed) {
			return nil
		}
		guard := func(ctx context.Context) error {
			protected, err := d.IsProtected(ctx, turn)
			if err == nil && protected {
				return errProtected
			}
			return err
		}
		return turn.Do(ctx, d.Operation, func(ctx context.Context) (client.Pending, error) { return d.Send(ctx, turn, guard) })
	})
	if errors.Is(err, errProtected) {
		d.Object.RefuseDestruction(diags, path.Root("deletion_protection"))
		return nil
	}
	return err
}

// IgnoreNotFound returns nil for an error that says that the object to delete is not found,
// and every other error as it is. The deletion itself confirms the absence.
func IgnoreNotFound(err error) error {
	if errors.Is(err, client.ErrNotFound) {
		return nil
	}
	return err
}

// NoteProtection writes the note for the second call, or removes it if the object is not
// protected.
func NoteProtection(ctx context.Context, private privatestate.Writer, o ProtectedObject, protected bool, diags *diag.Diagnostics) {
	if protected {
		privatestate.Save(ctx, private, privatestate.ProtectedKey, o, diags)
	} else {
		ForgetProtection(ctx, private, diags)
	}
}

// ForgetProtection removes the note, so that it is not saved with the state.
func ForgetProtection(ctx context.Context, private privatestate.Writer, diags *diag.Diagnostics) {
	diags.Append(private.SetKey(ctx, privatestate.ProtectedKey, nil)...)
}

// RefuseReplacement refuses a plan without a prior state that nevertheless replaces a
// protected object.
func RefuseReplacement(ctx context.Context, private privatestate.Reader, diags *diag.Diagnostics) {
	if o, replaces := privatestate.Load[ProtectedObject](ctx, private, privatestate.ProtectedKey, diags); replaces {
		o.Refuse(diags, path.Root("deletion_protection"), "")
	}
}
