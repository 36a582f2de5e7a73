package provider

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// engineType is an element of an instance's engines.
var engineType = types.ObjectType{AttrTypes: map[string]attr.Type{"memory_mb": types.Int64Type}}

// enginesOf gives the engines that are on with their budgets in MB, which may be
// null or unknown. One that is not known yet counts as on. One that is null is off:
// no configuration has one (noNullEngine), but a state may. It is false when nothing
// of them is known.
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

// noNullEngine refuses an engine that is null. OpenTofu crashes when it plans a map
// with one, and a module has to work with either CLI.
func noNullEngine() validator.Map {
	return rewordedRule{rule: mapvalidator.NoNullValues(), summary: "An engine is null",
		detail: "Leave an engine that is to be off out of engines. Where a condition decides, filter the map: { for name, engine in local.engines : name => engine if engine != null }."}
}

// enginesMap is the opposite of enginesOf.
func enginesMap(engines map[string]types.Int64) types.Map {
	elements := map[string]attr.Value{}
	for name, memory := range engines {
		elements[name] = types.ObjectValueMust(engineType.AttrTypes, map[string]attr.Value{"memory_mb": memory})
	}
	return types.MapValueMust(engineType, elements)
}

// recordedEngines are the engines of a record. A budget that the record does not
// tell is the prior one.
func recordedEngines(engines client.Engines, prior map[string]types.Int64) map[string]types.Int64 {
	on := map[string]types.Int64{}
	for name, engine := range engines {
		on[name] = types.Int64Null()
		if engine.MemoryMB > 0 {
			on[name] = types.Int64Value(engine.MemoryMB)
		} else if memory, ok := prior[name]; ok && !memory.IsUnknown() {
			on[name] = memory
		}
	}
	return on
}

// withBudgets is a map of engines with each budget changed.
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

// without are the names of the engines of one set that another does not have,
// sorted.
func without(engines, others map[string]types.Int64) []string {
	return slices.DeleteFunc(sortedKeys(engines), func(name string) bool { return has(others, name) })
}

func has[V any](m map[string]V, name string) bool {
	_, ok := m[name]
	return ok
}

// sameEngines tells whether what is asked for is there already: the same
// engines, and each budget that is asked for.
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

// engineSwitches are the engines that a creation turns on, budgets unknown to it.
func engineSwitches(on map[string]bool) map[string]types.Int64 {
	engines := map[string]types.Int64{}
	for name, is := range on {
		if is {
			engines[name] = types.Int64Null()
		}
	}
	return engines
}

// memorySum is the memory in MB that engines need. One without a budget of its own
// keeps what it has, or else counts with its floor.
func memorySum(engines, there map[string]types.Int64, kinds map[string]client.EngineKind) int64 {
	var sum int64
	for name, memory := range engines {
		if memory.IsNull() || memory.IsUnknown() {
			memory = there[name]
		}
		if memory.IsNull() || memory.IsUnknown() {
			sum += kinds[name].FloorMB
			continue
		}
		sum += memory.ValueInt64()
	}
	return sum
}
