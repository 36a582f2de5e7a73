package rest

import "github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"

func importApp(c *call) response {
	var wanted core.NewApp
	return read(c, &wanted, func() response { return accepted(c.service.ImportApp(c.instance(), wanted)) })
}

func listApps(c *call) response { return found(c.service.ListApps(c.context(), c.instance())) }

func getApp(c *call) response {
	return found(c.service.ReadApp(c.context(), c.instance(), c.param("name")))
}

func updateApp(c *call) response {
	var wanted core.AppChange
	return read(c, &wanted, func() response { return accepted(c.service.UpdateApp(c.instance(), c.param("name"), wanted)) })
}

func deleteApp(c *call) response {
	return accepted(c.service.DeleteApp(c.instance(), c.param("name")))
}

func listBuilds(c *call) response {
	return found(c.service.BuildPage(c.context(), c.instance(), c.param("name"), c.query.Get("cursor"), c.limit()))
}

func redeployApp(c *call) response {
	return accepted(c.service.RedeployApp(c.instance(), c.param("name")))
}

func restartApp(c *call) response {
	return accepted(c.service.RestartApp(c.instance(), c.param("name")))
}
