package portal

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

func showApps(c *call) (*page, error) {
	p, err := c.instancePage("/apps", "apps")
	if err != nil {
		return nil, err
	}
	list, err := c.Service.ListApps(c.context(), c.instance())
	if err != nil {
		return nil, err
	}
	p.Data = list.Apps
	usual, public := core.SettingsOf(&core.UsualApp), true
	usual.Public = &public
	p.Busy = p.Busy || slices.ContainsFunc(list.Apps, func(a core.AppRecord) bool { return a.Status == core.StatusBuilding })
	p.Forms = []*form{{ID: "import", Action: instancePath(p.Instance.ID, "apps"), Title: "Import an app", Submit: "Import and build", Fields: slices.Concat(
		[]*field{
			{Name: "repo", Label: "Repository", Kind: "text", Required: true, Autocomplete: "off", Code: true, Help: "As owner/name."},
			{Name: "name", Label: "Name", Kind: "text", Required: true, Autocomplete: "off", Code: true, Help: "Lower case letters, digits and hyphens."},
		}, appFields(usual))}}
	return p, nil
}

// appWords has the labels and the help of settings whose names do not say enough.
var appWords = map[string]struct{ label, help string }{
	"port":      {"Port", "Where the app listens; it gets it as PORT."},
	"memory_mb": {"Memory in MB", "The minimum when left empty."},
	"public":    {"Public: it gets a URL", ""},
	"env":       {"Variables", `NAME=value, one a line; a value with more lines in quotes, as "one\ntwo". A change needs a build.`},
}

// appFields returns the fields that the forms for an import and a change of an app share,
// with their present values.
func appFields(now core.AppChange) (fields []*field) {
	usual := core.SettingsOf(&core.UsualApp)
	needed := core.Sent(&usual)
	for name, value := range core.Fields(&now) {
		words := appWords[name]
		f := &field{Name: name, Label: cmp.Or(words.label, strings.ToUpper(name[:1])+strings.ReplaceAll(name[1:], "_", " ")), Help: words.help}
		switch value := value.(type) {
		case **string:
			f.Kind, f.Value, f.Autocomplete, f.Code = "text", valueOf(*value), "off", true
		case **int:
			f.Kind, f.Autocomplete = "number", "off"
			if *value != nil {
				f.Value = strconv.Itoa(**value)
			}
			if *value != nil && needed[name] == nil {
				f.Help = "Stays as it is when left empty."
			}
		case **bool:
			f.Kind, f.Checked = checkbox, valueOf(*value)
		case **map[string]string:
			f.Kind, f.Value, f.Rows, f.Code = textarea, variableLines(valueOf(*value)), 5, true
		default:
			continue // an import has no links
		}
		f.Required = needed[name] != nil
		fields = append(fields, f)
	}
	return fields
}

// valueOf returns the target of a pointer, or zero if it is nil.
func valueOf[T any](pointer *T) (value T) {
	if pointer != nil {
		value = *pointer
	}
	return value
}

// variableLines writes variables in the form that variablesOf reads.
func variableLines(env map[string]string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		value := env[name]
		if strings.ContainsAny(value, "\r\n") || strings.HasPrefix(value, `"`) {
			value = strconv.Quote(value)
		}
		list = append(list, name+"="+value)
	}
	return strings.Join(list, "\n")
}

// variablesOf reads lines of NAME=value. A value may be in quotes, with \n for a line
// break.
func variablesOf(text string) (map[string]string, error) {
	env := map[string]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, core.Refuse(core.ValidationError, "env: %q is not of the form NAME=value", line)
		}
		if strings.HasPrefix(value, `"`) {
			if quoted, err := strconv.Unquote(value); err == nil {
				value = quoted
			}
		}
		env[strings.TrimSpace(name)] = value
	}
	return env, nil
}

// changeOf returns the change of an app in a form.
func (c *call) changeOf() (change core.AppChange, err error) {
	for name, field := range core.Fields(&change) {
		text, there := strings.TrimSpace(c.r.PostForm.Get(name)), c.r.PostForm.Has(name)
		switch field := field.(type) {
		case **string:
			*field = &text
		case **int:
			*field, err = numberOf(name, text)
		case **bool:
			*field = &there
		case **map[string]string:
			var env map[string]string
			env, err = variablesOf(c.r.PostForm.Get(name))
			*field = &env
		}
		if err != nil {
			return change, err
		}
	}
	return change, nil
}

func importApp(c *call) (outcome, error) {
	change, err := c.changeOf()
	if err != nil {
		return outcome{}, err
	}
	name := strings.TrimSpace(c.r.PostForm.Get("name"))
	accepted, err := c.Service.ImportApp(c.instance(), core.NewApp{Repo: strings.TrimSpace(c.r.PostForm.Get("repo")), Name: name, AppChange: change})
	return c.queued(core.Accepted{JobID: accepted.JobID}, err, "The app "+name+" is being imported, and then built.", "apps")
}

