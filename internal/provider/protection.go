package provider

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// A protectedObject describes an object with deletion_protection in errors.
type protectedObject struct {
	Title    string `json:"title"`     // "Instance shop"
	Name     string `json:"name"`      // "Instance i-1"
	ImportID string `json:"import_id"` // "i-1"
}

// refuse adds the error for a plan that would replace the object.
func (o protectedObject) refuse(diags *diag.Diagnostics, at path.Path) {
	diags.AddAttributeError(at, o.Title+" is protected from deletion",
		fmt.Sprintf("%s has deletion_protection = true in the state, and replacing it would delete its data. "+
			"To go ahead, set deletion_protection = false, apply that alone, and then apply the replacement.", o.Name))
}

// refuseDestruction adds the error for a plan or an apply that would destroy the object.
// Its block may already be deleted, and the object may be tainted or deposed. The error
// says how to lift the protection in each case.
func (o protectedObject) refuseDestruction(diags *diag.Diagnostics, at path.Path) {
	diags.AddAttributeError(at, o.Title+" is protected from deletion",
		fmt.Sprintf("%s (%s) is protected. Set deletion_protection = false, apply, then destroy. "+
			"Deleted the block? Put it back first. Renamed it? Add a moved block.\n\n"+
			"Tainted? Run terraform untaint first. Deposed? See \"Take back a deposed object\" in the guide \"Protecting and destroying\".", o.Title, o.ImportID))
}

// isProtected reports whether the value of deletion_protection in a state protects the
// object. Null also protects: such an object was never read.
func isProtected(value types.Bool) bool { return value.IsNull() || value.ValueBool() }

// protectAtOnce saves a protection that an update turns on. This needs no request, so the
// protection stays even if the rest of the update fails.
func protectAtOnce(ctx context.Context, prior, planned types.Bool, state *tfsdk.State, diags *diag.Diagnostics) {
	if !isProtected(prior) && planned.ValueBool() {
		diags.Append(state.SetAttribute(ctx, path.Root("deletion_protection"), planned)...)
	}
}

// protectionDuring returns the deletion_protection of an object during an update. A
// protection that the plan lifts stays until everything else is done.
func protectionDuring(prior, planned types.Bool) types.Bool {
	if planned.ValueBool() {
		return planned
	}
	return prior
}

// A deletion describes the deletion of a protectedObject.
type deletion struct {
	instanceID string
	timeout    time.Duration
	operation  string // of the job
	object     protectedObject
	// isProtected checks the protection again, right before each request.
	isProtected func(context.Context, *client.Turn) (bool, error)
	send        func(context.Context, *client.Turn, client.Permit) (client.Pending, error)
}

// errProtected ends the deletion of a protected object.
var errProtected = errors.New("it is protected")

// delete deletes an object. If the object is protected, delete reports that in diags and
// returns nil.
func (b *resourceBase) delete(ctx context.Context, d deletion, diags *diag.Diagnostics) error {
	err := inTurn(ctx, b.client, d.instanceID, d.timeout, func(ctx context.Context, turn *client.Turn) error {
		permit := func(ctx context.Context) error {
			protected, err := d.isProtected(ctx, turn)
			if err == nil && protected {
				return errProtected
			}
			return err
		}
		return turn.Do(ctx, d.operation, func(ctx context.Context) (client.Pending, error) { return d.send(ctx, turn, permit) })
	})
	if errors.Is(err, errProtected) {
		d.object.refuseDestruction(diags, path.Root("deletion_protection"))
		return nil
	}
	return err
}

// unlessGone returns nil for an error that says that the object to delete is not found,
// and every other error as it is. The deletion itself confirms the absence.
func unlessGone(err error) error {
	if errors.Is(err, client.ErrNotFound) {
		return nil
	}
	return err
}

// protectedKey is the key of the note in planned private state that an object is
// protected.
//
// Terraform plans a replacement that the provider did not request (-replace,
// replace_triggered_by) in two calls. The first has the prior state and looks like a plan
// without a replacement. The second has no prior state and looks like a creation, but it
// has the private state that the first call planned. The note therefore lets the second
// call refuse the plan. For a tainted object, neither call has the state or private
// state, so only Delete can refuse.
const protectedKey = "protected"

// noteProtection writes the note for the second call, or removes it if the object is not
// protected.
func noteProtection(ctx context.Context, private privateWriter, o protectedObject, protected bool, diags *diag.Diagnostics) {
	if protected {
		savePrivate(ctx, private, protectedKey, o, diags)
	} else {
		forgetProtection(ctx, private, diags)
	}
}

// forgetProtection removes the note, so that it is not saved with the state.
func forgetProtection(ctx context.Context, private privateWriter, diags *diag.Diagnostics) {
	diags.Append(private.SetKey(ctx, protectedKey, nil)...)
}

// refuseReplacement refuses a plan without a prior state that nevertheless replaces a
// protected object.
func refuseReplacement(ctx context.Context, private privateReader, diags *diag.Diagnostics) {
	if o, replaces := loadPrivate[protectedObject](ctx, private, protectedKey, diags); replaces {
		o.refuse(diags, path.Root("deletion_protection"))
	}
}

// replacesKnown replaces the resource if a known value changes. If the state has no
// value, because the record of an imported object did not contain it, a new value does
// not replace a running object.
func replacesKnown() planmodifier.String {
	const description = "a change of a known value replaces the resource"
	return stringplanmodifier.RequiresReplaceIf(func(_ context.Context, req planmodifier.StringRequest, resp *stringplanmodifier.RequiresReplaceIfFuncResponse) {
		resp.RequiresReplace = !req.StateValue.IsNull()
	}, description, description)
}
