package fakeservice

import (
	"context"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// app is an imported repository with what the API does not show of it.
type app struct {
	App
	// deployed tells whether a version runs, so that a failed build leaves it.
	deployed bool
}

var (
	appName    = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$`)
	repository = regexp.MustCompile(`^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$`)
	envName    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

func (in *instance) app(name string) *app {
	at := slices.IndexFunc(in.apps, func(a *app) bool { return a.Name == name })
	if at < 0 {
		return nil
	}
	return in.apps[at]
}

// app is an app of the machine, to be changed without touching the record.
func (m Machine) app(name string) *app {
	at := slices.IndexFunc(m.Apps, func(a App) bool { return a.Name == name })
	if at < 0 {
		return nil
	}
	return &app{App: m.Apps[at].clone()}
}

func (in *instance) removeApp(a *app) {
	in.apps = slices.DeleteFunc(in.apps, func(other *app) bool { return other == a })
}

// readApp and changeableApp return the app that a call is about.
func (st *state) readApp(c *call) (*app, error) {
	in, err := st.lookup(c)
	if err != nil {
		return nil, err
	}
	return in.appOrNotFound(c.param("name"))
}

func (st *state) changeableApp(c *call) (*instance, *app, error) {
	in, err := st.changeable(c)
	if err != nil {
		return nil, nil, err
	}
	a, err := in.appOrNotFound(c.param("name"))
	return in, a, err
}

func (in *instance) appOrNotFound(name string) (*app, error) {
	a := in.app(name)
	if a == nil {
		return nil, notFound("the instance %q has no app %q", in.ID, name)
	}
	return a, nil
}

// updateURL gives a deployed public app its address and takes it from any
// other.
func (st *state) updateURL(in *instance, a *app) {
	a.URL = st.endpoints(in).AppURLs[a.Name]
}

func (st *state) listApps(c *call) response {
	in, err := st.lookup(c)
	if err != nil {
		return fail(err)
	}
	views := make([]map[string]any, 0, len(in.apps))
	for _, a := range in.apps {
		views = append(views, viewApp(a))
	}
	return answer(http.StatusOK, map[string]any{"apps": views})
}

func (st *state) getApp(c *call) response {
	a, err := st.readApp(c)
	if err != nil {
		return fail(err)
	}
	return answer(http.StatusOK, viewApp(a))
}

func viewApp(a *app) map[string]any {
	env := maps.Clone(a.Env)
	if env == nil {
		env = map[string]string{}
	}
	view := map[string]any{
		"name": a.Name, "repo": a.Repo, "branch": a.Branch, "port": a.Port, "health_path": a.HealthPath,
		"public": a.Public, "env": env, "links": listOf(a.Links), "memory_mb": a.MemoryMB,
		"url": textOrNull(a.URL), "status": a.Status, "created_at": a.CreatedAt,
	}
	if why := a.Failure; why != nil && a.Status == StatusFailed {
		failure := map[string]any{"status": nil, "exited": why.Exited, "log": why.Log}
		if why.Status != 0 {
			failure["status"] = why.Status
		}
		view["failure"] = failure
	}
	return view
}

// appChange is what a request says of an app. What is nil was not sent.
type appChange struct {
	Branch     *string
	Port       *int
	HealthPath *string `json:"health_path"`
	Public     *bool
	Env        *map[string]string
	Links      *[]string
	MemoryMB   *int `json:"memory_mb"`
}

// checkApp says what is wrong with the fields that an import and an update
// share.
func (st *state) checkApp(in *instance, change appChange) error {
	if change.Branch != nil && strings.TrimSpace(*change.Branch) == "" {
		return invalid("branch", "it must not be empty")
	}
	if change.Port != nil && (*change.Port < 1 || *change.Port > 65535) {
		return invalid("port", "it must be from 1 to 65535")
	}
	if change.HealthPath != nil && !strings.HasPrefix(*change.HealthPath, "/") {
		return invalid("health_path", "it must begin with a slash")
	}
	if change.MemoryMB != nil {
		if floor := st.catalog.Engines[EngineApps].FloorMB; *change.MemoryMB < floor {
			return invalid("memory_mb", "%d is under the Apps minimum of %d", *change.MemoryMB, floor)
		}
		if plan, ok := st.catalog.plan(in.Plan); ok && *change.MemoryMB > plan.MemoryMB {
			return invalid("memory_mb", "%d is more than the %d MB of the plan %q", *change.MemoryMB, plan.MemoryMB, plan.ID)
		}
	}
	if change.Env != nil {
		for name := range *change.Env {
			if !envName.MatchString(name) {
				return invalid("env", "%q is no name of a variable", name)
			}
		}
	}
	if change.Links != nil {
		for _, link := range *change.Links {
			if link != EngineAuth {
				return invalid("links", "%q cannot be linked; there is auth", link)
			}
			if _, on := in.Engines[EngineAuth]; !on {
				return invalid("links", "the instance has no auth engine")
			}
		}
	}
	return nil
}

// importApp adds an app. The record appears when the job has imported the
// repository and queued the first build.
func (st *state) importApp(c *call) response {
	in, err := st.changeable(c)
	if err != nil {
		return fail(err)
	}
	var wanted struct {
		appChange
		Repo, Name string
	}
	if err := c.decode(&wanted); err != nil {
		return fail(err)
	}
	switch {
	case in.Engines[EngineApps] == nil:
		return fail(invalid("engines", "the instance has no apps engine"))
	case !repository.MatchString(wanted.Repo):
		return fail(invalid("repo", "it must be owner/repo"))
	case !appName.MatchString(wanted.Name) || wanted.Name == "import":
		return fail(invalid("name", "it takes up to 40 small letters, digits and hyphens, begins and ends with no hyphen, and is not import"))
	}
	if err := st.checkApp(in, wanted.appChange); err != nil {
		return fail(err)
	}
	if in.app(wanted.Name) != nil {
		return fail(alreadyExists("the instance has an app %q already", wanted.Name))
	}
	added := &app{App: App{
		Name: wanted.Name, Repo: wanted.Repo, HealthPath: "/healthz", Env: map[string]string{},
		MemoryMB: st.catalog.Engines[EngineApps].FloorMB, Status: StatusBuilding,
	}}
	added.change(wanted.appChange)
	build := newID("bld")
	j, err := st.startJob(in, jobSpec{
		operation: "app_import",
		target:    "apps/" + added.Name,
		apply: func() {
			added.CreatedAt = st.now
			in.apps = append(in.apps, added)
			st.queueBuild(in, added, build)
		},
		event: "engine_settings",
		data: func() map[string]any {
			return map[string]any{"app": added.Name, "repo": added.Repo, "branch": added.Branch, "build_id": build}
		},
	})
	if err != nil {
		return fail(err)
	}
	return acceptedBuild(j, build)
}

// change applies the fields that were sent.
func (a *app) change(change appChange) {
	if change.Branch != nil {
		a.Branch = *change.Branch
	}
	if change.Port != nil {
		a.Port = *change.Port
	}
	if change.HealthPath != nil {
		a.HealthPath = *change.HealthPath
	}
	if change.Public != nil {
		a.Public = *change.Public
	}
	if change.Env != nil {
		a.Env = maps.Clone(*change.Env)
	}
	if change.Links != nil {
		a.Links = slices.Clone(*change.Links)
	}
	if change.MemoryMB != nil {
		a.MemoryMB = *change.MemoryMB
	}
}

// updateApp changes an app. Another branch or other variables need a build;
// anything else takes effect with a restart.
func (st *state) updateApp(c *call) response {
	in, a, err := st.changeableApp(c)
	if err != nil {
		return fail(err)
	}
	var change appChange
	if err := c.decode(&change); err != nil {
		return fail(err)
	}
	if err := st.checkApp(in, change); err != nil {
		return fail(err)
	}
	build := ""
	if (change.Branch != nil && *change.Branch != a.Branch) || (change.Env != nil && !maps.Equal(*change.Env, a.Env)) {
		build = newID("bld")
	}
	j, err := st.startJob(in, jobSpec{
		operation: "app_update",
		target:    "apps/" + a.Name,
		work: func(ctx context.Context, plane DataPlane, m Machine) error {
			changed := m.app(a.Name)
			if changed == nil || build != "" {
				// The build that follows takes the change along.
				return nil
			}
			changed.change(change)
			return plane.RestartApp(ctx, m, changed.App)
		},
		apply: func() {
			if in.app(a.Name) != a {
				return
			}
			a.change(change)
			st.updateURL(in, a)
			switch {
			case build != "":
				st.queueBuild(in, a, build)
			case a.deployed && st.plane == nil:
				st.startRecord(in, a)
			}
		},
		event: "engine_settings",
		data:  func() map[string]any { return map[string]any{"app": a.Name, "build_id": textOrNull(build)} },
	})
	if err != nil {
		return fail(err)
	}
	return acceptedBuild(j, build)
}

func (st *state) deleteApp(c *call) response {
	in, a, err := st.changeableApp(c)
	if err != nil {
		return fail(err)
	}
	j, err := st.startJob(in, jobSpec{
		operation: "app_delete",
		target:    "apps/" + a.Name,
		work: func(ctx context.Context, plane DataPlane, m Machine) error {
			return plane.RemoveApp(ctx, m.ID, a.Name)
		},
		apply: func() {
			st.dropBuilds(a)
			in.removeApp(a)
		},
	})
	if err != nil {
		return fail(err)
	}
	return accepted(j)
}

func (st *state) redeployApp(c *call) response {
	in, a, err := st.changeableApp(c)
	if err != nil {
		return fail(err)
	}
	build := newID("bld")
	j, err := st.startJob(in, jobSpec{
		operation: "app_redeploy",
		target:    "apps/" + a.Name,
		apply: func() {
			if in.app(a.Name) == a {
				st.queueBuild(in, a, build)
			}
		},
		event: "engine_settings",
		data:  func() map[string]any { return map[string]any{"app": a.Name, "build_id": build} },
	})
	if err != nil {
		return fail(err)
	}
	return acceptedBuild(j, build)
}

func (st *state) restartApp(c *call) response {
	in, a, err := st.changeableApp(c)
	if err != nil {
		return fail(err)
	}
	j, err := st.startJob(in, jobSpec{
		operation: "app_restart",
		target:    "apps/" + a.Name,
		work: func(ctx context.Context, plane DataPlane, m Machine) error {
			if restarted := m.app(a.Name); restarted != nil {
				return plane.RestartApp(ctx, m, restarted.App)
			}
			return nil
		},
		apply: func() {
			// How a real app does is told by the data plane.
			if a.deployed && st.plane == nil {
				st.startRecord(in, a)
			}
		},
		event: "engine_settings",
		data:  func() map[string]any { return map[string]any{"app": a.Name} },
	})
	if err != nil {
		return fail(err)
	}
	return accepted(j)
}

// acceptedBuild is the answer to a mutation of an app; build is empty where
// the change needs none.
func acceptedBuild(j *job, build string) response {
	return answer(http.StatusAccepted, map[string]any{"job_id": j.ID, "build_id": textOrNull(build)})
}
