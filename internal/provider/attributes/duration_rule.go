package attributes

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

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
