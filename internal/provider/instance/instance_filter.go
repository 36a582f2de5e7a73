package instance

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

// instanceFilter selects instances. A null field matches any.
type instanceFilter struct {
	Name   types.String `tfsdk:"name"`
	Plan   types.String `tfsdk:"plan"`
	Region types.String `tfsdk:"region"`
	Status types.String `tfsdk:"status"`
	Tag    types.String `tfsdk:"tag"`
}

func (f instanceFilter) matches(i client.Instance) bool {
	return attributes.Matches(f.Name, i.Name.Value) && attributes.Matches(f.Plan, i.PlanID()) && attributes.Matches(f.Region, i.Region) && attributes.Matches(f.Status, string(i.Status)) &&
		(f.Tag.IsNull() || slices.Contains(i.Tags.Value, f.Tag.ValueString()))
}

// instanceFilterDescriptions describes the filters of the data source and the list
// resource.
var instanceFilterDescriptions = map[string]string{
	"name":   "Only instances with this name. Default: all.",
	"plan":   "Only instances on this plan. Default: all.",
	"region": "Only instances in this location. Default: all.",
	"status": "Only instances with this status: `creating`, `running`, `deleting` or `failed`. Default: all.",
	"tag":    "Only instances with this tag. Default: all.",
}

// check reports a filter that can match no instance. A plan or region is an error unless
// the service offers it or an existing instance has it. The instances have been listed,
// so the service is known to answer.
func (f instanceFilter) check(ctx context.Context, c *client.Client, instances []client.Instance, diags *diag.Diagnostics) {
	if found := diagnostics.IdsOf(instances, client.Instance.PlanID); !attributes.CanMatch(f.Plan, nil, found) {
		plans, err := c.Plans(ctx)
		known := diagnostics.IdsOf(plans.Plans, client.Plan.Identifier)
		switch {
		case err != nil:
			diagnostics.NewServiceCheck(c).WarnUnchecked(diags, "plan", err)
		case !attributes.CanMatch(f.Plan, known, found):
			diags.AddAttributeError(path.Root("plan"), "Unknown plan", diagnostics.NoSuch("plan", f.Plan.ValueString(), known))
		}
	}
	if found := diagnostics.IdsOf(instances, func(i client.Instance) string { return i.Region }); !attributes.CanMatch(f.Region, nil, found) {
		locations, err := c.Locations(ctx)
		if err != nil {
			diagnostics.NewServiceCheck(c).WarnUnchecked(diags, "region", err)
		} else if known := diagnostics.IdsOf(locations, client.Location.Identifier); !attributes.CanMatch(f.Region, known, found) {
			diags.AddAttributeError(path.Root("region"), "Unknown region", diagnostics.NoSuch("region", f.Region.ValueString(), known))
		}
	}
	attributes.WarnUnmatched(diags, "status", "instance status", f.Status, attributes.InstanceStatuses, diagnostics.IdsOf(instances, func(i client.Instance) string { return string(i.Status) }))
}
