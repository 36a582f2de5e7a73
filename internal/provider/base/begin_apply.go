package base

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
)

type operationKey struct{}

// BeginApply is the first step of each Create, Update and Delete. It stores the operation's
// name, which is also its argument in timeouts, and records that this process applies.
func (b *Resource) BeginApply(ctx context.Context, operation string) context.Context {
	b.Planned.NoteApply()
	return context.WithValue(ctx, operationKey{}, operation)
}

type instanceNameKey struct{}

// WithInstanceName stores the name of the instance that a call changes.
func WithInstanceName(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, instanceNameKey{}, name)
}

// InstanceNameOf returns the name that WithInstanceName has stored, or "".
func InstanceNameOf(ctx context.Context) string {
	name, _ := ctx.Value(instanceNameKey{}).(string)
	return name
}

// WithTimeout limits an operation so that an error names the limit: "the create timeout
// of 30m".
func WithTimeout(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	operation, _ := ctx.Value(operationKey{}).(string)
	return lifetime.WithTimeout(ctx, operation, limit)
}

// DropRepeatedWarnings is the last step of planning an existing resource. If this process
// has applied something, it is an apply that plans again, so the plan has already shown
// the warnings. DropRepeatedWarnings then removes them, but keeps errors. Warnings about
// new resources are also kept, because the plan may have lacked the values for them.
func (b *Resource) DropRepeatedWarnings(exists bool, diags *diag.Diagnostics) {
	if !exists || !b.Planned.HasApplied() {
		return
	}
	*diags = diags.Errors()
}
