package instance

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
)

// engineType is the type of an element of an instance's engines.
var engineType = types.ObjectType{AttrTypes: map[string]attr.Type{"memory_mb": types.Int64Type}}

// enginesOf returns the engines that are on with their budgets in MB, which may be null
// or unknown. An unknown engine counts as on. A null engine is off: a state may have one,
// but no configuration (noNullEngine). known is false if the whole map is unknown.
func enginesOf(m types.Map) (engines map[string]types.Int64, known bool) {
	engines = map[string]types.Int64{}
	for name, value := range m.Elements() {
		engine, ok := value.(types.Object)
		switch {
		case !ok || engine.IsNull():
		case engine.IsUnknown():
			engines[name] = types.Int64Unknown()
		default:
			engines[name], _ = engine.Attributes()["memory_mb"].(types.Int64)
		}
	}
	return engines, !m.IsUnknown()
}

// budgetsOf returns the engines that are on with their budgets in MB, 0 for one that is
// null or unknown. It is nil if the engines are not known. They are null if neither the
// configuration nor the service shows them.
func budgetsOf(m types.Map) map[string]int64 {
	engines, known := enginesOf(m)
	if !known || m.IsNull() {
		return nil
	}
	budgets := map[string]int64{}
	for name, memory := range engines {
		budgets[name] = memory.ValueInt64()
	}
	return budgets
}

// noNullEngine refuses a null engine. OpenTofu crashes when it plans a map with one, and
// a module must work with either CLI.
func noNullEngine() validator.Map {
	return attributes.RewordedRule{Rule: mapvalidator.NoNullValues(), Summary: "An engine is null",
		Detail: "Leave an engine that is to be off out of engines. Where a condition decides, filter the map: { for name, engine in local.engines : name => engine if engine != null }."}
}

// enginesMap is the inverse of enginesOf.
func enginesMap(engines map[string]types.Int64) types.Map {
	elements := map[string]attr.Value{}
	for name, memory := range engines {
		elements[name] = types.ObjectValueMust(engineType.AttrTypes, map[string]attr.Value{"memory_mb": memory})
	}
	return types.MapValueMust(engineType, elements)
}

// recordedEngines returns the engines of a record. A budget that the record lacks keeps
// its prior value.
func recordedEngines(engines client.Engines, prior map[string]types.Int64) map[string]types.Int64 {
	on := map[string]types.Int64{}
	for name, engine := range engines {
		on[name] = types.Int64Null()
		if engine.MemoryMB > 0 {
			on[name] = attributes.Int64(engine.MemoryMB)
		} else if memory, ok := prior[name]; ok && !memory.IsUnknown() {
			on[name] = memory
		}
	}
	return on
}

// withBudgets returns a map of engines with each budget changed.
func withBudgets(m types.Map, change func(types.Int64) types.Int64) types.Map {
	engines, known := enginesOf(m)
	if !known || m.IsNull() {
		return m
	}
	for name, memory := range engines {
		engines[name] = change(memory)
	}
	return enginesMap(engines)
}

// without returns the sorted names of the engines that others lacks.
func without(engines, others map[string]types.Int64) []string {
	return slices.DeleteFunc(attributes.SortedKeys(engines), func(name string) bool { return has(others, name) })
}

func has[V any](m map[string]V, name string) bool {
	_, ok := m[name]
	return ok
}

// sameEngines reports whether the service already has the requested engines, with each
// requested budget.
func sameEngines(asked, there map[string]types.Int64) bool {
	if len(asked) != len(there) {
		return false
	}
	for name, memory := range asked {
		present, ok := there[name]
		if !ok || !memory.IsNull() && !memory.IsUnknown() && !memory.Equal(present) {
			return false
		}
	}
	return true
}

// engineSwitches returns the engines that a creation turns on, without budgets.
func engineSwitches(on map[string]bool) map[string]types.Int64 {
	engines := map[string]types.Int64{}
	for name, is := range on {
		if is {
			engines[name] = types.Int64Null()
		}
	}
	return engines
}

// memorySum returns the memory in MB that engines need. An engine without a requested
// budget counts with its current budget, or else with its floor.
func memorySum(engines, there map[string]types.Int64, kinds map[string]client.EngineKind) int64 {
	var sum int64
	for name, memory := range engines {
		if memory.IsNull() || memory.IsUnknown() {
			memory = there[name]
		}
		if memory.IsNull() || memory.IsUnknown() {
			sum += int64(kinds[name].FloorMB)
			continue
		}
		sum += memory.ValueInt64()
	}
	return sum
}
