package provider

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
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
	return matches(f.Name, i.Name) && matches(f.Plan, i.PlanID()) && matches(f.Region, i.Region) && matches(f.Status, string(i.Status)) &&
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
	if found := idsOf(instances, client.Instance.PlanID); !canMatch(f.Plan, nil, found) {
		plans, err := c.Plans(ctx)
		known := idsOf(plans.Plans, client.Plan.Identifier)
		switch {
		case err != nil:
			newServiceCheck(c).warnUnchecked(diags, "plan", err)
		case !canMatch(f.Plan, known, found):
			diags.AddAttributeError(path.Root("plan"), "Unknown plan", noSuch("plan", f.Plan.ValueString(), known))
		}
	}
	if found := idsOf(instances, func(i client.Instance) string { return i.Region }); !canMatch(f.Region, nil, found) {
		locations, err := c.Locations(ctx)
		if err != nil {
			newServiceCheck(c).warnUnchecked(diags, "region", err)
		} else if known := idsOf(locations, client.Location.Identifier); !canMatch(f.Region, known, found) {
			diags.AddAttributeError(path.Root("region"), "Unknown region", noSuch("region", f.Region.ValueString(), known))
		}
	}
	warnUnmatched(diags, "status", "instance status", f.Status, instanceStatuses, idsOf(instances, func(i client.Instance) string { return string(i.Status) }))
}
