package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// TestSetOf holds what a list of the service becomes. A set with an element twice
// is none: it was unknown once, so that its drift was never put right.
func TestSetOf(t *testing.T) {
	set := func(values ...string) types.Set {
		elements := []attr.Value{}
		for _, value := range values {
			elements = append(elements, types.StringValue(value))
		}
		return types.SetValueMust(types.StringType, elements)
	}
	null, unknown := types.SetNull(types.StringType), types.SetUnknown(types.StringType)
	for name, row := range map[string]struct {
		values []string
		prior  types.Set
		want   types.Set
	}{
		"some":                       {[]string{"b", "a"}, null, set("a", "b")},
		"one of them twice":          {[]string{"a", "b", "a"}, set("a"), set("a", "b")},
		"none, left out before":      {nil, null, null},
		"none, an empty set before":  {nil, set(), set()},
		"none, some before":          {nil, set("a"), null},
		"none, not known until then": {nil, unknown, set()},
	} {
		t.Run(name, func(t *testing.T) {
			if got := setOf(row.values, row.prior); !got.Equal(row.want) {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}
