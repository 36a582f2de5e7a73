package app

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
)

// plainApp returns the app that the tables and the drawn apps start from.
func plainApp() appModel {
	return appModel{InstanceID: types.StringValue("i-one"), Name: types.StringValue("web"), Repo: types.StringValue("octo/web"), appSettings: appSettings{Branch: types.StringValue("main"), Port: types.Int64Value(3000), HealthPath: types.StringValue("/healthz"), Public: types.BoolValue(true), MemoryMB: types.Int64Value(512), Links: types.SetNull(types.StringType)}, Env: types.MapNull(types.StringType), RedeployTriggers: types.MapNull(types.StringType), DeletionProtection: types.BoolValue(true), SecretEnvWO: types.MapNull(types.StringType)}
}

func stringsMap(values map[string]string) types.Map {
	return mapOf(values, types.MapUnknown(types.StringType))
}

// recordOfModel returns the record of an app with the attributes of a model.
func recordOfModel(m appModel) (a client.App) {
	attributes.Request(&m.appSettings, &a.AppSettings, attributes.Names(&m.appSettings))
	return a
}

// converging returns a convergence with its turn, from a state to a plan.
func converging(c *client.Client, turn *client.Turn, prior, planned appModel) *convergence {
	return &convergence{
		appResource: &appResource{base.Resource{Data: base.Data{Client: c}}}, turn: turn,
		goal: goal{prior: prior, planned: planned}, progress: progress{have: prior, keys: secretKeysOf(nil)},
	}
}
