package instance

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

// checkCatalogue checks what changes against the plans and locations that the service
// offers. state is nil for an instance that will be bought. Unknown values are left to
// the service.
func (r *instanceResource) checkCatalogue(ctx context.Context, state *instanceModel, plan instanceModel, diags *diag.Diagnostics) {
	var before instanceModel
	if state != nil {
		before = *state
	}
	if !before.Name.Equal(plan.Name) {
		attributes.WarnOfName(diags, "instance", plan.Name, attributes.InstanceNameRule)
	}
	if state != nil && before.Plan.IsNull() && !plan.Plan.IsUnknown() {
		diags.AddAttributeWarning(path.Root("plan"), "The plan of the instance is not known",
			fmt.Sprintf("The service does not show the plan of instance %s. The apply writes %s into the state and does not resize the instance. "+
				"See in the portal which plan the instance has. If it is another one, resize the instance there.", before.ID.ValueString(), plan.Plan))
	}
	if r.Client == nil {
		return
	}
	resized, changed := (state == nil || partsThatDiffer(before, plan).plan) && !plan.Plan.IsUnknown(), !before.Engines.Equal(plan.Engines)
	readPlans := base.InBackground(func() (client.Plans, error) {
		if !resized && !changed {
			return client.Plans{}, nil
		}
		return r.Client.Plans(ctx)
	})
	if before.Region.IsNull() && !plan.Region.IsUnknown() { // of an instance that stays, a region is only renamed
		locations, err := r.Client.Locations(ctx)
		switch {
		case slices.ContainsFunc(locations, func(l client.Location) bool { return l.ID == plan.Region.ValueString() }):
		case err != nil:
			r.Service.WarnUnchecked(diags, "region", err)
		default:
			checkRegion(plan.Region.ValueString(), locations, diags)
		}
	}
	plans, err := readPlans()
	if !resized && !changed {
		return
	}
	if err != nil {
		r.Service.WarnUnchecked(diags, "plan", err)
		return
	}
	if partial := plans.Partial(); partial != nil && !plan.isIn(plans) {
		r.Service.WarnUnchecked(diags, "plan", partial)
		return
	}
	if resized {
		checkPlan(before.Plan.ValueString(), plan.Plan.ValueString(), plans, diags)
	}
	checkEngines(before, plan, plans, diags)
}

// isIn reports whether the catalogue has the plan and all engines.
func (m instanceModel) isIn(plans client.Plans) bool {
	engines, _ := enginesOf(m.Engines)
	for name := range engines {
		if _, ok := plans.Engines[name]; !ok {
			return false
		}
	}
	_, ok := plans.Plan(m.Plan.ValueString())
	return ok || m.Plan.IsUnknown()
}

func checkRegion(region string, locations []client.Location, diags *diag.Diagnostics) {
	ids := diagnostics.IdsOf(locations, client.Location.Identifier)
	if !slices.Contains(ids, region) {
		diags.AddAttributeError(path.Root("region"), "Unknown region", diagnostics.NoSuch("region", region, ids))
	}
}

// checkPlan checks that plan id exists. For a new instance it warns of the price, and for
// a resized one of a new price and lower limits. before is the plan of the existing
// instance, or "".
func checkPlan(before, id string, plans client.Plans, diags *diag.Diagnostics) {
	plan, ok := plans.Plan(id)
	if !ok {
		now := ""
		if before != "" {
			now = fmt.Sprintf("The instance is on the plan %q. ", before)
		}
		diags.AddAttributeError(path.Root("plan"), "Unknown plan", now+diagnostics.NoSuch("plan", id, diagnostics.IdsOf(plans.Plans, client.Plan.Identifier)))
		return
	}
	former, resized := plans.Plan(before)
	switch {
	case before == "" && plan.PriceCents > 0:
		diags.AddAttributeWarning(path.Root("plan"), "Plan "+id+" is paid",
			priceText(plan)+" The service creates the instance only after someone has opened its checkout page. The apply prints the address of the page and ends; "+
				"open the page, then apply again.")
	case resized:
		if former.PriceCents == 0 && plan.PriceCents > 0 {
			diags.AddAttributeWarning(path.Root("plan"), "Plan "+id+" is paid", priceText(plan)+
				" The service may ask for a payment in the portal before it resizes the instance, which now has the plan "+before+" at no cost.")
		}
		if lower := lowerLimits(former, plan); len(lower) > 0 {
			diags.AddAttributeWarning(path.Root("plan"), "Plan "+id+" has lower limits than plan "+before,
				"Resizing lowers "+strings.Join(lower, ", ")+". Anything in use beyond the new limits may not fit.")
		}
	}
}

// priceText states what a plan costs.
func priceText(plan client.Plan) string {
	return fmt.Sprintf("It costs %.2f %s a month.", float64(plan.PriceCents)/100, plan.Currency)
}

// lowerLimits lists the limits that are lower in plan to than in plan from.
func lowerLimits(from, to client.Plan) []string {
	var lower []string
	for _, limit := range []struct {
		text     string
		from, to float64
	}{
		{"the CPUs from %g to %g", float64(from.CPU), float64(to.CPU)},
		{"the memory from %g MB to %g MB", float64(from.MemoryMB), float64(to.MemoryMB)},
		{"the disk from %g GB to %g GB", float64(from.DiskGB), float64(to.DiskGB)},
		{"the Postgres connections from %g to %g", float64(from.PostgresConnections), float64(to.PostgresConnections)},
	} {
		if limit.to < limit.from {
			lower = append(lower, fmt.Sprintf(limit.text, limit.from, limit.to))
		}
	}
	return lower
}

// checkEngines checks each new or changed engine: its name, and that its budget is not
// below its minimum. It also checks that all engines together fit the plan.
func checkEngines(before, planned instanceModel, plans client.Plans, diags *diag.Diagnostics) {
	if planned.Engines.IsNull() {
		return // not known
	}
	engines, known := enginesOf(planned.Engines)
	there, _ := enginesOf(before.Engines)
	if len(engines) == 0 && known && (before.Engines.IsNull() || len(there) > 0) {
		diags.AddAttributeWarning(path.Root("engines"), "No engine is on",
			"An instance without engines stores no data and runs no apps. Add the engines that it is for, such as postgres = {}.")
	}
	offered := attributes.SortedKeys(plans.Engines)
	for _, name := range attributes.SortedKeys(engines) {
		memory, kind := engines[name], plans.Engines[name]
		switch {
		case has(there, name) && there[name].Equal(memory), len(offered) == 0:
		case !has(there, name) && !has(plans.Engines, name):
			diags.AddAttributeError(path.Root("engines").AtMapKey(name), "Unknown engine", diagnostics.NoSuch("engine", name, offered))
		case !memory.IsNull() && !memory.IsUnknown() && memory.ValueInt64() < int64(kind.FloorMB):
			diags.AddAttributeError(path.Root("engines").AtMapKey(name).AtName("memory_mb"), "Engine memory below the minimum",
				fmt.Sprintf("The %s engine needs at least %d MB, not %d.", name, kind.FloorMB, memory.ValueInt64()))
		}
	}
	plan, ok := plans.Plan(planned.Plan.ValueString())
	if sum := memorySum(engines, there, plans.Engines); ok && plan.MemoryMB > 0 && sum > int64(plan.MemoryMB) {
		diags.AddAttributeError(path.Root("engines"), "The engines do not fit the plan",
			fmt.Sprintf("The engines need %d MB together, where an engine without memory_mb counts with its minimum, but plan %s has %d MB. "+
				"Lower the budgets or choose a bigger plan.", sum, plan.ID, plan.MemoryMB))
	}
}
