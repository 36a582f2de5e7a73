package attributes

import (
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

// OneOf returns a validator that accepts only the given words.
func OneOf(what string, words ...string) validator.String { return oneOfValidator{what, words} }

type oneOfValidator struct {
	what  string // as an error names it, after "There is no"
	words []string
}

func (v oneOfValidator) Description(context.Context) string {
	return "must be one of " + strings.Join(v.words, ", ")
}

func (v oneOfValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v oneOfValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if value := req.ConfigValue.ValueString(); !slices.Contains(v.words, value) {
		resp.Diagnostics.AddAttributeError(req.Path, "Unknown "+v.what, diagnostics.NoSuch(v.what, value, v.words))
	}
}
