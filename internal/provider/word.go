package provider

import (
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// oneOf validates a word of a closed list.
func oneOf(what string, words ...string) validator.String { return word{what, words} }

type word struct {
	what  string // as an error names it, after "There is no"
	words []string
}

func (w word) Description(context.Context) string {
	return "must be one of " + strings.Join(w.words, ", ")
}

func (w word) MarkdownDescription(ctx context.Context) string { return w.Description(ctx) }

func (w word) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if value := req.ConfigValue.ValueString(); !slices.Contains(w.words, value) {
		resp.Diagnostics.AddAttributeError(req.Path, "Unknown "+w.what, noSuch(w.what, value, w.words))
	}
}
