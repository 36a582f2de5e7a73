package app

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

// An appHost describes an app's instance at the time of the app's change, as far as the
// plan can know.
type appHost struct {
	id      string           // "" if the instance is not created yet
	engines map[string]int64 // budgets in MB, 0 if unknown; nil if the engines are unknown
	plan    client.Plan      // zero if unknown
	// planned reports whether this comes from the instance's own plan. Otherwise it comes
	// from the current record, which the same plan may be about to change.
	planned bool
}

// checkHost checks the changes of an app against its instance and the service's plans.
// state is nil for a new app.
func (r *appResource) checkHost(ctx context.Context, state *appModel, plan appModel, diags *diag.Diagnostics) {
	memory := plan.MemoryMB.ValueInt64()
	if state != nil && state.MemoryMB.Equal(plan.MemoryMB) {
		memory = 0
	}
	engines := newLinks(state, plan)
	for _, link := range engines {
		attributes.WarnOfWord(diags, path.Root("links"), "link", link, "auth")
	}
	if state == nil {
		attributes.WarnOfName(diags, "app", plan.Name, attributes.AppNameRule)
		engines = append(engines, "apps")
	}
	if r.Client == nil || memory == 0 && len(engines) == 0 {
		return
	}
	plans, plansErr := r.Client.Plans(ctx)
	host, err := r.hostOf(ctx, plan, plans)
	if plansErr != nil && memory != 0 { // after reading the instance, which may show that the service answers
		r.Service.WarnUnchecked(diags, "memory_mb", plansErr)
	}
	switch {
	case errors.Is(err, client.ErrNotFound):
		diagnostics.AddNoInstance(diags, "instance_id", plan.InstanceID.ValueString())
		return
	case err != nil:
		r.Service.WarnUnchecked(diags, "instance_id", err)
	}
	if memory != 0 {
		checkAppMemory(memory, host, plans, diags)
	}
	warnOfEnginesOff(engines, host, plans, diags)
}

// newLinks returns the engines that the plan links the app to and the state does not.
func newLinks(state *appModel, plan appModel) []string {
	var before []string
	if state != nil {
		before = attributes.ElementsOf(state.Links)
	}
	return slices.DeleteFunc(attributes.ElementsOf(plan.Links), func(link string) bool { return slices.Contains(before, link) })
}

// hostOf describes the app's instance. If this process has planned the instance, hostOf
// uses that plan instead of the record. The id of an instance that is not created yet is
// unknown. Terraform plans the instance before its app, so hostOf then uses the one instance
// that this process plans to create.
func (r *appResource) hostOf(ctx context.Context, plan appModel, plans client.Plans) (appHost, error) {
	if plan.InstanceID.IsUnknown() {
		var host appHost
		instance, planned := r.Planned.CreatedInstance()
		host.planned, host.engines = planned, instance.Engines
		host.plan, _ = plans.Plan(instance.Plan)
		return host, nil
	}
	host := appHost{id: plan.InstanceID.ValueString()}
	if instance, ok := r.Planned.Instance(host.id); ok {
		host.planned, host.engines = true, instance.Engines
		host.plan, _ = plans.Plan(instance.Plan)
		return host, nil
	}
	instance, err := r.Client.RefreshInstance(ctx, host.id)
	if err != nil {
		return host, err
	}
	host.plan, _ = plans.Plan(instance.PlanID())
	if instance.Engines.Set {
		host.engines = map[string]int64{}
		for name, engine := range instance.Engines.Value {
			host.engines[name] = int64(engine.MemoryMB)
		}
	}
	return host, nil
}

