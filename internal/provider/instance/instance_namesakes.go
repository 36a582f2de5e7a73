package instance

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

// checkNamesakes looks for instances that an earlier apply may have created but could not
// save, for example because of kill -9. The plan warns of each. It cannot know whether a
// resource manages one, because it may not have read the whole state yet. So only the
// creation is refused, and only for an instance that is still being created. The search
// runs at the same time as other checks; the returned function waits for it and adds the
// warnings.
func (r *instanceResource) checkNamesakes(ctx context.Context, plan instanceModel) (tell func(*diag.Diagnostics)) {
	if r.Client == nil || plan.Name.IsUnknown() || plan.Plan.IsUnknown() || plan.Region.IsUnknown() {
		return func(*diag.Diagnostics) {}
	}
	request := client.NewInstance{InstanceSettings: client.InstanceSettings{Name: client.Some(plan.Name.ValueString())}, Plan: plan.Plan.ValueString(), Region: plan.Region.ValueString()}
	find := base.InBackground(func() (found namesakes, err error) {
		found.creating, found.running, err = r.Client.Namesakes(ctx, request)
		return found, err
	})
	return func(diags *diag.Diagnostics) {
		found, err := find()
		if err != nil {
			r.Service.WarnUnchecked(diags, "name", err)
			return
		}
		found.tell(diags)
	}
}

// namesakes are instances that could be mistaken for the planned one.
type namesakes struct{ creating, running []client.Instance }

// tell warns of each instance. The summary has its id: a CLI shows one of several warnings with
// the same summary, and each detail is needed.
func (n namesakes) tell(diags *diag.Diagnostics) {
	for _, i := range n.creating {
		diags.AddAttributeWarning(path.Root("name"), "Instance "+i.ID+" with the same name is being created",
			fmt.Sprintf("Instance %s has the same name %q, plan and region as the instance that the plan creates, and is being created. "+
				"If another resource manages it, apply again once it is running: until then this creation is refused. "+
				"If no resource manages it, an earlier apply may have been killed before it could save it: import it instead of creating another:\n\n%s",
				i.ID, i.Name.Value, diagnostics.ImportBlock("hosting_instance.NAME", i.ID)))
	}
	for _, i := range n.running {
		diags.AddAttributeWarning(path.Root("name"), "Instance "+i.ID+" has the same name",
			fmt.Sprintf("Instance %s has the same name %q, plan and region as the instance that the plan creates. "+
				"Ignore this warning if Terraform already manages it, here or elsewhere. "+
				"If an earlier apply was killed before it could save it, import it instead of creating another:\n\n%s", i.ID, i.Name.Value, diagnostics.ImportBlock("hosting_instance.NAME", i.ID)))
	}
}
