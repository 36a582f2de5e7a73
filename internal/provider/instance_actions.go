package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

func newInstanceRotateAction() action.Action {
	return &instanceAction{
		name:      "instance_rotate",
		operation: client.OpRotate,
		description: "Changes every password of an instance, and the auth service key. " +
			"**Every old URL stops working and must be replaced.** The auth anon key stays.",
		attributes: func(ctx context.Context) map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"instance_id": required("The instance's id."),
				"timeouts":    actionTimeouts(ctx),
			}
		},
		plan: planRotate,
		send: func(ctx context.Context, turn *client.Turn, _ arguments) (client.Pending, error) {
			return turn.Rotate(ctx)
		},
	}
}

func newInstanceResetAction() action.Action {
	return &instanceAction{
		name:        "instance_reset",
		operation:   client.OpReset,
		description: "Empties one engine of an instance, or all of them. **Their data is lost**, but for the undo snapshot that the service takes. The plan warns; the instance's `deletion_protection` does not hinder it.",
		attributes: func(ctx context.Context) map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"instance_id": required("The instance's id."),
				"confirm":     confirmation(),
				"engine":      schema.StringAttribute{Optional: true, Validators: []validator.String{notEmpty()}, MarkdownDescription: "The engine to empty. Default: all of them."},
				"timeouts":    actionTimeouts(ctx),
			}
		},
		plan: planReset,
		send: func(ctx context.Context, turn *client.Turn, a arguments) (client.Pending, error) {
			return turn.Reset(ctx, a["confirm"], a["engine"])
		},
	}
}

func newInstanceRestoreAction() action.Action {
	return &instanceAction{
		name:        "instance_restore",
		operation:   client.OpRestore,
		description: "Puts an instance back to a backup. **What came after it is lost**, but for the undo snapshot that the service takes. The plan warns; the instance's `deletion_protection` does not hinder it.",
		attributes: func(ctx context.Context) map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"instance_id": required("The instance's id."),
				"confirm":     confirmation(),
				"backup_id":   required("The backup, an id from the data source `hosting_backups`."),
				"timeouts":    actionTimeouts(ctx),
			}
		},
		plan: planRestore,
		send: func(ctx context.Context, turn *client.Turn, a arguments) (client.Pending, error) {
			return turn.Restore(ctx, a["confirm"], a["backup_id"])
		},
	}
}
