package app

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/actions"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
)

// NewRestartAction returns the action hosting_app_restart.
func NewRestartAction() action.Action {
	return &actions.InstanceAction{
		Name:        "app_restart",
		Operation:   client.OpAppRestart,
		Description: "Restarts an app. Use it after a rotation of passwords, or if the app hangs. Its `/data` is kept.",
		Attributes:  appArguments,
		Send: func(ctx context.Context, turn *client.Turn, a actions.Arguments) (client.Pending, error) {
			return turn.RestartApp(ctx, a["app"])
		},
	}
}

// NewRedeployAction returns the action hosting_app_redeploy.
func NewRedeployAction() action.Action {
	return &actions.InstanceAction{
		Name:      "app_redeploy",
		Operation: client.OpAppRedeploy,
		Description: "Builds the newest commit of an app's branch and deploys it. Use it after a push. Its `/data` is kept. " +
			"If the build fails, the current version keeps running. If the new version does not answer its health path, the app is down.",
		Attributes: appArguments,
		Send: func(ctx context.Context, turn *client.Turn, a actions.Arguments) (client.Pending, error) {
			return turn.RedeployApp(ctx, a["app"])
		},
	}
}

// appArguments returns the arguments of an action on an app.
func appArguments(ctx context.Context) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"instance_id": actions.Required("The instance's id."),
		"app":         actions.Required("The app's name."),
		"timeouts":    attributes.ActionTimeouts(ctx),
	}
}
