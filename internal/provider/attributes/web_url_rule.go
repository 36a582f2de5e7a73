package attributes

import (
	"context"
	"fmt"
	"net/url"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

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
