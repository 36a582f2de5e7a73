package attributes

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// ElementsOf returns the known elements of a set of strings.
func ElementsOf(set types.Set) []string {
	var elements []string
	for _, element := range set.Elements() {
		if s, ok := element.(types.String); ok && !s.IsUnknown() {
			elements = append(elements, s.ValueString())
		}
	}
	return elements
}

// SameStrings reports whether two sets have the same elements. Null counts as empty.
func SameStrings(a, b types.Set) bool {
	return a.Equal(b) || len(a.Elements()) == 0 && len(b.Elements()) == 0
}

// AllKnown reports whether a set and all of its elements are known. Null counts as known.
func AllKnown(set types.Set) bool {
	return !set.IsUnknown() && !slices.ContainsFunc(set.Elements(), func(v attr.Value) bool { return v.IsUnknown() })
}

// StringOrNull returns null for the empty string. The service does not distinguish ""
// from null, but Terraform does.
func StringOrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

// TimeOrNull returns a time in UTC, or null if the service returned none.
func TimeOrNull(t client.Time) timetypes.RFC3339 {
	if t.IsZero() {
		return timetypes.NewRFC3339Null()
	}
	return timetypes.NewRFC3339TimeValue(t.UTC())
}

// SetRecorded sets a value from a record. If recorded is "", a known value is kept, and
// an unknown value becomes null.
func SetRecorded(v *types.String, recorded string) {
	switch {
	case recorded != "":
		*v = types.StringValue(recorded)
	case v.IsUnknown():
		*v = types.StringNull()
	}
}

// SetRecordedWord sets an identifier from a record. Another letter case is only a form of
// the same one, so a known value is kept.
func SetRecordedWord(v *types.String, recorded string) {
	if !IsWord(*v, recorded) {
		SetRecorded(v, recorded)
	}
}

// IsWord reports whether a value is a word, in any letter case.
func IsWord(v types.String, word string) bool {
	return v.ValueString() != "" && strings.EqualFold(v.ValueString(), word)
}

// Int64OrNull returns null for zero: a number of the service is zero only if the service
// did not return it.
func Int64OrNull[N ~int64](n N) types.Int64 {
	if n == 0 {
		return types.Int64Null()
	}
	return Int64(n)
}

// Int64 returns a whole number of a record.
func Int64[N ~int64](n N) types.Int64 { return types.Int64Value(int64(n)) }

// Float64 returns a number of a record that may have a fraction.
func Float64[N ~float64](n N) types.Float64 { return types.Float64Value(float64(n)) }

// RecordedInt64 returns a number of a record, or null if the record does not have it.
func RecordedInt64[N ~int64](recorded client.Maybe[N]) types.Int64 {
	if !recorded.Set {
		return types.Int64Null()
	}
	return Int64(recorded.Value)
}

// RecordedFloat64 is like RecordedInt64, for a number that may have a fraction.
func RecordedFloat64[N ~float64](recorded client.Maybe[N]) types.Float64 {
	if !recorded.Set {
		return types.Float64Null()
	}
	return Float64(recorded.Value)
}

// RecordedBool is like RecordedInt64, for a yes or no.
func RecordedBool(recorded client.Maybe[bool]) types.Bool {
	if !recorded.Set {
		return types.BoolNull()
	}
	return types.BoolValue(recorded.Value)
}

// NullIfUnknown returns null for a value that is still unknown, so that it can be saved
// before the service returns it.
func NullIfUnknown(v types.String) types.String {
	if v.IsUnknown() {
		return types.StringNull()
	}
	return v
}

// SetOf returns a set of strings without duplicates. For no strings, it returns an empty
// set if the prior value is empty or unknown, and null otherwise. A configuration may
// write an empty set or omit it, and the service does not distinguish the two.
func SetOf(values []string, prior types.Set) types.Set {
	if len(values) == 0 && !prior.IsUnknown() {
		if prior.IsNull() || len(prior.Elements()) > 0 {
			return types.SetNull(types.StringType)
		}
		return prior
	}
	var elements []attr.Value
	for _, value := range slices.Compact(Sorted(values)) {
		elements = append(elements, types.StringValue(value))
	}
	return types.SetValueMust(types.StringType, elements)
}

// SetOrNull returns the set of strings of a record, or null if the record does not have
// it.
func SetOrNull(recorded client.Maybe[[]string]) types.Set {
	if !recorded.Set {
		return types.SetNull(types.StringType)
	}
	return SetOf(recorded.Value, types.SetValueMust(types.StringType, nil))
}

// StringsOf returns the elements of a set of strings, sorted.
func StringsOf(ctx context.Context, set types.Set, diags *diag.Diagnostics) []string {
	values := []string{}
	if set.IsNull() || set.IsUnknown() {
		return values
	}
	diags.Append(set.ElementsAs(ctx, &values, false)...)
	slices.Sort(values)
	return values
}

// Sorted returns a sorted copy. It is never nil, because an empty list is not null.
func Sorted(values []string) []string {
	all := append([]string{}, values...)
	slices.Sort(all)
	return all
}

// Union returns the words of both lists, sorted and without duplicates.
func Union(a, b []string) []string { return slices.Compact(Sorted(append(slices.Clone(a), b...))) }

// SortedKeys returns the keys of a map, sorted.
func SortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
