package portal

import (
	"slices"
	"strconv"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

func tagsField(tags []string) *field {
	return &field{Name: "tags", Label: "Tags", Kind: "text", Value: strings.Join(tags, ", "), Autocomplete: "off", Help: "Between commas."}
}

func showSettings(c *call) (*page, error) {
	p, err := c.instancePage("/settings", "settings")
	if err != nil {
		return nil, err
	}
	offer, err := c.Service.Plans(c.context())
	if err != nil {
		return nil, err
	}
	in := p.Instance
	p.Forms = []*form{
		{ID: "label", Action: instancePath(in.ID, "label"), Title: "Name and tags", Submit: "Save", Fields: []*field{
			{Name: "name", Label: "Name", Kind: "text", Value: in.Name, Required: true, Autocomplete: "off"}, tagsField(in.Tags),
		}},
		{ID: "resize", Action: instancePath(in.ID, "resize"), Title: "Plan", Submit: "Change the plan",
			Help: "The machine restarts. The engines have to fit into the new plan.",
			Sums: &memorySum{Fixed: engineMemory(in)}, Fields: []*field{planField(offer.Plans, in.Plan, "")}},
		question("rotate", instancePath(in.ID, "rotate"), "Change all passwords",
			"Every password and the auth service key are replaced. Clients with an old connection URL are refused at once.", c.urlLosses(in)...),
		{ID: "delete", Action: instancePath(in.ID, "delete"), Title: "Delete the instance", Submit: "Delete for good", Danger: true, Losses: c.losses(in),
			Fields: []*field{confirmField("This cannot be undone.", in.ID)}},
	}
	return p, nil
}

func relabel(c *call) (outcome, error) {
	in, err := c.Service.ReadInstance(c.context(), c.instance())
	if err != nil {
		return outcome{}, err
	}
	name, tags := c.r.PostForm.Get("name"), c.r.PostForm.Get("tags")
	change := core.InstanceChange{Name: &name}
	// A tag may contain a comma, so the list is only split if the user has changed it.
	if tags != tagsField(in.Tags).Value {
		list := listed(tags)
		change.Tags = &list
	}
	accepted, err := c.Service.UpdateInstance(c.instance(), change)
	return c.queued(accepted, err, "The name and the tags are being set.", "settings")
}

func deleteInstance(c *call) (outcome, error) {
	accepted, err := c.Service.DeleteInstance(c.instance(), c.r.PostForm.Get("confirm"))
	return outcome{to: Root + "/instances", notice: notice{Text: "The instance is being deleted.", JobID: accepted.JobID}}, err
}

func resize(c *call) (outcome, error) {
	accepted, err := c.Service.Resize(c.instance(), c.r.PostForm.Get("plan"))
	return c.queued(accepted, err, "The plan is being changed.", "settings")
}

func rotate(c *call) (outcome, error) {
	accepted, err := c.Service.Rotate(c.instance())
	return c.queued(accepted, err, "The passwords are being changed.", "settings")
}

func showBackups(c *call) (*page, error) {
	p, err := c.instancePage("/backups", "backups")
	if err != nil {
		return nil, err
	}
	list, err := c.Service.Backups(c.context(), c.instance())
	if err != nil {
		return nil, err
	}
	p.Data = list.Backups
	in, choices := p.Instance, []option{}
	for _, b := range list.Backups {
		choices = append(choices, option{b.ID, b.Kind + " of " + timeText(b.CreatedAt)})
	}
	if len(choices) > 0 {
		p.Forms = append(p.Forms, &form{ID: "restore", Action: instancePath(in.ID, "restore"), Title: "Restore a backup", Submit: "Restore", Danger: true,
			Help: "The data is put back to what it was then. An undo snapshot is taken first.", Losses: changesOf(c.databaseLosses(in)),
			Fields: []*field{
				{Name: "backup_id", Label: "Backup", Kind: choice, Choices: choices},
				confirmField("What was written since then is replaced.", in.ID),
			}})
	}
	engines := []option{{"", "All engines"}}
	for _, e := range enginesOf(in) {
		engines = append(engines, option{e.Name, e.Name})
	}
	p.Forms = append(p.Forms, &form{ID: "reset", Action: instancePath(in.ID, "reset"), Title: "Reset", Submit: "Empty", Danger: true,
		Help: "An engine begins empty again. An undo snapshot is taken first. With one engine chosen, the others keep their data.", Losses: c.dataLosses(in),
		Fields: []*field{
			{Name: "engine", Label: "Engine", Kind: choice, Choices: engines},
			confirmField("All data of the engine goes.", in.ID),
		}})
	return p, nil
}

func reset(c *call) (outcome, error) {
	accepted, err := c.Service.ResetEngines(c.instance(), c.r.PostForm.Get("confirm"), c.r.PostForm.Get("engine"))
	return c.queued(accepted, err, "The data is being emptied.", "backups")
}

func restore(c *call) (outcome, error) {
	accepted, err := c.Service.Restore(c.instance(), c.r.PostForm.Get("confirm"), c.r.PostForm.Get("backup_id"))
	return c.queued(accepted, err, "The backup is being restored.", "backups")
}

func showAllowlist(c *call) (*page, error) {
	p, err := c.instancePage("/allowlist", "allowlist")
	if err != nil {
		return nil, err
	}
	list, err := c.Service.Allowlist(c.context(), c.instance())
	if err != nil {
		return nil, err
	}
	p.Data = list.Allowlist
	p.Forms = []*form{{ID: "allowlist", Action: instancePath(p.Instance.ID, "allowlist"), Submit: "Save the allowlist", Fields: []*field{{
		Name: "allowlist", Label: "Addresses and CIDR blocks", Kind: textarea, Value: strings.Join(list.Allowlist, "\n"), Rows: 6, Code: true,
		Help: "One a line. An empty list opens the instance to the internet; TLS and a password are still required.",
	}, {Name: "before", Kind: hidden, Value: strings.Join(list.Allowlist, " ")}}}}
	p.Forms = append(p.Forms, c.addMine(p.Forms[0].Action, list.Allowlist)...)
	return p, nil
}

func setAllowlist(c *call) (outcome, error) {
	wanted, err := c.allowlistOf()
	if err != nil {
		return outcome{}, err
	}
	accepted, err := c.Service.SetAllowlist(c.instance(), wanted)
	return c.queued(accepted, err, "The allowlist is being set. It takes effect within a minute.", "allowlist")
}

func showEngines(c *call) (*page, error) {
	p, err := c.instancePage("/engines", "engines")
	if err != nil {
		return nil, err
	}
	offer, err := c.Service.Plans(c.context())
	if err != nil {
		return nil, err
	}
	in := p.Instance
	f := &form{ID: "engines", Action: instancePath(in.ID, "engines"), Title: "Engines and memory", Submit: "Set the engines", Pairs: true,
		Help: "An engine that is turned off loses its data. Without a budget an engine gets its minimum."}
	if at := slices.IndexFunc(offer.Plans, func(one core.Plan) bool { return one.ID == in.Plan }); at >= 0 {
		f.Sums = &memorySum{Plan: offerOf(offer.Plans[at])}
	}
	for _, name := range engineNames {
		engine, on := in.Engines[name]
		budget := ""
		if on {
			budget = strconv.Itoa(engine.MemoryMB)
			p.Forms = append(p.Forms, button("restart-"+name, instancePath(in.ID, "engines", name, "restart"), "Restart "+name))
		}
		f.Fields = append(f.Fields,
			&field{Name: "engines." + name, Label: name, Kind: checkbox, Checked: on, Floor: offer.Engines[name].FloorMB},
			&field{Name: "engines." + name + ".memory_mb", Label: "Memory of " + name + " in MB", Kind: "number", Value: budget, Autocomplete: "off",
				Help: strconv.Itoa(offer.Engines[name].FloorMB) + " at least"})
	}
	f.Fields = append(f.Fields, &field{Name: "confirm", Label: "Lose the data of the engines that this turns off", Kind: checkbox})
	p.Forms = append(p.Forms, f)
	p.Data = enginesOf(in)
	return p, nil
}

var engineNames = []string{core.EnginePostgres, core.EngineRedis, core.EngineCouchDB, core.EngineNATS, core.EngineApps, core.EngineAuth}

func setEngines(c *call) (outcome, error) {
	wanted := map[string]core.EngineBudget{}
	for _, name := range engineNames {
		if !c.r.PostForm.Has("engines." + name) {
			continue
		}
		budget, err := numberOf("engines."+name+".memory_mb", c.r.PostForm.Get("engines."+name+".memory_mb"))
		if err != nil {
			return outcome{}, err
		}
		wanted[name] = core.EngineBudget{MemoryMB: budget}
	}
	if err := c.sureAboutEngines(wanted); err != nil {
		return outcome{}, err
	}
	accepted, err := c.Service.SetEngines(c.instance(), wanted)
	return c.queued(accepted, err, "The engines are being set.", "engines")
}

// sureAboutEngines refuses a form that turns engines off without its confirmation.
func (c *call) sureAboutEngines(wanted map[string]core.EngineBudget) error {
	if c.r.PostForm.Has("confirm") {
		return nil
	}
	in, err := c.Service.ReadInstance(c.context(), c.instance())
	if err != nil {
		return err
	}
	if lost := c.engineLosses(&in, wanted); len(lost) > 0 {
		return core.Refuse(core.ConfirmMismatch, "this turns off %s; tick the box to lose it", strings.Join(lost, "; "))
	}
	return nil
}

// numberOf returns the number in a field, or nil if the field is empty.
func numberOf(name, text string) (*int, error) {
	if text = strings.TrimSpace(text); text == "" {
		return nil, nil //nolint:nilnil // an empty field means no number
	}
	number, err := strconv.Atoi(text)
	if err != nil {
		return nil, core.Refuse(core.ValidationError, "%s: it must be a whole number", name)
	}
	return &number, nil
}

func restartEngine(c *call) (outcome, error) {
	accepted, err := c.Service.RestartEngine(c.instance(), c.param("engine"))
	return c.queued(accepted, err, "The engine is being restarted.", "engines")
}

func showAuth(c *call) (*page, error) {
	p, err := c.instancePage("/auth", "auth")
	if err != nil {
		return nil, err
	}
	if _, on := p.Instance.Engines[core.EngineAuth]; !on {
		return p, nil
	}
	settings, err := c.Service.AuthSettings(c.context(), c.instance())
	if err != nil {
		return nil, err
	}
	p.Forms = []*form{{ID: "auth", Action: instancePath(p.Instance.ID, "auth"), Submit: "Save the settings", Fields: []*field{
		{Name: "site_url", Label: "Site URL", Kind: "text", Value: settings.SiteURL, Autocomplete: "off", Code: true, Help: "The public URL of the app, where people are sent back."},
		{Name: "redirect_urls", Label: "Redirect URLs", Kind: textarea, Value: strings.Join(settings.RedirectURLs, "\n"), Rows: 4, Code: true,
			Help: "One a line, such as the site URL followed by /**."},
	}}}
	return p, nil
}

func setAuth(c *call) (outcome, error) {
	site, redirects := strings.TrimSpace(c.r.PostForm.Get("site_url")), lines(c.r.PostForm.Get("redirect_urls"))
	accepted, err := c.Service.UpdateAuthSettings(c.instance(), core.AuthSettingsChange{SiteURL: &site, RedirectURLs: &redirects})
	return c.queued(accepted, err, "The auth settings are being set.", "auth")
}
