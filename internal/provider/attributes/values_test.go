package attributes

import (
	"encoding/json"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// TestSetOf checks the conversion of a list of the service. An element in the list twice
// once made the set unknown, so its drift was never corrected.
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
			if got := SetOf(row.values, row.prior); !got.Equal(row.want) {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}

// TestSetOrNull checks that a record without a field claims nothing. A missing allowlist
// is not an empty one, which would mean that the instance is open.
func TestSetOrNull(t *testing.T) {
	for name, row := range map[string]struct {
		recorded client.Maybe[[]string]
		want     types.Set
	}{
		"not told":     {client.Maybe[[]string]{}, types.SetNull(types.StringType)},
		"empty":        {client.Some([]string{}), types.SetValueMust(types.StringType, nil)},
		"null":         {client.Some([]string(nil)), types.SetValueMust(types.StringType, nil)},
		"one is twice": {client.Some([]string{"a", "a"}), types.SetValueMust(types.StringType, []attr.Value{types.StringValue("a")})},
	} {
		if got := SetOrNull(row.recorded); !got.Equal(row.want) {
			t.Errorf("%s: got %s, want %s", name, got, row.want)
		}
	}
}

// TestTimeOrNull checks that a state can store every time that the client reads.
func TestTimeOrNull(t *testing.T) {
	for raw, want := range map[string]timetypes.RFC3339{
		`"2026-01-02T03:04:05Z"`:      timetypes.NewRFC3339ValueMust("2026-01-02T03:04:05Z"),
		`"2026-01-02T03:04:05+01:00"`: timetypes.NewRFC3339ValueMust("2026-01-02T02:04:05Z"),
		`"2026-01-02T03:04:05.678Z"`:  timetypes.NewRFC3339ValueMust("2026-01-02T03:04:05Z"),
		`"9999-12-31T23:59:59-01:00"`: timetypes.NewRFC3339Null(),
		`"0000-01-01T00:00:00+01:00"`: timetypes.NewRFC3339Null(),
		`"yesterday"`:                 timetypes.NewRFC3339Null(),
		`1700000000`:                  timetypes.NewRFC3339Null(),
		`null`:                        timetypes.NewRFC3339Null(),
	} {
		var at client.Time
		if err := json.Unmarshal([]byte(raw), &at); err != nil {
			t.Fatal(err)
		}
		got := TimeOrNull(at)
		if !got.Equal(want) {
			t.Errorf("%s: got %s, want %s", raw, got, want)
		}
		var checked xattr.ValidateAttributeResponse
		got.ValidateAttribute(t.Context(), xattr.ValidateAttributeRequest{}, &checked)
		if checked.Diagnostics.HasError() {
			t.Errorf("%s: got diagnostics %s, want no error", raw, checked.Diagnostics)
		}
	}
}

func TestNumbersOfTheService(t *testing.T) {
	for n, want := range map[int64]types.Int64{0: types.Int64Null(), 512: types.Int64Value(512)} {
		if got := Int64OrNull(n); !got.Equal(want) {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}