// appShown is an app with its builds.
type appShown struct {
	App    core.AppRecord
	Builds []core.BuildRecord
	// FailedBuild is the newest build if it failed.
	FailedBuild *core.BuildRecord
	Log         string
}

func showApp(c *call) (*page, error) {
	p, err := c.instancePage("/apps", "app")
	if err != nil {
		return nil, err
	}
	app, err := c.Service.ReadApp(c.context(), c.instance(), c.param("name"))
	if err != nil {
		return nil, err
	}
	builds, err := c.Service.Builds(c.context(), c.instance(), app.Name)
	if err != nil {
		return nil, err
	}
	p.Title = "App " + app.Name
	p.Busy = p.Busy || app.Status == core.StatusBuilding || slices.ContainsFunc(builds.Builds, func(b core.BuildRecord) bool { return b.FinishedAt == nil })
	shown := appShown{App: app, Builds: builds.Builds, Log: c.Service.AppLog(c.instance(), app.Name)}
	if len(shown.Builds) > 0 && shown.Builds[0].Status == core.StatusFailed {
		shown.FailedBuild = &shown.Builds[0]
	}
	p.Data = shown
	at := func(parts ...string) string {
		return instancePath(p.Instance.ID, slices.Concat([]string{"apps", app.Name}, parts)...)
	}
	p.Live = at()
	p.Forms = []*form{
		button("redeploy", at("redeploy"), "Redeploy the newest commit"),
		button("restart", at("restart"), "Restart"),
		{ID: "app", Action: at(), Title: "Settings", Submit: "Save", Fields: append(appFields(core.SettingsOf(&app)),
			&field{Name: "links.auth", Label: "Linked to the auth engine", Kind: checkbox, Checked: slices.Contains(app.Links, core.EngineAuth)})},
		{ID: "delete", Action: at("delete"), Title: "Delete the app", Submit: "Delete for good", Danger: true,
			Losses: []string{"App: " + app.Name + " with its URL, builds and logs", "What it keeps in /data"},
			Fields: []*field{confirmField("This cannot be undone.", app.Name)}},
	}
	return p, nil
}

// updateApp sends only the changed values, because a change of variables needs a build.
func updateApp(c *call) (outcome, error) {
	change, err := c.changeOf()
	if err != nil {
		return outcome{}, err
	}
	app, err := c.Service.ReadApp(c.context(), c.instance(), c.param("name"))
	if err != nil {
		return outcome{}, err
	}
	if maps.Equal(*change.Env, app.Env) {
		change.Env = nil
	}
	links := []string{}
	if c.r.PostForm.Has("links.auth") {
		links = append(links, core.EngineAuth)
	}
	if !slices.Equal(links, app.Links) {
		change.Links = &links
	}
	accepted, err := c.Service.UpdateApp(c.instance(), app.Name, change)
	return c.appQueued(accepted, err, "The app is being changed.")
}

func (c *call) appQueued(accepted core.AcceptedBuild, err error, text string) (outcome, error) {
	return c.queued(core.Accepted{JobID: accepted.JobID}, err, text, "apps", c.param("name"))
}

func redeployApp(c *call) (outcome, error) {
	accepted, err := c.Service.RedeployApp(c.instance(), c.param("name"))
	return c.appQueued(accepted, err, "A build of the newest commit is being queued.")
}

func restartApp(c *call) (outcome, error) {
	accepted, err := c.Service.RestartApp(c.instance(), c.param("name"))
	return c.queued(accepted, err, "The app is being restarted.", "apps", c.param("name"))
}

func deleteApp(c *call) (outcome, error) {
	if err := c.confirmed(c.param("name")); err != nil {
		return outcome{}, err
	}
	accepted, err := c.Service.DeleteApp(c.instance(), c.param("name"))
	return c.queued(accepted, err, "The app is being deleted.", "apps")
}

// buildShown is a build with its log.
type buildShown struct {
	App   string
	Build core.BuildRecord
	Log   string
}

func showBuild(c *call) (*page, error) {
	p, err := c.instancePage("/apps", "build")
	if err != nil {
		return nil, err
	}
	builds, err := c.Service.Builds(c.context(), c.instance(), c.param("name"))
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(builds.Builds, func(b core.BuildRecord) bool { return b.ID == c.param("build") })
	if at < 0 {
		return nil, core.Refuse(core.NotFound, "the app %q has no build %q", c.param("name"), c.param("build"))
	}
	log, _ := c.Service.BuildLog(c.instance(), c.param("name"), c.param("build"))
	p.Title, p.Data = "Build "+builds.Builds[at].ID+" of "+c.param("name"), buildShown{c.param("name"), builds.Builds[at], log}
	p.Live, p.Busy = c.r.URL.EscapedPath(), p.Busy || builds.Builds[at].FinishedAt == nil
	return p, nil
}
