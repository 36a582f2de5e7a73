package core

import (
	"context"
	"maps"
	"slices"
	"time"
)

// app is an imported repository, including fields that the API does not show.
type app struct {
	App
	// Deployed reports whether a version runs, so that a failed build leaves it running.
	Deployed bool
	// Deploying is set from a deployment until the app runs or has failed.
	Deploying bool `json:",omitempty"`
}

func (in *instance) app(name string) *app {
	at := slices.IndexFunc(in.Apps, func(a *app) bool { return a.Name == name })
	if at < 0 {
		return nil
	}
	return in.Apps[at]
}

func (in *instance) removeApp(a *app) {
	in.Apps = slices.DeleteFunc(in.Apps, func(other *app) bool { return other == a })
}

func (in *instance) appOrNotFound(name string) (*app, error) {
	a := in.app(name)
	if a == nil {
		return nil, notFound("the instance %q has no app %q", in.ID, name)
	}
	return a, nil
}

// updateURL sets the address of a deployed public app and clears that of any other app.
func (st *state) updateURL(in *instance, a *app) {
	a.URL = st.endpoints(in).AppURLs[a.Name]
}

// AppRecord is an app as the API shows it.
type AppRecord struct {
	Name       string            `json:"name"`
	Repo       string            `json:"repo"`
	Branch     string            `json:"branch"`
	Port       int               `json:"port"`
	HealthPath string            `json:"health_path"`
	Public     bool              `json:"public"`
	Env        map[string]string `json:"env"`
	Links      []string          `json:"links"`
	MemoryMB   int               `json:"memory_mb"`
	URL        *string           `json:"url"`
	Status     string            `json:"status"`
	CreatedAt  time.Time         `json:"created_at"`
	// Failure is shown only while the app is failed.
	Failure *AppFailureRecord `json:"failure,omitempty"`
}

// AppFailureRecord is the reason that an app does not run, as the API shows it.
type AppFailureRecord struct {
	Status *int   `json:"status"`
	Exited bool   `json:"exited"`
	Log    string `json:"log"`
}

func (a *app) record() AppRecord {
	var record AppRecord
	show(&record, &a.App)
	if why := a.Failure; why != nil && a.Status == StatusFailed {
		record.Failure = &AppFailureRecord{Exited: why.Exited, Log: why.Log}
		if status := why.Status; status != 0 {
			record.Failure.Status = &status
		}
	}
	return record
}

// AppList lists the apps of an instance in order of import.
type AppList struct {
	Apps []AppRecord `json:"apps"`
}

// ListApps returns the apps as the API shows them.
func (s *Service) ListApps(ctx context.Context, id string) (AppList, error) {
	return lookAt(ctx, s, id, func(_ *state, in *instance) (AppList, error) {
		list := AppList{Apps: []AppRecord{}}
		for _, a := range in.Apps {
			list.Apps = append(list.Apps, a.record())
		}
		return list, nil
	})
}

// ReadApp returns one app as the API shows it.
func (s *Service) ReadApp(ctx context.Context, id, name string) (AppRecord, error) {
	return lookAt(ctx, s, id, func(_ *state, in *instance) (AppRecord, error) {
		a, err := in.appOrNotFound(name)
		if err != nil {
			return AppRecord{}, err
		}
		return a.record(), nil
	})
}

// AppChange contains the settings of an app in a request about it. A nil field was not
// sent.
type AppChange struct {
	Branch     *string            `json:"branch,omitempty" jsonschema:"another one is built"`
	Port       *int               `json:"port,omitempty"`
	HealthPath *string            `json:"health_path,omitempty" jsonschema:"the path that answers 200; an import without it takes /healthz"`
	MemoryMB   *int               `json:"memory_mb,omitempty" jsonschema:"at least the floor of the apps engine, which an import without it takes"`
	Public     *bool              `json:"public,omitempty" jsonschema:"whether the app gets a public URL"`
	Env        *map[string]string `json:"env,omitempty" jsonschema:"all variables of the build and the app from now on; others than before are built"`
	Links      *[]string          `json:"links,omitempty" jsonschema:"the engines that are linked: auth, or none"`
}

