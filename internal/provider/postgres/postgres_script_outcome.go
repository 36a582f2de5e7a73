package postgres

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/privatestate"
)

// If the answer to a script was lost, the script may or may not have run. The provider
// never sends it again by itself. The user decides, with a command that changes the
// state:
//
//   - After a creation, the script is in the state and tainted, because Create returns an
//     error. `terraform untaint` says that the script ran. When Terraform replaces a tainted
//     object, it passes no private state to the deletion. The state itself therefore says
//     that the outcome is unknown; see withUnknownOutcome. After `terraform untaint`, the
//     next update in place removes this mark.
//   - After an update, the state is as it was before, with a note in private state. A refresh
//     then shows the new script, and `terraform apply -refresh-only` accepts it.
//   - `terraform state rm` makes the next apply run the script again, as a new one.

// withUnknownOutcome returns the state of a script whose creation has an unknown outcome.
// The state has both sql and sql_wo_version, and a configuration has only one of them.
// The other one is empty or 0.
func (m postgresScriptModel) withUnknownOutcome() postgresScriptModel {
	if m.SQL.IsNull() {
		m.SQL = types.StringValue("")
	} else {
		m.SQLWOVersion = types.Int64Value(0)
	}
	return m
}

// hasUnknownOutcome reports whether withUnknownOutcome returned this state.
func (m postgresScriptModel) hasUnknownOutcome() bool {
	return !m.SQL.IsNull() && !m.SQLWOVersion.IsNull()
}

// An unknownUpdate is the note in private state of a script that an update sent and that
// may or may not have run.
type unknownUpdate struct {
	SQL          *string `json:"sql,omitempty"`
	SQLWOVersion *int64  `json:"sql_wo_version,omitempty"`
	// Shown is set after a refresh has put the script into the state. The next refresh
	// finds the script in the state only if the user accepted it.
	Shown bool `json:"shown,omitempty"`
}

// isLost reports whether an error leaves open whether a script ran.
func isLost(err error) bool {
	var unknown *transport.OutcomeError
	return errors.As(err, &unknown)
}

// refresh returns the refreshed script and the note to keep, which is nil if the user has
// accepted the script.
func (u unknownUpdate) refresh(m postgresScriptModel) (postgresScriptModel, *unknownUpdate) {
	sql, version := types.StringPointerValue(u.SQL), types.Int64PointerValue(u.SQLWOVersion)
	if u.Shown && m.SQL.Equal(sql) && m.SQLWOVersion.Equal(version) {
		return m, nil
	}
	m.SQL, m.SQLWOVersion, u.Shown = sql, version, true
	return m, &u
}

// noteUnknownUpdate saves a note in private state, or removes the note if u is nil.
func noteUnknownUpdate(ctx context.Context, private privatestate.Writer, u *unknownUpdate, diags *diag.Diagnostics) {
	if u == nil {
		diags.Append(private.SetKey(ctx, privatestate.UnknownUpdateKey, nil)...)
		return
	}
	privatestate.Save(ctx, private, privatestate.UnknownUpdateKey, u, diags)
}

// refuseUnknown adds the error that nothing is sent while it is unknown whether a script
// ran, with the two ways to continue. accept is the command that says that the script
// ran. It needs the block as it was: Terraform plans to destroy a script without a block
// even in a refresh, and ignore_changes keeps the mark of withUnknownOutcome. cause is the
// error that left it open, or nil in a later run.
func refuseUnknown(m postgresScriptModel, accept string, cause error, diags *diag.Diagnostics) {
	lost := "The answer of the service was lost."
	if cause != nil {
		lost = diagnostics.Sentence(cause.Error())
	}
	diags.AddError("It is unknown whether the script ran on instance "+m.InstanceID.ValueString(),
		lost+" Check whether its statements took effect.\n\n"+
			"If they did, say so with this command, with the resource's address for ADDRESS, and then apply that alone:\n\n"+accept+
			"\n\nIf you have run it already, only apply. Deleted or changed the block since? Put it back first. Does it have ignore_changes? Remove that until then. "+
			"Deposed? See \"Remove a deposed script\" in the guide \"Protecting and destroying\".\n\n"+
			"If they did not, or to run them again, remove the resource from the state, and then apply:\n\nterraform state rm ADDRESS\n\n"+
			"A script is never sent again unasked.")
}

const (
	acceptCreation = "terraform untaint ADDRESS"
	acceptUpdate   = "terraform apply -refresh-only -target=ADDRESS"
)
