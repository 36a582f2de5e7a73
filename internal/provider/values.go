package provider

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

// stringOrNull returns null for the empty string. The service does not distinguish ""
// from null, but Terraform does.
func stringOrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

// timeOrNull returns a time in UTC, or null if the service returned none.
func timeOrNull(t client.Time) timetypes.RFC3339 {
	if t.IsZero() {
		return timetypes.NewRFC3339Null()
	}
	return timetypes.NewRFC3339TimeValue(t.UTC())
}

// setRecorded sets a value from a record. If recorded is "", a known value is kept, and
// an unknown value becomes null.
func setRecorded(v *types.String, recorded string) {
	switch {
	case recorded != "":
		*v = types.StringValue(recorded)
	case v.IsUnknown():
		*v = types.StringNull()
	}
}

// int64OrNull returns null for zero: a number of the service is zero only if the service
// did not return it.
func int64OrNull(n int64) types.Int64 {
	if n == 0 {
		return types.Int64Null()
	}
	return types.Int64Value(n)
}

// nullIfUnknown returns null for a value that is still unknown, so that it can be saved
// before the service returns it.
func nullIfUnknown(v types.String) types.String {
	if v.IsUnknown() {
		return types.StringNull()
	}
	return v
}

// setOf returns a set of strings without duplicates. For no strings, it returns an empty
// set if the prior value is empty or unknown, and null otherwise. A configuration may
// write an empty set or omit it, and the service does not distinguish the two.
func setOf(values []string, prior types.Set) types.Set {
	if len(values) == 0 && !prior.IsUnknown() {
		if prior.IsNull() || len(prior.Elements()) > 0 {
			return types.SetNull(types.StringType)
		}
		return prior
	}
	var elements []attr.Value
	for _, value := range slices.Compact(sorted(values)) {
		elements = append(elements, types.StringValue(value))
	}
	return types.SetValueMust(types.StringType, elements)
}

// setOrNull returns the set of strings of a record, or null if the record does not have
// it.
func setOrNull(recorded client.Maybe[[]string]) types.Set {
	if !recorded.Set {
		return types.SetNull(types.StringType)
	}
	return setOf(recorded.Value, types.SetValueMust(types.StringType, nil))
}

// stringsOf returns the elements of a set of strings, sorted.
func stringsOf(ctx context.Context, set types.Set, diags *diag.Diagnostics) []string {
	values := []string{}
	if set.IsNull() || set.IsUnknown() {
		return values
	}
	diags.Append(set.ElementsAs(ctx, &values, false)...)
	slices.Sort(values)
	return values
}

// sorted returns a sorted copy. It is never nil, because an empty list is not null.
func sorted(values []string) []string {
	all := append([]string{}, values...)
	slices.Sort(all)
	return all
}

// union returns the words of both lists, sorted and without duplicates.
func union(a, b []string) []string { return slices.Compact(sorted(append(slices.Clone(a), b...))) }

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// A durationRule validates a duration with a unit.
type durationRule struct {
	forms    string // valid forms of a duration, with %s for the number
	number   string // number in the forms if the value has none
	positive bool   // zero and negative durations are refused
}

func (durationRule) Description(context.Context) string {
	return "must be a duration such as 30s or 20m"
}

func (r durationRule) MarkdownDescription(ctx context.Context) string { return r.Description(ctx) }

func (r durationRule) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	value := req.ConfigValue.ValueString()
	duration, err := time.ParseDuration(value)
	wrong, number := "is not a duration", r.number
	switch _, notNumber := strconv.ParseUint(value, 10, 32); {
	case err == nil && (duration > 0 || !r.positive):
		return
	case err == nil:
		wrong = "is not positive"
	case notNumber == nil:
		wrong, number = "has no unit", value
	}
	resp.Diagnostics.AddAttributeError(req.Path, "Invalid duration",
		fmt.Sprintf("%s %q %s. Write %s.", req.Path, value, wrong, fmt.Sprintf(r.forms, number)))
}

// requestDuration returns the rule for the time limit of a request.
func requestDuration() durationRule {
	return durationRule{forms: "%ss, 20m or 1h", number: "30", positive: true}
}

// timeoutDuration returns the rule for an argument in timeouts. It suggests minutes,
// because that is how long an apply takes.
func timeoutDuration() durationRule { return durationRule{forms: "%sm", number: "45"} }

// webURL validates an absolute http or https URL.
type webURL struct{ httpsOnly bool }

func (v webURL) Description(context.Context) string {
	if v.httpsOnly {
		return "must be an absolute https URL, like https://example.com/hook"
	}
	return "must be an absolute http or https URL, like https://example.com"
}

func (v webURL) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v webURL) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	value := req.ConfigValue.ValueString()
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || u.Scheme != "https" && (v.httpsOnly || u.Scheme != "http") {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid URL", fmt.Sprintf("%q %s.", value, v.Description(ctx)))
	}
}
