package provider

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// A script whose answer was lost may have run or not, and it is never sent again unasked.
// A person decides, by a command that changes the state:
//
//   - The creation of a script ends with an error and a state, so it is tainted.
//     `terraform untaint` says that the script ran. Terraform hands no private state to the
//     deletion of a tainted object that is replaced, so the state itself says that the
//     outcome is unknown; see withUnknownOutcome.
//   - The update of a script leaves the state as it was, with a note in private state. A
//     refresh then shows the new script, and `terraform apply -refresh-only` accepts that.
//   - `terraform state rm` has the script run again, as a new one.

// withUnknownOutcome is a script whose creation has an unknown outcome, as the state has
// it: with both sql and sql_wo_version, of which a configuration has one. The other one is
// empty or 0.
func (m postgresScriptModel) withUnknownOutcome() postgresScriptModel {
	if m.SQL.IsNull() {
		m.SQL = types.StringValue("")
	} else {
		m.SQLWOVersion = types.Int64Value(0)
	}
	return m
}

// hasUnknownOutcome reports whether a state is one of withUnknownOutcome.
func (m postgresScriptModel) hasUnknownOutcome() bool {
	return !m.SQL.IsNull() && !m.SQLWOVersion.IsNull()
}

// An unknownUpdate is a script that was sent by an update and of which nobody knows whether
// it ran, as private state notes it.
type unknownUpdate struct {
	SQL          *string `json:"sql,omitempty"`
	SQLWOVersion *int64  `json:"sql_wo_version,omitempty"`
	// Shown is set once a refresh has put the script into the state. The next refresh finds
	// it there only if that was accepted.
	Shown bool `json:"shown,omitempty"`
}

const unknownUpdateKey = "unknown_update"

// isLost reports whether an error leaves open if a script ran.
func isLost(err error) bool {
	var unknown *client.OutcomeError
	return errors.As(err, &unknown)
}

// refresh returns what a refresh makes of the script of a state and of the note; nil is no
// note any more.
func (u unknownUpdate) refresh(m postgresScriptModel) (postgresScriptModel, *unknownUpdate) {
	sql, version := types.StringPointerValue(u.SQL), types.Int64PointerValue(u.SQLWOVersion)
	if u.Shown && m.SQL.Equal(sql) && m.SQLWOVersion.Equal(version) {
		return m, nil
	}
	m.SQL, m.SQLWOVersion, u.Shown = sql, version, true
	return m, &u
}

// noteUnknownUpdate keeps a note in private state; nil is none.
func noteUnknownUpdate(ctx context.Context, private privateWriter, u *unknownUpdate, diags *diag.Diagnostics) {
	if u == nil {
		diags.Append(private.SetKey(ctx, unknownUpdateKey, nil)...)
		return
	}
	savePrivate(ctx, private, unknownUpdateKey, u, diags)
}

// refuseUnknown says that nothing is sent while nobody knows whether a script ran, and
// both ways out: accept is the command that says that it ran. cause is the error that left
// it open, nil later.
func refuseUnknown(m postgresScriptModel, accept string, cause error, diags *diag.Diagnostics) {
	lost := "The answer of the service was lost."
	if cause != nil {
		lost = sentence(cause.Error())
	}
	diags.AddError("It is unknown whether the script ran on instance "+m.InstanceID.ValueString(),
		lost+" Check whether its statements took effect.\n\n"+
			"If they did, say so with this command, with the resource's address for ADDRESS, and then apply:\n\n"+accept+"\n\n"+
			"If they did not, or to run them again, remove the resource from the state, and then apply:\n\nterraform state rm ADDRESS\n\n"+
			"A script is never sent again unasked.")
}

const (
	acceptCreation = "terraform untaint ADDRESS"
	acceptUpdate   = "terraform apply -refresh-only -target=ADDRESS"
)
