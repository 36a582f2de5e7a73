package attributes

import (
	"context"

	actiontimeouts "github.com/hashicorp/terraform-plugin-framework-timeouts/action/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	actionschema "github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// ResourceTimeouts returns the argument timeouts of a resource. Its validators name the
// argument that is not a duration; those of the module do not.
func ResourceTimeouts(ctx context.Context, opts timeouts.Opts) schema.Attribute {
	attribute := timeouts.Attributes(ctx, opts)
	if nested, ok := attribute.(schema.SingleNestedAttribute); ok {
		for name, each := range nested.Attributes {
			if limit, ok := each.(schema.StringAttribute); ok {
				limit.Validators = []validator.String{TimeoutDuration()}
				nested.Attributes[name] = limit
			}
		}
	}
	return attribute
}

// ActionTimeouts returns the argument timeouts of an action.
func ActionTimeouts(ctx context.Context) actionschema.Attribute {
	attribute := actiontimeouts.AttributesWithOpts(ctx, actiontimeouts.Opts{InvokeDescription: "How long to wait for the action. Default `60m`."})
	if nested, ok := attribute.(actionschema.SingleNestedAttribute); ok {
		for name, each := range nested.Attributes {
			if limit, ok := each.(actionschema.StringAttribute); ok {
				limit.Validators = []validator.String{TimeoutDuration()}
				nested.Attributes[name] = limit
			}
		}
	}
	return attribute
}