// UsualApp has the settings of an app that a request leaves out. Its memory is the floor
// of the apps engine.
var UsualApp = App{Branch: "main", Port: 3000, HealthPath: "/healthz"}

func (st *state) usualApp() App {
	usual := UsualApp
	usual.MemoryMB = st.Catalog.Engines[EngineApps].FloorMB
	return usual
}

// SettingsOf returns a request for the settings of an app that are not zero. The app is a
// pointer to an App or to an AppRecord.
func SettingsOf[T App | AppRecord](a *T) (settings AppChange) {
	send(&settings, a)
	return settings
}

// Apply sets the settings of an app that were sent.
func (change AppChange) Apply(a *App) { apply(a, &change) }

// told returns the data of the event about a change: the fields that were sent. For
// variables it contains only the names, because a value may be a secret.
func (change AppChange) told() map[string]any {
	data := Sent(&change)
	if change.Env != nil {
		data["env"] = slices.Sorted(maps.Keys(*change.Env))
	}
	return data
}

// AcceptedBuild is the answer to a mutation of an app. BuildID is nil if the mutation
// needs no build.
type AcceptedBuild struct {
	JobID   string  `json:"job_id"`
	BuildID *string `json:"build_id"`
}

// NewApp is the request to import an app.
type NewApp struct {
	Repo string `json:"repo"`
	Name string `json:"name"`
	AppChange
}

// ImportApp adds an app. The app's record appears when the job has imported the
// repository and queued the first build.
func (s *Service) ImportApp(id string, wanted NewApp) (AcceptedBuild, error) {
	build := newID("bld")
	accepted, err := s.mutate(id, func(st *state, in *instance) (jobKind, error) {
		added := st.usualApp()
		added.Name, added.Repo, added.Env, added.Status = wanted.Name, wanted.Repo, map[string]string{}, StatusBuilding
		wanted.Apply(&added)
		return &appImportJob{added, build}, st.checkNewApp(in, wanted, added.MemoryMB)
	})
	return AcceptedBuild{accepted.JobID, &build}, err
}

// appImportJob adds an app and queues its first build, whose id is BuildID.
type appImportJob struct {
	App     App
	BuildID string
}

func (j *appImportJob) spec(st *state, in *instance) jobSpec {
	return jobSpec{
		target: "apps/" + j.App.Name,
		apply: func() {
			added := &app{App: copyOfApp(j.App)}
			added.CreatedAt = st.Now
			in.Apps = append(in.Apps, added)
			st.queueBuild(in, added, j.BuildID)
		},
		data: func() map[string]any {
			return map[string]any{"app": j.App.Name, "repo": j.App.Repo, "branch": j.App.Branch, "build_id": j.BuildID}
		},
	}
}

func noApps() error { return invalid("engines", "the instance has no apps engine") }

// mutateApp is mutate for an app.
func (s *Service) mutateApp(id, name string, plan func(*state, *instance, *app) (jobKind, error)) (Accepted, error) {
	return s.mutate(id, func(st *state, in *instance) (jobKind, error) {
		a, err := in.appOrNotFound(name)
		if err != nil {
			return nil, err
		}
		return plan(st, in, a)
	})
}

// UpdateApp changes an app. A new branch or changed variables need a build; any other
// change takes effect with a restart.
func (s *Service) UpdateApp(id, name string, wanted AppChange) (AcceptedBuild, error) {
	build := ""
	accepted, err := s.mutateApp(id, name, func(st *state, in *instance, a *app) (jobKind, error) {
		if err := st.checkApp(in, wanted); err != nil {
			return nil, err
		}
		if wanted.MemoryMB != nil {
			if err := in.checkAppsMemory(name, *wanted.MemoryMB); err != nil {
				return nil, err
			}
		}
		if (wanted.Branch != nil && *wanted.Branch != a.Branch) || (wanted.Env != nil && !maps.Equal(*wanted.Env, a.Env)) {
			build = newID("bld")
		}
		return &appUpdateJob{a.Name, wanted, build}, nil
	})
	return AcceptedBuild{accepted.JobID, textOrNil(build)}, err
}

