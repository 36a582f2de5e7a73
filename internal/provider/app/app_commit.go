package app

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

// shortCommit is the minimum length of an abbreviated commit hash, which is the length
// that git prints.
const shortCommit = 7

// isCommit reports whether two hashes are of the same commit. Either may be abbreviated: the
// one in a configuration, and the one in a record.
func isCommit(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	return a == b || min(len(a), len(b)) >= shortCommit && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

// asksForAnotherCommit reports whether a plan asks for a different commit than the deployed
// one. If the service does not report the commit, it returns false.
func (m *appModel) asksForAnotherCommit(there appModel) bool {
	asked, deployed := m.DeployCommit.ValueString(), there.Commit.ValueString()
	return asked != "" && deployed != "" && !isCommit(deployed, asked)
}

// warnOfAnotherCommit warns that a plan builds the app only because its deployed commit
// is a different one.
func (m *appModel) warnOfAnotherCommit(state appModel, diags *diag.Diagnostics) {
	if !m.DeployCommit.Equal(state.DeployCommit) || !m.asksForAnotherCommit(state) {
		return
	}
	diags.AddAttributeWarning(path.Root("deploy_commit"), "App "+m.Name.ValueString()+" runs another commit",
		fmt.Sprintf("Commit %s is deployed, and not commit %s that was asked for. Applying the plan builds the newest commit of branch %s and deploys it.",
			state.Commit.ValueString(), m.DeployCommit.ValueString(), m.Branch.ValueString()))
}

// An OtherCommitError reports that an app was built and runs, but from a different commit
// than the plan asks for.
type OtherCommitError struct{ App, Branch, Asked, Deployed string }

func (e *OtherCommitError) Error() string {
	return fmt.Sprintf("app %s runs commit %s, and not commit %s that deploy_commit asks for", e.App, e.Deployed, e.Asked)
}

// NextStep says what to do about it.
func (e *OtherCommitError) NextStep() string {
	return fmt.Sprintf("The service builds the newest commit of branch %s, and no other. Push the commit that is to run, or set deploy_commit to %s, then apply again.", e.Branch, e.Deployed)
}

// refuseAnother returns an error if the deployed commit is not the planned one.
func (m *appModel) refuseAnother(deployed appModel) error {
	if !m.asksForAnotherCommit(deployed) {
		return nil
	}
	return &OtherCommitError{m.Name.ValueString(), m.Branch.ValueString(), m.DeployCommit.ValueString(), deployed.Commit.ValueString()}
}
