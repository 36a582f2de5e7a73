package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

func newEngineRestartAction() action.Action {
	return &instanceAction{
		name:        "engine_restart",
		operation:   client.OpEngineRestart,
		description: "Restarts one engine of an instance. Use it if the engine hangs. Its data is kept.",
		attributes: func(ctx context.Context) map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"instance_id": required("The instance's id."),
				"engine":      required("Engine to restart."),
				"timeouts":    actionTimeouts(ctx),
			}
		},
		plan: func(ctx context.Context, p *actionPlan) { p.checkEngine(ctx) },
		send: func(ctx context.Context, turn *client.Turn, a arguments) (client.Pending, error) {
			return turn.RestartEngine(ctx, a["engine"])
		},
	}
}
