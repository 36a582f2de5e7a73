package portal

import (
	"fmt"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// namesShown is the maximum number of names in a line about what is lost.
const namesShown = 12

// loss returns a line such as "Databases: shop, stock", or nothing without names.
func loss(what string, names []string) []string {
	if len(names) == 0 {
		return nil
	}
	rest := ""
	if len(names) > namesShown {
		rest = fmt.Sprintf(" and %d more", len(names)-namesShown)
		names = names[:namesShown]
	}
	return []string{what + ": " + strings.Join(names, ", ") + rest}
}

// losses names the contents of an instance that its deletion loses.
func (c *call) losses(in *core.InstanceRecord) []string {
	lost := c.dataLosses(in)
	lost = append(lost, c.appLosses(in)...)
	return append(lost, c.backupLosses(in)...)
}

// dataLosses names the engines of an instance and its databases.
func (c *call) dataLosses(in *core.InstanceRecord) []string {
	var engines []string
	for _, e := range enginesOf(in) {
		engines = append(engines, e.Name)
	}
	return append(loss("Engines with all their data", engines), c.databaseLosses(in)...)
}

// databaseLosses names the databases of an instance. An engine that is off has none.
func (c *call) databaseLosses(in *core.InstanceRecord) []string {
	var names []string
	if list, err := c.Service.ListDatabases(c.context(), in.ID); err == nil {
		for _, d := range list.Databases {
			names = append(names, d.Name)
		}
	}
	return loss("Databases", names)
}

// changesOf returns the losses of a restore, which loses only what was written since.
func changesOf(losses []string) []string {
	var changes []string
	for _, one := range losses {
		changes = append(changes, "What was written since the backup. "+one)
	}
	return changes
}

// urlLosses names the connection URLs that a rotation makes invalid.
func (c *call) urlLosses(in *core.InstanceRecord) []string {
	var names []string
	for _, e := range enginesOf(in) {
		if e.Name != core.EngineApps {
			names = append(names, e.Name)
		}
	}
	return loss("Passwords, keys and URLs", names)
}

func (c *call) appLosses(in *core.InstanceRecord) []string {
	var names []string
	if list, err := c.Service.ListApps(c.context(), in.ID); err == nil {
		for _, a := range list.Apps {
			names = append(names, a.Name)
		}
	}
	return loss("Apps with what they keep in /data", names)
}

func (c *call) backupLosses(in *core.InstanceRecord) []string {
	var names []string
	if list, err := c.Service.Backups(c.context(), in.ID); err == nil {
		for _, b := range list.Backups {
			names = append(names, b.ID)
		}
	}
	return loss("Backups", names)
}

// engineLosses names what the engines that a change turns off lose.
func (c *call) engineLosses(in *core.InstanceRecord, wanted map[string]core.EngineBudget) []string {
	var lost []string
	for _, e := range enginesOf(in) {
		if _, stays := wanted[e.Name]; stays {
			continue
		}
		what := e.Name + " with all its data"
		switch e.Name {
		case core.EnginePostgres:
			what = strings.Join(append([]string{what}, c.databaseLosses(in)...), ", ")
		case core.EngineApps:
			what = strings.Join(append([]string{what}, c.appLosses(in)...), ", ")
		}
		lost = append(lost, what)
	}
	return lost
}
