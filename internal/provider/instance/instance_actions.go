package instance

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/actions"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
)

// NewRotateAction returns the action hosting_instance_rotate.
func NewRotateAction() action.Action {
	return &actions.InstanceAction{
		Name:      "instance_rotate",
		Operation: client.OpRotate,
		Description: "Replaces every password of an instance, and the auth service key. Use it on a schedule, or after a leak. " +
			"**Old passwords stop working immediately**: replace every URL, and restart the apps. The auth anon key stays the same.\n\n" +
			"An ephemeral `hosting_connection` in the same apply needs `depends_on` with the resource that triggers the rotation. " +
			"Otherwise it may open with the old password.",
		Attributes: func(ctx context.Context) map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"instance_id": actions.Required("The instance's id."),
				"timeouts":    attributes.ActionTimeouts(ctx),
			}
		},
		Plan: actions.PlanRotate,
		Send: func(ctx context.Context, turn *client.Turn, _ actions.Arguments) (client.Pending, error) {
			return turn.Rotate(ctx)
		},
	}
}

// NewResetAction returns the action hosting_instance_reset.
func NewResetAction() action.Action {
	return &actions.InstanceAction{
		Name:      "instance_reset",
		Operation: client.OpReset,
		Description: "Deletes the data of one engine of an instance, or of all engines. Use it to empty a test instance. " +
			"**The data is lost**, except for the undo snapshot that the service takes first. The plan warns; `deletion_protection` does not prevent it.",
		Attributes: func(ctx context.Context) map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"instance_id": actions.Required("The instance's id."),
				"confirm":     actions.Confirmation(),
				"engine":      schema.StringAttribute{Optional: true, Validators: []validator.String{attributes.NotEmpty()}, MarkdownDescription: "Engine to empty. Default: all of them."},
				"timeouts":    attributes.ActionTimeouts(ctx),
			}
		},
		Plan: actions.PlanReset,
		Send: func(ctx context.Context, turn *client.Turn, a actions.Arguments) (client.Pending, error) {
			return turn.Reset(ctx, a["confirm"], a["engine"])
		},
	}
}

// NewRestoreAction returns the action hosting_instance_restore.
func NewRestoreAction() action.Action {
	return &actions.InstanceAction{
		Name:      "instance_restore",
		Operation: client.OpRestore,
		Description: "Restores an instance from a backup. Use it to undo a mistake. " +
			"**Everything after the backup is lost**, except for the undo snapshot that the service takes first. The plan warns; " +
			"`deletion_protection` does not prevent it.",
		Attributes: func(ctx context.Context) map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"instance_id": actions.Required("The instance's id."),
				"confirm":     actions.Confirmation(),
				"backup_id":   actions.Required("Backup, an id from the data source `hosting_backups`."),
				"timeouts":    attributes.ActionTimeouts(ctx),
			}
		},
		Plan: actions.PlanRestore,
		Send: func(ctx context.Context, turn *client.Turn, a actions.Arguments) (client.Pending, error) {
			return turn.Restore(ctx, a["confirm"], a["backup_id"])
		},
	}
}
