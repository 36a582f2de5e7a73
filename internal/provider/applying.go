package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

type operationKey struct{}

// applying begins each Create, Update and Delete. It names the operation for its
// timeout, as the argument timeouts calls it, and notes that this process applies.
func (b *resourceBase) applying(ctx context.Context, operation string) context.Context {
	b.planned.noteApply()
	return context.WithValue(ctx, operationKey{}, operation)
}

// withTimeout bounds an operation, so that an error names what is over: "the create
// timeout of 30m".
func withTimeout(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	operation, _ := ctx.Value(operationKey{}).(string)
	return client.WithTimeout(ctx, operation, limit)
}

// withoutRepeats ends the planning of a resource that exists: where this process has
// applied something, it is the apply that plans once more, and the plan's warnings
// have been said. Errors stay, and so do the warnings of what is created, which may
// have been unknown to the plan.
func (b *resourceBase) withoutRepeats(exists bool, diags *diag.Diagnostics) {
	if !exists || !b.planned.hasApplied() {
		return
	}
	*diags = diags.Errors()
}
