package base

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestReplacementOf(t *testing.T) {
	t.Parallel()
	null, unknown, one, two := types.StringNull(), types.StringUnknown(), types.StringValue("one"), types.StringValue("two")
	id := func(state, plan types.String) ReplacingArgument {
		return ReplacingArgument{Name: "instance_id", State: state, Plan: plan}
	}
	name := func(state, plan types.String) ReplacingArgument {
		return ReplacingArgument{Name: "name", State: state, Plan: plan}
	}
	database := func(state, plan types.String) ReplacingArgument {
		return ReplacingArgument{Name: "database", State: state, Plan: plan, NullCounts: true}
	}
	type arguments = []ReplacingArgument
	for title, row := range map[string]struct {
		instanceEnds bool
		arguments    arguments
		want         Replacement
	}{
		"nothing changes":                        {false, arguments{id(one, one), name(two, two)}, Replacement{}},
		"a known value changes":                  {false, arguments{id(one, one), name(one, two)}, Replacement{at: "name"}},
		"two change":                             {false, arguments{id(one, two), name(one, two)}, Replacement{at: "instance_id"}},
		"one is unknown":                         {false, arguments{id(one, unknown), name(two, two)}, Replacement{unknown: []string{"instance_id"}}},
		"all are unknown":                        {false, arguments{id(one, unknown), name(two, unknown)}, Replacement{unknown: []string{"instance_id", "name"}}},
		"one is unknown, and another changes":    {false, arguments{id(one, unknown), name(one, two)}, Replacement{at: "name"}},
		"unknown, and the instance ends":         {true, arguments{id(one, unknown), name(two, two)}, Replacement{at: "instance_id"}},
		"known, and the instance ends":           {true, arguments{id(one, one), name(two, two)}, Replacement{}},
		"null in the state is not read":          {false, arguments{id(null, one)}, Replacement{}},
		"null in the state, unknown in the plan": {true, arguments{id(null, unknown)}, Replacement{}},
		"null in the state is a value":           {false, arguments{database(null, one)}, Replacement{at: "database"}},
		"null in the plan is a value":            {false, arguments{database(one, null)}, Replacement{at: "database"}},
		"a null value may stay":                  {false, arguments{database(null, unknown)}, Replacement{unknown: []string{"database"}}},
	} {
		if diff := cmp.Diff(row.want, replacementOf(row.instanceEnds, row.arguments), cmp.AllowUnexported(Replacement{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", title, diff)
		}
	}
}
