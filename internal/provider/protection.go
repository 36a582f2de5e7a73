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

// A protectedObject is something with deletion_protection as errors name it.
type protectedObject struct {
	Title    string `json:"title"`     // "Instance shop"
	Name     string `json:"name"`      // "Instance i-1"
	ImportID string `json:"import_id"` // "i-1"
}

// refuse says that a plan would replace the object.
func (o protectedObject) refuse(diags *diag.Diagnostics, at path.Path) {
	diags.AddAttributeError(at, o.Title+" is protected from deletion",
		fmt.Sprintf("%s has deletion_protection = true in the state, and replacing it would delete its data. "+
			"To go ahead, set deletion_protection = false, apply that alone, and then apply the replacement.", o.Name))
}

// refuseDestruction says that a plan or an apply would destroy the object. Its block
// may be deleted already. It may be tainted, and it may be a deposed one: nothing in a
// configuration reaches the protection of that, so the error says what does.
func (o protectedObject) refuseDestruction(diags *diag.Diagnostics, at path.Path) {
	diags.AddAttributeError(at, o.Title+" is protected from deletion",
		fmt.Sprintf("%s (%s) is protected. Set deletion_protection = false, apply, then destroy. "+
			"Deleted the block? Put it back first. Renamed it? Add a moved block.\n\n"+
			"Tainted? Run terraform untaint first. Deposed? See \"Take back a deposed object\" in the guide \"Protecting and destroying\".", o.Title, o.ImportID))
}

// isProtected tells whether a value of deletion_protection in a state protects. A
// state that does not hold it was never read, and protects too.
func isProtected(value types.Bool) bool { return value.IsNull() || value.ValueBool() }

// protectAtOnce saves a protection that an update puts on: that needs no request, so it
// stays whatever becomes of the rest.
func protectAtOnce(ctx context.Context, prior, planned types.Bool, state *tfsdk.State, diags *diag.Diagnostics) {
	if !isProtected(prior) && planned.ValueBool() {
		diags.Append(state.SetAttribute(ctx, path.Root("deletion_protection"), planned)...)
	}
}

// protectionDuring is the deletion_protection of what is being updated: the one that is
// planned is lifted only once all else is done.
func protectionDuring(prior, planned types.Bool) types.Bool {
	if planned.ValueBool() {
		return planned
	}
	return prior
}

// A deletion is that of a protectedObject.
type deletion struct {
	instanceID string
	timeout    time.Duration
	operation  string // of the job
	object     protectedObject
	// isProtected looks at the protection once more, right before each request.
	isProtected func(context.Context, *client.Turn) (bool, error)
	send        func(context.Context, *client.Turn, client.Permit) (client.Pending, error)
}

// errProtected ends a deletion of what is protected.
var errProtected = errors.New("it is protected")

// delete deletes, or refuses to in diags.
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

// unlessGone is an error of reading what is to be deleted, unless it says that
// nothing is left of it: the deletion itself confirms that.
func unlessGone(err error) error {
	if errors.Is(err, client.ErrNotFound) {
		return nil
	}
	return err
}

// protectedKey notes in the plan's private state that an object is protected.
//
// Terraform plans a replacement that the provider did not ask for (-replace,
// replace_triggered_by) in two calls: the first with the prior state, as if it
// was no replacement; the second without it, as if the object was new, but with
// the private state that the first call planned. So the second can tell. Of a
// tainted object neither call is shown anything: only Delete can refuse that.
const protectedKey = "protected"

// noteProtection leaves the note for the second call.
func noteProtection(ctx context.Context, private privateWriter, o protectedObject, protected bool, diags *diag.Diagnostics) {
	if protected {
		savePrivate(ctx, private, protectedKey, o, diags)
	} else {
		forgetProtection(ctx, private, diags)
	}
}

// forgetProtection keeps the note out of the state's own private state.
func forgetProtection(ctx context.Context, private privateWriter, diags *diag.Diagnostics) {
	diags.Append(private.SetKey(ctx, protectedKey, nil)...)
}

// refuseReplacement refuses a plan without a prior state that replaces a
// protected object all the same.
func refuseReplacement(ctx context.Context, private privateReader, diags *diag.Diagnostics) {
	if o, replaces := loadPrivate[protectedObject](ctx, private, protectedKey, diags); replaces {
		o.refuse(diags, path.Root("deletion_protection"))
	}
}

// replacesKnown replaces a resource when the value changes, unless the state does
// not hold one: a record that does not tell it, after an import, is no reason to
// destroy what runs.
func replacesKnown() planmodifier.String {
	const description = "a change of a known value replaces the resource"
	return stringplanmodifier.RequiresReplaceIf(func(_ context.Context, req planmodifier.StringRequest, resp *stringplanmodifier.RequiresReplaceIfFuncResponse) {
		resp.RequiresReplace = !req.StateValue.IsNull()
	}, description, description)
}
