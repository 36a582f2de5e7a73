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

// stringOrNull is null for the empty string: the service's "" and null mean the
// same, and Terraform's do not.
func stringOrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

// timeOrNull is a time in UTC, null when the service told none.
func timeOrNull(t client.Time) timetypes.RFC3339 {
	if t.IsZero() {
		return timetypes.NewRFC3339Null()
	}
	return timetypes.NewRFC3339TimeValue(t.UTC())
}

// setRecorded sets what a record tells; "" keeps the present value, or makes one
// that is not known yet null.
func setRecorded(v *types.String, recorded string) {
	switch {
	case recorded != "":
		*v = types.StringValue(recorded)
	case v.IsUnknown():
		*v = types.StringNull()
	}
}

// int64OrNull is null for zero, which the service's numbers are only when they
// are not told.
func int64OrNull(n int64) types.Int64 {
	if n == 0 {
		return types.Int64Null()
	}
	return types.Int64Value(n)
}

// nullIfUnknown makes a computed value that stayed unknown null, so that it can
// be saved before the service has told it.
func nullIfUnknown(v types.String) types.String {
	if v.IsUnknown() {
		return types.StringNull()
	}
	return v
}

// setOf is a set of strings; what a record tells twice is in it once. For none it
// is what the prior value says: a configuration may write an empty set or leave it
// out, and the service cannot tell the two apart.
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

// setOrNull is a set of strings of a record, null when the record does not hold it.
func setOrNull(recorded client.Maybe[[]string]) types.Set {
	if !recorded.Set {
		return types.SetNull(types.StringType)
	}
	return setOf(recorded.Value, types.SetValueMust(types.StringType, nil))
}

// stringsOf are the elements of a set of strings, sorted.
func stringsOf(ctx context.Context, set types.Set, diags *diag.Diagnostics) []string {
	values := []string{}
	if set.IsNull() || set.IsUnknown() {
		return values
	}
	diags.Append(set.ElementsAs(ctx, &values, false)...)
	slices.Sort(values)
	return values
}

// sorted is a sorted copy, never nil: an empty list is no null.
func sorted(values []string) []string {
	all := append([]string{}, values...)
	slices.Sort(all)
	return all
}

// union is the sorted words of both, each once.
func union(a, b []string) []string { return slices.Compact(sorted(append(slices.Clone(a), b...))) }

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// A durationRule validates a duration with a unit.
type durationRule struct {
	forms    string // of a duration, with %s for its number
	number   string // in the forms, for a value that has none
	positive bool   // zero and less are refused
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

// requestDuration is the rule of how long a request may take.
func requestDuration() durationRule {
	return durationRule{forms: "%ss, 20m or 1h", number: "30", positive: true}
}

// timeoutDuration is the rule of an argument in timeouts: an apply takes minutes.
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
