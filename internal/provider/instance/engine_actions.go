package instance

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/actions"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
)

// NewEngineRestartAction returns the action hosting_engine_restart.
func NewEngineRestartAction() action.Action {
	return &actions.InstanceAction{
		Name:        "engine_restart",
		Operation:   client.OpEngineRestart,
		Description: "Restarts one engine of an instance. Use it if the engine hangs. Its data is kept.",
		Attributes: func(ctx context.Context) map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"instance_id": actions.Required("The instance's id."),
				"engine":      actions.Required("Engine to restart."),
				"timeouts":    attributes.ActionTimeouts(ctx),
			}
		},
		Plan: func(ctx context.Context, p *actions.Plan) { p.CheckEngine(ctx) },
		Send: func(ctx context.Context, turn *client.Turn, a actions.Arguments) (client.Pending, error) {
			return turn.RestartEngine(ctx, a["engine"])
		},
	}
}
