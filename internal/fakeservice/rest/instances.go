package rest

import (
	"strconv"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

func listInstances(c *call) response {
	return found(c.service.ListInstances(c.context(), c.query.Get("cursor"), c.limit()))
}

// limit is how many records a page is to hold.
func (c *call) limit() int {
	text := c.query.Get("limit")
	if text == "" {
		return core.PageLimit
	}
	limit, _ := strconv.Atoi(text) // what is no number is 0, which is refused
	return limit
}

func createInstance(c *call) response {
	var wanted core.NewInstance
	return read(c, &wanted, func() response { return accepted(c.service.CreateInstance(wanted, c.portal)) })
}

func getInstance(c *call) response {
	return found(c.service.ReadInstance(c.context(), c.instance()))
}

func updateInstance(c *call) response {
	var wanted core.InstanceChange
	return read(c, &wanted, func() response { return accepted(c.service.UpdateInstance(c.instance(), wanted)) })
}

func deleteInstance(c *call) response {
	return accepted(c.service.DeleteInstance(c.instance(), c.confirm()))
}

func setEngines(c *call) response {
	var wanted struct {
		Engines map[string]core.EngineBudget `json:"engines"`
	}
	return read(c, &wanted, func() response { return accepted(c.service.SetEngines(c.instance(), wanted.Engines)) })
}

func getAllowlist(c *call) response { return found(c.service.Allowlist(c.context(), c.instance())) }

func setAllowlist(c *call) response {
	var wanted core.AllowlistRecord
	return read(c, &wanted, func() response { return accepted(c.service.SetAllowlist(c.instance(), wanted.Allowlist)) })
}

func getConsole(c *call) response { return found(c.service.Console(c.context(), c.instance())) }

func setConsole(c *call) response {
	var wanted core.ConsoleRecord
	return read(c, &wanted, func() response { return accepted(c.service.SetConsole(c.instance(), wanted.Mode)) })
}

func rotate(c *call) response { return accepted(c.service.Rotate(c.instance())) }

func resize(c *call) response {
	var wanted struct {
		Plan string `json:"plan"`
	}
	return read(c, &wanted, func() response { return accepted(c.service.Resize(c.instance(), wanted.Plan)) })
}

func reset(c *call) response {
	var wanted struct {
		Confirm string `json:"confirm"`
		Engine  string `json:"engine"`
	}
	return read(c, &wanted, func() response {
		return accepted(c.service.ResetEngines(c.instance(), wanted.Confirm, wanted.Engine))
	})
}

func restore(c *call) response {
	var wanted struct {
		Confirm  string `json:"confirm"`
		BackupID string `json:"backup_id"`
	}
	return read(c, &wanted, func() response {
		return accepted(c.service.Restore(c.instance(), wanted.Confirm, wanted.BackupID))
	})
}

func restartEngine(c *call) response {
	return accepted(c.service.RestartEngine(c.instance(), c.param("engine")))
}

func listBackups(c *call) response { return found(c.service.Backups(c.context(), c.instance())) }

func getConnection(c *call) response { return found(c.service.Connection(c.context(), c.instance())) }

func getAuthSettings(c *call) response {
	return found(c.service.AuthSettings(c.context(), c.instance()))
}

func updateAuthSettings(c *call) response {
	var wanted core.AuthSettingsChange
	return read(c, &wanted, func() response { return accepted(c.service.UpdateAuthSettings(c.instance(), wanted)) })
}
