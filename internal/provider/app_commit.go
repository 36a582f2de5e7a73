package provider

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

// shortCommit is how many characters of a commit's hash name it, as git shows them.
const shortCommit = 7

// isCommit tells whether a commit is the one that is asked for, by its hash or the
// first characters of it.
func isCommit(commit, asked string) bool {
	commit, asked = strings.ToLower(commit), strings.ToLower(asked)
	return commit == asked || len(asked) >= shortCommit && strings.HasPrefix(commit, asked)
}

// asksForAnother tells whether a plan asks for another commit than the one that is
// deployed. A service that does not tell the commit is not doubted.
func (m *appModel) asksForAnother(there appModel) bool {
	asked, deployed := m.DeployCommit.ValueString(), there.Commit.ValueString()
	return asked != "" && deployed != "" && !isCommit(deployed, asked)
}

// warnOfAnotherCommit says why a plan builds an app whose configuration is as it was.
func (m *appModel) warnOfAnotherCommit(state appModel, diags *diag.Diagnostics) {
	if !m.DeployCommit.Equal(state.DeployCommit) || !m.asksForAnother(state) {
		return
	}
	diags.AddAttributeWarning(path.Root("deploy_commit"), "App "+m.Name.ValueString()+" runs another commit",
		fmt.Sprintf("Commit %s is deployed, and not commit %s that was asked for. Applying the plan builds the newest commit of branch %s and deploys it.",
			state.Commit.ValueString(), m.DeployCommit.ValueString(), m.Branch.ValueString()))
}

// An otherCommitError tells that an app was built and runs, of another commit than was
// asked for.
type otherCommitError struct{ App, Branch, Asked, Deployed string }

func (e *otherCommitError) Error() string {
	return fmt.Sprintf("app %s runs commit %s, and not commit %s that deploy_commit asks for", e.App, e.Deployed, e.Asked)
}

func (e *otherCommitError) nextText() string {
	return fmt.Sprintf("The service builds the newest commit of branch %s, and no other. Push the commit that is to run, or set deploy_commit to %s, then apply again.", e.Branch, e.Deployed)
}

// refuseAnother is an error when another commit was deployed than is planned.
func (m *appModel) refuseAnother(deployed appModel) error {
	if !m.asksForAnother(deployed) {
		return nil
	}
	return &otherCommitError{m.Name.ValueString(), m.Branch.ValueString(), m.DeployCommit.ValueString(), deployed.Commit.ValueString()}
}
