package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

func newAppRestartAction() action.Action {
	return &instanceAction{
		name:        "app_restart",
		operation:   client.OpAppRestart,
		description: "Restarts an app. Use it after a rotation of passwords, or if the app hangs. Its `/data` is kept.",
		attributes:  appArguments,
		send: func(ctx context.Context, turn *client.Turn, a arguments) (client.Pending, error) {
			return turn.RestartApp(ctx, a["app"])
		},
	}
}

func newAppRedeployAction() action.Action {
	return &instanceAction{
		name:      "app_redeploy",
		operation: client.OpAppRedeploy,
		description: "Builds the newest commit of an app's branch and deploys it. Use it after a push. Its `/data` is kept. " +
			"If the build fails, the current version keeps running. If the new version does not answer its health path, the app is down.",
		attributes: appArguments,
		send: func(ctx context.Context, turn *client.Turn, a arguments) (client.Pending, error) {
			return turn.RedeployApp(ctx, a["app"])
		},
	}
}

// appArguments returns the arguments of an action on an app.
func appArguments(ctx context.Context) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"instance_id": required("The instance's id."),
		"app":         required("The app's name."),
		"timeouts":    actionTimeouts(ctx),
	}
}
