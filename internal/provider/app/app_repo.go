package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/privatestate"
)

// sameRepo reports whether two texts name the same repository. The code-hosting service
// ignores case, and a service may add or drop .git or a final slash.
func sameRepo(a, b string) bool { return canonicalRepo(a) == canonicalRepo(b) }

func canonicalRepo(repo string) string { return strings.ToLower(plainRepo(repo)) }

// plainRepo returns a repository in the form that a configuration has.
func plainRepo(repo string) string {
	repo = strings.Trim(repo, "/ ")
	if strings.HasSuffix(strings.ToLower(repo), ".git") {
		return repo[:len(repo)-len(".git")]
	}
	return repo
}

// repoForm plans no change if a repository is only written in another form.
type repoForm struct{}

func (repoForm) Description(context.Context) string {
	return "another form of the same repository is no change"
}

func (m repoForm) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

func (repoForm) PlanModifyString(_ context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse) {
	if !req.StateValue.IsNull() && !req.PlanValue.IsUnknown() && sameRepo(req.StateValue.ValueString(), req.PlanValue.ValueString()) {
		resp.PlanValue = req.StateValue
	}
}

// noteFormerRepo notes the repository of a state if the record has another one. The service
// has no request that changes an app's repository, so it was renamed at the code host.
func noteFormerRepo(ctx context.Context, private privatestate.ReadWriter, before, after types.String, diags *diag.Diagnostics) {
	if before.IsNull() || before.Equal(after) {
		return
	}
	former, _ := privatestate.Load[[]string](ctx, private, privatestate.FormerReposKey, diags)
	privatestate.Save(ctx, private, privatestate.FormerReposKey, attributes.Union(former, []string{before.ValueString()}), diags)
}

// keepRenamedRepo keeps the repository of the state if the plan has a former name of it. The
// plan would otherwise replace the app, and its /data, although nobody has changed the
// configuration.
func keepRenamedRepo(ctx context.Context, private privatestate.Reader, state appModel, plan *appModel, diags *diag.Diagnostics) {
	former, _ := privatestate.Load[[]string](ctx, private, privatestate.FormerReposKey, diags)
	if plan.Repo.IsUnknown() || plan.Repo.Equal(state.Repo) || !isFormer(former, plan.Repo.ValueString()) {
		return
	}
	name, asked, there := state.Name.ValueString(), plan.Repo.ValueString(), state.Repo.ValueString()
	plan.Repo = state.Repo
	diags.AddAttributeWarning(path.Root("repo"), "The repository of app "+name+" was renamed",
		fmt.Sprintf("The service now returns %s as the repository of app %s of instance %s, and no longer %s. The plan keeps the app and its /data. "+
			"Write repo = %q in the configuration. To build the app from another repository that is now named %s, replace it with -replace=ADDRESS: "+
			"that deletes everything under its /data.", there, name, state.InstanceID.ValueString(), asked, there, asked))
}

func isFormer(former []string, repo string) bool {
	return slices.ContainsFunc(former, func(name string) bool { return sameRepo(name, repo) })
}