// checkAppMemory checks an app's memory in MB against the floor of the apps engine and
// the available memory. Memory that is below the floor, or above every plan, is an error.
// So is memory above the planned plan of an instance that exists. It is only a warning if
// the instance is not created yet, or if only its record is known, because the same plan
// may resize it. Exceeding the engine's budget is also a warning: the service does not
// document what happens to such an app.
func checkAppMemory(memory int64, host appHost, plans client.Plans, diags *diag.Diagnostics) {
	at := path.Root("memory_mb")
	var biggest client.Plan
	for _, plan := range plans.Plans {
		if plan.MemoryMB > biggest.MemoryMB {
			biggest = plan
		}
	}
	floor, budget := plans.Engines["apps"].FloorMB, host.engines["apps"]
	switch {
	case memory < int64(floor):
		diags.AddAttributeError(at, "App memory below the minimum", fmt.Sprintf("An app needs at least %d MB, not %d.", floor, memory))
	case biggest.MemoryMB > 0 && memory > int64(biggest.MemoryMB):
		diags.AddAttributeError(at, "App memory exceeds every plan",
			fmt.Sprintf("The app asks for %d MB, but the biggest plan, %s, has %d MB for a whole instance.", memory, biggest.ID, biggest.MemoryMB))
	case host.plan.MemoryMB > 0 && memory > int64(host.plan.MemoryMB) && host.id == "":
		diags.AddAttributeWarning(at, "App memory exceeds the instance's plan",
			fmt.Sprintf("The app asks for %d MB, but no instance that the plan creates has more than the %d MB of plan %s for all engines. "+
				"Lower the app's memory or choose a bigger plan.", memory, host.plan.MemoryMB, host.plan.ID))
	case host.plan.MemoryMB > 0 && memory > int64(host.plan.MemoryMB) && host.planned:
		diags.AddAttributeError(at, "App memory exceeds the instance's plan",
			fmt.Sprintf("The app asks for %d MB, but plan %s of instance %s has %d MB for all engines. "+
				"Lower the app's memory or choose a bigger plan.", memory, host.plan.ID, host.id, host.plan.MemoryMB))
	case host.plan.MemoryMB > 0 && memory > int64(host.plan.MemoryMB):
		diags.AddAttributeWarning(at, "App memory exceeds the instance's plan",
			fmt.Sprintf("The app asks for %d MB, but instance %s is currently on plan %s, which has %d MB for all engines. "+
				"The app fits only if the instance is resized to a bigger plan first.", memory, host.id, host.plan.ID, host.plan.MemoryMB))
	case budget > 0 && memory > budget && host.id == "":
		diags.AddAttributeWarning(at, "App memory exceeds the apps engine",
			fmt.Sprintf("The app asks for %d MB, but the apps engine of no instance that the plan creates has more than %d MB for all apps. "+
				"Raise memory_mb of the engine, or lower that of the app.", memory, budget))
	case budget > 0 && memory > budget:
		diags.AddAttributeWarning(at, "App memory exceeds the apps engine",
			fmt.Sprintf("The app asks for %d MB, but the apps engine of instance %s has %d MB for all apps. "+
				"Raise memory_mb of the engine, or lower that of the app.", memory, host.id, budget))
	}
}

// warnOfEnginesOff warns of engines that the app needs and that are off or unknown. This
// is never an error. If only the record is known, the same apply may still turn the
// engine on. If the instance's plan is known, the service still decides: its
// documentation does not say that it refuses a link to an engine that is off.
func warnOfEnginesOff(engines []string, host appHost, plans client.Plans, diags *diag.Diagnostics) {
	for _, engine := range engines {
		at := path.Root("links")
		if engine == "apps" {
			at = path.Root("instance_id")
		}
		_, offered := plans.Engines[engine]
		_, on := host.engines[engine]
		switch {
		case on:
		case len(plans.Engines) > 0 && !offered: // WarnOfWord warns of such a link
		case host.engines != nil && host.id == "":
			diags.AddAttributeWarning(at, "The engine "+engine+" is off",
				fmt.Sprintf("The app needs the %s engine, but no instance that the plan creates has it. Add it to the engines of the app's instance.", engine))
		case host.engines != nil && host.planned:
			diags.AddAttributeWarning(at, "The engine "+engine+" is off",
				fmt.Sprintf("The app needs the %s engine, but the plan leaves it off on instance %s. Add it to the engines of the instance.", engine, host.id))
		case host.engines != nil:
			diags.AddAttributeWarning(at, "The engine "+engine+" is off",
				fmt.Sprintf("The app needs the %s engine, which is currently off on instance %s. "+
					"Ignore this warning if it is turned on before the app is changed.", engine, host.id))
		}
	}
}
