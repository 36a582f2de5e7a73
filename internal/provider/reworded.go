package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// A rewordedRule is a validator of the framework for several arguments, with an error in
// this provider's words.
type rewordedRule struct {
	rule            validator.Describer
	summary, detail string
}

// alsoNeeds rewords the rule that an argument requires another one.
func alsoNeeds(argument, other string, rule validator.Describer) rewordedRule {
	return rewordedRule{rule, "Missing " + other, argument + " is set and needs " + other + " as well."}
}

// oneOfTwo rewords the rule that at most, or exactly, one of two arguments is set.
func oneOfTwo(first, second string, rule validator.Describer) rewordedRule {
	return rewordedRule{rule, "Either " + first + " or " + second, "Set one of " + first + " and " + second + ", and not the other."}
}

func (r rewordedRule) Description(ctx context.Context) string { return r.rule.Description(ctx) }

func (r rewordedRule) MarkdownDescription(ctx context.Context) string {
	return r.rule.MarkdownDescription(ctx)
}

func (r rewordedRule) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	var said validator.StringResponse
	if rule, ok := r.rule.(validator.String); ok {
		rule.ValidateString(ctx, req, &said)
	}
	r.report(said.Diagnostics, req.Path, &resp.Diagnostics)
}

func (r rewordedRule) ValidateInt64(ctx context.Context, req validator.Int64Request, resp *validator.Int64Response) {
	var said validator.Int64Response
	if rule, ok := r.rule.(validator.Int64); ok {
		rule.ValidateInt64(ctx, req, &said)
	}
	r.report(said.Diagnostics, req.Path, &resp.Diagnostics)
}

func (r rewordedRule) ValidateMap(ctx context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	var said validator.MapResponse
	if rule, ok := r.rule.(validator.Map); ok {
		rule.ValidateMap(ctx, req, &said)
	}
	r.report(said.Diagnostics, req.Path, &resp.Diagnostics)
}

func (r rewordedRule) report(said diag.Diagnostics, at path.Path, diags *diag.Diagnostics) {
	if said.HasError() {
		diags.AddAttributeError(at, r.summary, r.detail)
	}
}
