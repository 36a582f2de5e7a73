package fakeservice

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
)

func newEngines(budgets map[string]int) map[string]*Engine {
	engines := map[string]*Engine{}
	for name, memory := range budgets {
		engines[name] = &Engine{MemoryMB: memory}
	}
	return engines
}

// setEngines takes the whole set: what is left out is turned off and its data
// goes, and an engine without a budget gets its floor.
func (st *state) setEngines(c *call) response {
	in, err := st.changeable(c)
	if err != nil {
		return fail(err)
	}
	var wanted struct {
		Engines map[string]struct {
			MemoryMB *int `json:"memory_mb"`
		}
	}
	if err := c.decode(&wanted); err != nil {
		return fail(err)
	}
	plan, ok := st.catalog.plan(in.Plan)
	if !ok {
		return fail(invalid("engines", "the instance's plan %q is no longer offered", in.Plan))
	}
	budgets := map[string]int{}
	for name, engine := range wanted.Engines {
		budgets[name] = st.catalog.Engines[name].FloorMB
		if engine.MemoryMB != nil {
			budgets[name] = *engine.MemoryMB
		}
	}
	if err := st.catalog.checkEngines(plan, budgets); err != nil {
		return fail(err)
	}
	j, err := st.startJob(in, jobSpec{
		operation: "engines",
		work:      applying(func(m *Machine) { m.Engines = changedEngines(m.Engines, budgets) }),
		apply:     func() { st.applyEngines(in, budgets) },
		event:     "engines",
		data:      func() map[string]any { return map[string]any{"engines": budgets} },
	})
	if err != nil {
		return fail(err)
	}
	return accepted(j)
}

func (st *state) applyEngines(in *instance, budgets map[string]int) {
	for _, name := range slices.Sorted(maps.Keys(in.Engines)) {
		if _, stays := budgets[name]; !stays {
			delete(in.Engines, name)
			st.engineTurnedOff(in, name)
		}
	}
	for name, memory := range budgets {
		if engine, on := in.Engines[name]; on {
			engine.MemoryMB = memory
			continue
		}
		in.Engines[name] = &Engine{MemoryMB: memory}
		st.engineTurnedOn(in, name)
	}
}

// changedEngines is a set of engines with other budgets. What stays on keeps its
// settings.
func changedEngines(engines map[string]*Engine, budgets map[string]int) map[string]*Engine {
	changed := newEngines(budgets)
	for name, engine := range changed {
		if before, on := engines[name]; on {
			engine.SiteURL, engine.RedirectURLs = before.SiteURL, before.RedirectURLs
		}
	}
	return changed
}

// engineTurnedOn gives an engine what it has when it is new.
func (st *state) engineTurnedOn(in *instance, name string) {
	if _, on := in.Engines[name]; on && name == EnginePostgres {
		in.databases = []Database{{Name: defaultDatabase, CreatedAt: st.now}}
	}
}

// engineTurnedOff takes an engine's data away. Its secrets go too, so that one
// that is turned on again later begins with new ones.
func (st *state) engineTurnedOff(in *instance, name string) {
	switch name {
	case EnginePostgres:
		in.databases, in.extensions = nil, nil
		in.ConsoleMode = "off"
	case EngineApps:
		for _, a := range in.apps {
			st.dropBuilds(a)
		}
		in.apps = nil
	case EngineAuth:
		for _, a := range in.apps {
			a.Links = slices.DeleteFunc(a.Links, func(link string) bool { return link == EngineAuth })
		}
	}
	in.secrets.renew(name)
}

func (st *state) restartEngine(c *call) response {
	in, err := st.changeable(c)
	if err != nil {
		return fail(err)
	}
	name := c.param("engine")
	if _, known := st.catalog.Engines[name]; !known {
		return fail(notFound("there is no engine %q", name))
	}
	if _, on := in.Engines[name]; !on {
		return fail(invalid("engine", "%s is not on", name))
	}
	j, err := st.startJob(in, jobSpec{
		operation: "engine_restart",
		target:    "engines/" + name,
		work: func(ctx context.Context, plane DataPlane, m Machine) error {
			return plane.Restart(ctx, m, name)
		},
	})
	if err != nil {
		return fail(err)
	}
	return accepted(j)
}

// authEngine returns the auth engine of an instance, if it is on.
func authEngine(in *instance) (*Engine, error) {
	engine, on := in.Engines[EngineAuth]
	if !on {
		return nil, notFound("the instance %q has no auth engine", in.ID)
	}
	return engine, nil
}

func (st *state) getAuthSettings(c *call) response {
	in, err := st.lookup(c)
	if err != nil {
		return fail(err)
	}
	engine, err := authEngine(in)
	if err != nil {
		return fail(err)
	}
	return answer(http.StatusOK, map[string]any{"site_url": engine.SiteURL, "redirect_urls": listOf(engine.RedirectURLs)})
}

// updateAuthSettings changes only the fields that are sent.
func (st *state) updateAuthSettings(c *call) response {
	in, err := st.changeable(c)
	if err != nil {
		return fail(err)
	}
	if _, err := authEngine(in); err != nil {
		return fail(err)
	}
	var change struct {
		SiteURL      *string   `json:"site_url"`
		RedirectURLs *[]string `json:"redirect_urls"`
	}
	if err := c.decode(&change); err != nil {
		return fail(err)
	}
	if change.SiteURL != nil && *change.SiteURL != "" && !isWebURL(*change.SiteURL) {
		return fail(invalid("site_url", "it must be an http or https URL"))
	}
	if change.RedirectURLs != nil {
		for _, target := range *change.RedirectURLs {
			if !strings.Contains(target, "://") {
				return fail(invalid("redirect_urls", "each must be a URL, and may end in /**"))
			}
		}
	}
	settle := func(engines map[string]*Engine) {
		engine, on := engines[EngineAuth]
		if !on {
			return
		}
		if change.SiteURL != nil {
			engine.SiteURL = *change.SiteURL
		}
		if change.RedirectURLs != nil {
			engine.RedirectURLs = *change.RedirectURLs
		}
	}
	j, err := st.startJob(in, jobSpec{
		operation: "auth_settings",
		work:      applying(func(m *Machine) { settle(m.Engines) }),
		apply:     func() { settle(in.Engines) },
		event:     "engine_settings",
		data: func() map[string]any {
			data := map[string]any{"engine": EngineAuth}
			if change.SiteURL != nil {
				data["site_url"] = *change.SiteURL
			}
			if change.RedirectURLs != nil {
				data["redirect_urls"] = *change.RedirectURLs
			}
			return data
		},
	})
	if err != nil {
		return fail(err)
	}
	return accepted(j)
}
