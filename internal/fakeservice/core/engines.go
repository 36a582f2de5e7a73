package core

import (
	"context"
	"maps"
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

// EngineBudget is the entry of an engine in a request. An engine without a budget gets
// its floor.
type EngineBudget struct {
	MemoryMB *int `json:"memory_mb,omitempty" jsonschema:"left out, the engine gets its floor"`
}

// SetEngines sets the complete set of engines. Engines that wanted omits are turned off
// and lose their data. An engine without a budget gets its floor.
func (s *Service) SetEngines(id string, wanted map[string]EngineBudget) (Accepted, error) {
	return s.mutate(id, func(st *state, in *instance) (jobKind, error) {
		plan, ok := st.Catalog.plan(in.Plan)
		if !ok {
			return nil, invalid("engines", "the instance's plan %q is no longer offered", in.Plan)
		}
		budgets := map[string]int{}
		for name, engine := range wanted {
			budgets[name] = st.Catalog.Engines[name].FloorMB
			if engine.MemoryMB != nil {
				budgets[name] = *engine.MemoryMB
			}
		}
		if err := st.Catalog.checkEngines(plan, budgets); err != nil {
			return nil, err
		}
		// An instance whose apps engine is already too small may change its other
		// engines.
		engine, needed := in.Engines[EngineApps], in.appsMemory()
		if budget, stays := budgets[EngineApps]; stays && engine != nil && budget < engine.MemoryMB && budget < needed {
			return nil, invalid("engines", "the apps have %d MB together, and the apps engine would have %d MB", needed, budget)
		}
		return &enginesJob{budgets}, nil
	})
}

// enginesJob sets which engines are on and their budgets.
type enginesJob struct{ Budgets map[string]int }

func (j *enginesJob) spec(st *state, in *instance) jobSpec {
	return jobSpec{
		begin: func() {
			if _, stays := j.Budgets[EngineApps]; !stays {
				st.endBuilds(in, in.Apps, "the apps engine is being turned off")
			}
		},
		change: func(m *DesiredMachine) {
			m.Engines = changedEngines(m.Engines, j.Budgets)
			if !m.HasEngine(EngineApps) {
				m.Apps = nil
			}
		},
		work:  applyChange,
		apply: func() { st.applyEngines(in, j.Budgets) },
		data:  func() map[string]any { return map[string]any{"engines": j.Budgets} },
	}
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

// changedEngines returns a set of engines with new budgets. Engines that stay on keep
// their settings.
func changedEngines(engines map[string]*Engine, budgets map[string]int) map[string]*Engine {
	changed := newEngines(budgets)
	for name, engine := range changed {
		if before, on := engines[name]; on {
			engine.SiteURL, engine.RedirectURLs = before.SiteURL, before.RedirectURLs
		}
	}
	return changed
}

// engineTurnedOn adds the records of a new engine.
func (st *state) engineTurnedOn(in *instance, name string) {
	if _, on := in.Engines[name]; on && name == EnginePostgres {
		in.Databases = []Database{{Name: DefaultDatabase, CreatedAt: st.Now}}
	}
}

// engineTurnedOff removes an engine's records. It renews the engine's secrets, so that
// the engine has new ones if it is turned on again.
func (st *state) engineTurnedOff(in *instance, name string) {
	switch name {
	case EnginePostgres:
		in.Databases, in.Extensions = nil, nil
		in.ConsoleMode = "off"
	case EngineApps:
		for _, a := range in.Apps {
			st.dropBuilds(in, a)
		}
		in.Apps = nil
		st.noteHealth(in)
	case EngineAuth:
		for _, a := range in.Apps {
			a.Links = slices.DeleteFunc(a.Links, func(link string) bool { return link == EngineAuth })
		}
	}
	in.Secrets.renew(name)
}

// RestartEngine restarts one engine. The engine keeps its data.
func (s *Service) RestartEngine(id, name string) (Accepted, error) {
	return s.mutate(id, func(st *state, in *instance) (jobKind, error) {
		if _, known := st.Catalog.Engines[name]; !known {
			return nil, notFound("there is no engine %q", name)
		}
		if _, on := in.Engines[name]; !on {
			return nil, invalid("engine", "%s is not on", name)
		}
		return &engineRestartJob{name}, nil
	})
}

// engineRestartJob restarts one engine.
type engineRestartJob struct{ Engine string }

func (j *engineRestartJob) spec(*state, *instance) jobSpec {
	return jobSpec{
		target: "engines/" + j.Engine,
		work:   func(ctx context.Context, t task) error { return t.plane.Restart(ctx, t.instanceID, j.Engine) },
		data:   func() map[string]any { return map[string]any{"engine": j.Engine} },
	}
}

// authEngine returns the auth engine of an instance, if it is on.
func authEngine(in *instance) (*Engine, error) {
	engine, on := in.Engines[EngineAuth]
	if !on {
		return nil, notFound("the instance %q has no auth engine", in.ID)
	}
	return engine, nil
}

// AuthSettingsRecord is the auth engine's settings as the API shows them.
type AuthSettingsRecord struct {
	SiteURL      string   `json:"site_url"`
	RedirectURLs []string `json:"redirect_urls"`
}

// AuthSettings returns the settings for auth redirects.
func (s *Service) AuthSettings(ctx context.Context, id string) (AuthSettingsRecord, error) {
	return lookAt(ctx, s, id, func(_ *state, in *instance) (AuthSettingsRecord, error) {
		engine, err := authEngine(in)
		if err != nil {
			return AuthSettingsRecord{}, err
		}
		return AuthSettingsRecord{engine.SiteURL, listOf(engine.RedirectURLs)}, nil
	})
}

// AuthSettingsChange contains the fields of a request about the auth engine. A nil field
// was not sent.
type AuthSettingsChange struct {
	SiteURL      *string   `json:"site_url,omitempty" jsonschema:"the public URL of the app; left out, it stays"`
	RedirectURLs *[]string `json:"redirect_urls,omitempty" jsonschema:"where redirects may lead, such as the app's URL followed by /**; left out, they stay"`
}

func (change AuthSettingsChange) check() error {
	if change.SiteURL != nil && *change.SiteURL != "" && !isAbsoluteURL(*change.SiteURL) {
		return invalid("site_url", "it must be an absolute URL")
	}
	if change.RedirectURLs != nil {
		for _, target := range *change.RedirectURLs {
			if !strings.Contains(target, "://") {
				return invalid("redirect_urls", "each must be a URL, and may end in /**")
			}
		}
	}
	return nil
}

func (change AuthSettingsChange) apply(engines map[string]*Engine) {
	if engine, on := engines[EngineAuth]; on {
		apply(engine, &change)
	}
}

// UpdateAuthSettings changes only the fields that were sent.
func (s *Service) UpdateAuthSettings(id string, wanted AuthSettingsChange) (Accepted, error) {
	return s.mutate(id, func(_ *state, in *instance) (jobKind, error) {
		if _, err := authEngine(in); err != nil {
			return nil, err
		}
		if err := wanted.check(); err != nil {
			return nil, err
		}
		return &authSettingsJob{wanted}, nil
	})
}

// authSettingsJob changes the settings for auth redirects.
type authSettingsJob struct{ Change AuthSettingsChange }

func (j *authSettingsJob) spec(_ *state, in *instance) jobSpec {
	return jobSpec{
		change: func(m *DesiredMachine) { j.Change.apply(m.Engines) },
		work:   applyChange,
		apply:  func() { j.Change.apply(in.Engines) },
		data: func() map[string]any {
			data := Sent(&j.Change)
			data["engine"] = EngineAuth
			return data
		},
	}
}
