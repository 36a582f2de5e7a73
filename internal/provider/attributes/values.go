package attributes

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
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

// Int64OrNull returns null for zero: a number of the service is zero only if the service
// did not return it.
func Int64OrNull(n int64) types.Int64 {
	if n == 0 {
		return types.Int64Null()
	}
	return types.Int64Value(n)
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

// A DurationRule validates a positive duration with a unit.
type DurationRule struct {
	forms  string // valid forms of a duration, with %s for the number
	number string // number in the forms if the value has none
}

// Description implements validator.Describer.
func (DurationRule) Description(context.Context) string {
	return "must be a duration such as 30s or 20m"
}

// MarkdownDescription implements validator.Describer.
func (r DurationRule) MarkdownDescription(ctx context.Context) string { return r.Description(ctx) }

// ValidateString implements validator.String.
func (r DurationRule) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	value := req.ConfigValue.ValueString()
	duration, err := time.ParseDuration(value)
	wrong, number := "is not a duration", r.number
	switch _, notNumber := strconv.ParseUint(value, 10, 32); {
	case err == nil && duration > 0:
		return
	case err == nil:
		wrong = "is not positive"
	case notNumber == nil:
		wrong, number = "has no unit", value
	}
	resp.Diagnostics.AddAttributeError(req.Path, "Invalid duration",
		fmt.Sprintf("%s %q %s. Write %s.", req.Path, value, wrong, fmt.Sprintf(r.forms, number)))
}

// RequestDuration returns the rule for the time limit of a request.
func RequestDuration() DurationRule {
	return DurationRule{forms: "%ss, 20m or 1h", number: "30"}
}

// TimeoutDuration returns the rule for an argument in timeouts. It suggests minutes,
// because that is how long an apply takes.
func TimeoutDuration() DurationRule { return DurationRule{forms: "%sm", number: "45"} }

// WebURL validates an absolute http or https URL.
type WebURL struct{ HTTPSOnly bool }

// Description implements validator.Describer.
func (v WebURL) Description(context.Context) string {
	if v.HTTPSOnly {
		return "must be an absolute https URL, like https://example.com/hook"
	}
	return "must be an absolute http or https URL, like https://example.com"
}

// MarkdownDescription implements validator.Describer.
func (v WebURL) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString implements validator.String.
func (v WebURL) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	value := req.ConfigValue.ValueString()
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || u.Scheme != "https" && (v.HTTPSOnly || u.Scheme != "http") {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid URL", fmt.Sprintf("%q %s.", value, v.Description(ctx)))
	}
}
