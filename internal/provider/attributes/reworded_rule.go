package attributes

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// A RewordedRule is a validator of the framework for several arguments, with an error in
// this provider's words.
type RewordedRule struct {
	Rule            validator.Describer
	Summary, Detail string
}

// AlsoNeeds rewords the rule that an argument requires another one.
func AlsoNeeds(argument, other string, rule validator.Describer) RewordedRule {
	return RewordedRule{rule, "Missing " + other, argument + " is set and needs " + other + " as well."}
}

// OneOfTwo rewords the rule that at most, or exactly, one of two arguments is set.
func OneOfTwo(first, second string, rule validator.Describer) RewordedRule {
	return RewordedRule{rule, "Either " + first + " or " + second, "Set one of " + first + " and " + second + ", and not the other."}
}

// Description implements validator.Describer.
func (r RewordedRule) Description(ctx context.Context) string { return r.Rule.Description(ctx) }

// MarkdownDescription implements validator.Describer.
func (r RewordedRule) MarkdownDescription(ctx context.Context) string {
	return r.Rule.MarkdownDescription(ctx)
}

// ValidateString implements validator.String.
func (r RewordedRule) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	var said validator.StringResponse
	if rule, ok := r.Rule.(validator.String); ok {
		rule.ValidateString(ctx, req, &said)
	}
	r.report(said.Diagnostics, req.Path, &resp.Diagnostics)
}

// ValidateInt64 implements validator.Int64.
func (r RewordedRule) ValidateInt64(ctx context.Context, req validator.Int64Request, resp *validator.Int64Response) {
	var said validator.Int64Response
	if rule, ok := r.Rule.(validator.Int64); ok {
		rule.ValidateInt64(ctx, req, &said)
	}
	r.report(said.Diagnostics, req.Path, &resp.Diagnostics)
}

// ValidateMap implements validator.Map.
func (r RewordedRule) ValidateMap(ctx context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	var said validator.MapResponse
	if rule, ok := r.Rule.(validator.Map); ok {
		rule.ValidateMap(ctx, req, &said)
	}
	r.report(said.Diagnostics, req.Path, &resp.Diagnostics)
}

func (r RewordedRule) report(said diag.Diagnostics, at path.Path, diags *diag.Diagnostics) {
	if said.HasError() {
		diags.AddAttributeError(at, r.Summary, r.Detail)
	}
}
