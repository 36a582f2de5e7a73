package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// A setting of an instance is there as soon as the instance is: to create it is
// to set it, to destroy it is to set it back. Nothing of one is saved before it
// is in force, so one that was interrupted is simply set again.

const settingTimeout = 20 * time.Minute

// set changes a setting and waits for its job.
func (b *resourceBase) set(ctx context.Context, instanceID string, timeout time.Duration, operation string, change func(context.Context, *client.Turn) (client.Pending, error)) error {
	return inTurn(ctx, b.client, instanceID, timeout, func(ctx context.Context, turn *client.Turn) error {
		return turn.Do(ctx, operation, func(ctx context.Context) (client.Pending, error) { return change(ctx, turn) })
	})
}

func settingTimeouts(ctx context.Context) schema.Attribute {
	return timeouts.Attributes(ctx, timeouts.Opts{
		Create: true, CreateDescription: "How long to wait for the setting to take effect. Default `20m`.",
		Update: true, UpdateDescription: "How long to wait for a change. Default `20m`.",
		Delete: true, DeleteDescription: "How long to wait when it is set back. Default `20m`.",
	})
}
