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
		description: "Replaces every password of an instance, and the auth service key. Use it on a schedule, or after a leak. " +
			"**Old passwords stop working immediately**: replace every URL, and restart the apps. The auth anon key stays the same.\n\n" +
			"An ephemeral `hosting_connection` in the same apply needs `depends_on` with the resource that triggers the rotation. " +
			"Otherwise it may open with the old password.",
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
		name:      "instance_reset",
		operation: client.OpReset,
		description: "Deletes the data of one engine of an instance, or of all engines. Use it to empty a test instance. " +
			"**The data is lost**, except for the undo snapshot that the service takes first. The plan warns; `deletion_protection` does not prevent it.",
		attributes: func(ctx context.Context) map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"instance_id": required("The instance's id."),
				"confirm":     confirmation(),
				"engine":      schema.StringAttribute{Optional: true, Validators: []validator.String{notEmpty()}, MarkdownDescription: "Engine to empty. Default: all of them."},
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
		name:      "instance_restore",
		operation: client.OpRestore,
		description: "Restores an instance from a backup. Use it to undo a mistake. " +
			"**Everything after the backup is lost**, except for the undo snapshot that the service takes first. The plan warns; " +
			"`deletion_protection` does not prevent it.",
		attributes: func(ctx context.Context) map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"instance_id": required("The instance's id."),
				"confirm":     confirmation(),
				"backup_id":   required("Backup, an id from the data source `hosting_backups`."),
				"timeouts":    actionTimeouts(ctx),
			}
		},
		plan: planRestore,
		send: func(ctx context.Context, turn *client.Turn, a arguments) (client.Pending, error) {
			return turn.Restore(ctx, a["confirm"], a["backup_id"])
		},
	}
}
