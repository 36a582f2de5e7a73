package rest

func query(c *call) response {
	var wanted struct {
		SQL      string `json:"sql"`
		Database string `json:"database"`
	}
	return read(c, &wanted, func() response {
		return found(c.service.RunStatement(c.context(), c.instance(), wanted.Database, wanted.SQL))
	})
}

func listDatabases(c *call) response {
	return found(c.service.ListDatabases(c.context(), c.instance()))
}

func createDatabase(c *call) response {
	var wanted struct {
		Name string `json:"name"`
	}
	return read(c, &wanted, func() response {
		return accepted(c.service.CreateDatabase(c.context(), c.instance(), wanted.Name))
	})
}

func dropDatabase(c *call) response {
	return accepted(c.service.DropDatabase(c.context(), c.instance(), c.param("name")))
}

func listExtensions(c *call) response {
	return found(c.service.ListExtensions(c.context(), c.instance(), c.query.Get("database")))
}

func setExtension(c *call) response {
	var wanted struct {
		Database string `json:"database"`
	}
	return read(c, &wanted, func() response {
		return accepted(c.service.SetExtension(c.context(), c.instance(), wanted.Database, c.param("name")))
	})
}

func dropExtension(c *call) response {
	return accepted(c.service.DropExtension(c.context(), c.instance(), c.query.Get("database"), c.param("name")))
}
