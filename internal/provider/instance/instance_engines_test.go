package instance

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// budget returns a memory_mb for a test: null for 0, unknown for a negative number.
func budget(mb int64) types.Int64 {
	switch {
	case mb < 0:
		return types.Int64Unknown()
	case mb == 0:
		return types.Int64Null()
	}
	return types.Int64Value(mb)
}

func engines(budgets map[string]int64) map[string]types.Int64 {
	all := map[string]types.Int64{}
	for name, mb := range budgets {
		all[name] = budget(mb)
	}
	return all
}

func TestEnginesMap(t *testing.T) {
	for name, row := range map[string]struct {
		m     types.Map
		want  map[string]types.Int64
		known bool
	}{
		"none":        {enginesMap(nil), engines(nil), true},
		"null":        {types.MapNull(engineType), engines(nil), true},
		"unknown":     {types.MapUnknown(engineType), engines(nil), false},
		"each budget": {enginesMap(engines(map[string]int64{"a": 512, "b": 0, "c": -1})), engines(map[string]int64{"a": 512, "b": 0, "c": -1}), true},
		"an unknown engine is on": {
			types.MapValueMust(engineType, map[string]attr.Value{"a": types.ObjectUnknown(engineType.AttrTypes)}), engines(map[string]int64{"a": -1}), true,
		},
		"a null engine is off": {
			types.MapValueMust(engineType, map[string]attr.Value{"a": types.ObjectNull(engineType.AttrTypes)}), engines(nil), true,
		},
	} {
		if got, known := enginesOf(row.m); known != row.known || cmp.Diff(row.want, got) != "" {
			t.Errorf("%s: got %v, known %t, want %v, %t", name, got, known, row.want, row.known)
		}
	}
}

func TestRecordedEngines(t *testing.T) {
	prior := engines(map[string]int64{"postgres": 512, "redis": -1, "nats": 64})
	record := client.Engines{"postgres": {}, "redis": {}, "mysql": {MemoryMB: 300}, "couchdb": {}}
	want := engines(map[string]int64{"postgres": 512, "redis": 0, "mysql": 300, "couchdb": 0})
	if diff := cmp.Diff(want, recordedEngines(record, prior)); diff != "" {
		t.Errorf("recordedEngines (-want +got):\n%s", diff)
	}
}

func TestSameEngines(t *testing.T) {
	there := engines(map[string]int64{"postgres": 512, "redis": 64})
	for name, row := range map[string]struct {
		asked map[string]int64
		want  bool
	}{
		"the same":           {map[string]int64{"postgres": 512, "redis": 64}, true},
		"any budget":         {map[string]int64{"postgres": 0, "redis": -1}, true},
		"another budget":     {map[string]int64{"postgres": 600, "redis": 0}, false},
		"one less":           {map[string]int64{"postgres": 512}, false},
		"one more":           {map[string]int64{"postgres": 0, "redis": 0, "nats": 0}, false},
		"another of as many": {map[string]int64{"postgres": 0, "nats": 0}, false},
	} {
		if got := sameEngines(engines(row.asked), there); got != row.want {
			t.Errorf("%s: got %t, want %t", name, got, row.want)
		}
	}
}

func TestMemorySum(t *testing.T) {
	kinds := map[string]client.EngineKind{"postgres": {FloorMB: 256}, "redis": {FloorMB: 32}}
	there := engines(map[string]int64{"postgres": 512})
	asked := engines(map[string]int64{"postgres": 0, "redis": -1, "apps": 100, "mysql": 0})
	if sum := memorySum(asked, there, kinds); sum != 512+32+100 {
		t.Errorf("memorySum: got %d, want %d", sum, 512+32+100)
	}
}