// appUpdateJob changes an app, and then restarts it or queues a build. BuildID is the id
// of the build, or empty for a restart.
type appUpdateJob struct {
	App     string
	Change  AppChange
	BuildID string
}

func (j *appUpdateJob) spec(st *state, in *instance) jobSpec {
	return jobSpec{
		target: "apps/" + j.App,
		change: func(m *DesiredMachine) {
			// If a build follows, the build applies the change.
			if changed := m.App(j.App); changed != nil && j.BuildID == "" {
				j.Change.Apply(changed)
			}
		},
		work: func(ctx context.Context, t task) error {
			if j.BuildID != "" {
				return nil
			}
			return t.plane.RestartApp(ctx, t.instanceID, j.App)
		},
		apply: func() {
			a := in.app(j.App)
			if a == nil {
				return
			}
			j.Change.Apply(&a.App)
			st.updateURL(in, a)
			switch {
			case j.BuildID != "":
				st.queueBuild(in, a, j.BuildID)
			case a.Deployed && st.plane == nil:
				st.startRecord(in, a)
			}
		},
		data: func() map[string]any {
			data := j.Change.told()
			data["app"], data["build_id"] = j.App, textOrNull(j.BuildID)
			return data
		},
	}
}

// DeleteApp removes an app with its data.
func (s *Service) DeleteApp(id, name string) (Accepted, error) {
	return s.mutateApp(id, name, func(_ *state, _ *instance, a *app) (jobKind, error) {
		return &appDeleteJob{a.Name}, nil
	})
}

// appDeleteJob removes an app.
type appDeleteJob struct{ App string }

func (j *appDeleteJob) spec(st *state, in *instance) jobSpec {
	return jobSpec{
		target: "apps/" + j.App,
		begin: func() {
			if a := in.app(j.App); a != nil {
				st.endBuilds(in, []*app{a}, "the app is being deleted")
			}
		},
		change: func(m *DesiredMachine) {
			m.Apps = slices.DeleteFunc(m.Apps, func(a App) bool { return a.Name == j.App })
		},
		work: func(ctx context.Context, t task) error { return t.plane.RemoveApp(ctx, t.instanceID, j.App) },
		apply: func() {
			if a := in.app(j.App); a != nil {
				st.dropBuilds(in, a)
				in.removeApp(a)
			}
			st.noteHealth(in)
		},
		data: func() map[string]any { return map[string]any{"app": j.App} },
	}
}

// RedeployApp builds the branch's newest commit and deploys it.
func (s *Service) RedeployApp(id, name string) (AcceptedBuild, error) {
	build := newID("bld")
	accepted, err := s.mutateApp(id, name, func(_ *state, _ *instance, a *app) (jobKind, error) {
		return &appRedeployJob{a.Name, build}, nil
	})
	return AcceptedBuild{accepted.JobID, &build}, err
}

// appRedeployJob queues a build of an app.
type appRedeployJob struct{ App, BuildID string }

func (j *appRedeployJob) spec(st *state, in *instance) jobSpec {
	return jobSpec{
		target: "apps/" + j.App,
		apply: func() {
			if a := in.app(j.App); a != nil {
				st.queueBuild(in, a, j.BuildID)
			}
		},
		data: func() map[string]any { return map[string]any{"app": j.App, "build_id": j.BuildID} },
	}
}

// RestartApp restarts an app.
func (s *Service) RestartApp(id, name string) (Accepted, error) {
	return s.mutateApp(id, name, func(_ *state, _ *instance, a *app) (jobKind, error) {
		return &appRestartJob{a.Name}, nil
	})
}

// appRestartJob restarts an app.
type appRestartJob struct{ App string }

func (j *appRestartJob) spec(st *state, in *instance) jobSpec {
	return jobSpec{
		target: "apps/" + j.App,
		work:   func(ctx context.Context, t task) error { return t.plane.RestartApp(ctx, t.instanceID, j.App) },
		apply: func() {
			// With a data plane, the data plane reports the app's status.
			if a := in.app(j.App); a != nil && a.Deployed && st.plane == nil {
				st.startRecord(in, a)
			}
		},
		data: func() map[string]any { return map[string]any{"app": j.App} },
	}
}
