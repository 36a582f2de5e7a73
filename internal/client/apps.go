package client

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// App statuses (settled).
const (
	AppBuilding = "building"
	AppRunning  = "running"
	AppFailed   = "failed"
	AppStopped  = "stopped"
)

// AppSettings are the settings of an app, in its record and in the requests that import and
// change it (SERVICE.md#apps). In a change, a field that is not set does not change. A
// change of Branch or Env queues a build; any other change restarts the app.
type AppSettings struct {
	Branch     Maybe[string]            `json:"branch,omitzero"`
	Port       Maybe[int64]             `json:"port,omitzero"`
	HealthPath Maybe[string]            `json:"health_path,omitzero"`
	Public     Maybe[bool]              `json:"public,omitzero"`
	Env        Maybe[map[string]string] `json:"env,omitzero"`
	Links      Maybe[[]string]          `json:"links,omitzero"` // an import cannot carry them
	MemoryMB   Maybe[int64]             `json:"memory_mb,omitzero"`
}

// An App is an imported repository (SERVICE.md#apps).
type App struct {
	Name string `json:"name"`
	Repo string `json:"repo"`
	AppSettings
	URL       string     `json:"url"` // "" until the first deployment, and for an app that is not public
	Status    Word       `json:"status"`
	Failure   AppFailure `json:"failure"` // set while the status is failed
	CreatedAt Time       `json:"created_at"`
}

// UnmarshalJSON reads an app's record.
func (a *App) UnmarshalJSON(raw []byte) error {
	type fields App
	err := json.Unmarshal(raw, (*fields)(a))
	withoutZeros(&a.AppSettings)
	return err
}

// An AppFailure is the reason why a deployed version does not run, as far as the service
// reports it (settled).
type AppFailure struct {
	Status Maybe[int]  `json:"status"` // the last status of its health path, 0 if it never answered
	Exited Maybe[bool] `json:"exited"` // whether its process exited
	Log    Log         `json:"log"`    // the end of its log
}

// A NewApp is the request to import a repository.
type NewApp struct {
	Repo string `json:"repo"`
	Name string `json:"name"`
	AppSettings
}

// Identifier returns the app's name, which is unique on its instance.
func (a App) Identifier() string { return a.Name }

// App reads an app from the service. To refresh many apps, use Client.RefreshApp.
func (c *Client) App(ctx context.Context, instanceID, name string) (App, error) {
	return c.app(ctx, instanceID, name, false)
}

func (c *Client) app(ctx context.Context, instanceID, name string, poll bool) (App, error) {
	app, err := getRecord[App](ctx, c, transport.Request{Path: []string{"instances", instanceID, "apps", name}, Poll: poll}, name)
	c.showLog(&app.Failure.Log, app, err)
	return app, err
}

// Apps reads the apps of an instance.
func (c *Client) Apps(ctx context.Context, instanceID string) ([]App, error) {
	apps, err := list[App](ctx, c, "apps", "instances", instanceID, "apps")
	for i := range apps {
		c.showLog(&apps[i].Failure.Log, apps[i], nil)
	}
	return apps, c.missing(ctx, instanceID, "apps", err)
}

// ImportApp imports a repository as an app and queues its first build. The job ends when
// the repository is imported; the build continues.
func (t *Turn) ImportApp(ctx context.Context, n NewApp) (Pending, error) {
	apps, err := t.c.sharedApps(ctx, t.id, t.c.reads.ofInstance(t.id))
	if err != nil {
		return Pending{}, err
	}
	noteNames(t, apps)
	_, taken := find(apps, n.Name)
	pending, err := t.create(ctx, mutation{
		Request:   transport.Request{Path: []string{"apps", "import"}, Body: n},
		operation: OpAppImport,
		target:    appTarget(n.Name),
		isMade: func(ctx context.Context) (bool, error) {
			return exists(t.c.App(ctx, t.id, n.Name))
		},
	}, taken)
	return pending, err
}

// UpdateApp changes an app.
func (t *Turn) UpdateApp(ctx context.Context, name string, change AppSettings) (Pending, error) {
	return t.set(ctx, mutation{
		Request:   transport.Request{Method: http.MethodPatch, Path: []string{"apps", name}, Body: change},
		operation: OpAppUpdate,
		target:    appTarget(name),
		isMade: func(ctx context.Context) (bool, error) {
			app, err := t.c.App(ctx, t.id, name)
			return err == nil && IsEmpty(Missing(change, app.AppSettings)), err
		},
	})
}

// DeleteApp deletes an app and its /data.
func (t *Turn) DeleteApp(ctx context.Context, name string, guard DeleteGuard) (Pending, error) {
	return t.set(ctx, mutation{
		Request:   transport.Request{Method: http.MethodDelete, Path: []string{"apps", name}},
		operation: OpAppDelete,
		target:    appTarget(name),
		prepare:   guard.prepare,
		isMade: func(ctx context.Context) (bool, error) {
			return absent(t.c.RefreshApp(ctx, t.id, name))
		},
	})
}

// RestartApp restarts an app and keeps its /data.
func (t *Turn) RestartApp(ctx context.Context, name string) (Pending, error) {
	return t.act(ctx, mutation{
		Request:   transport.Request{Path: []string{"apps", name, "actions", "restart"}, Body: struct{}{}},
		operation: OpAppRestart,
		target:    appTarget(name),
	})
}

// appTarget returns the target of an app's jobs.
func appTarget(name string) string { return "apps/" + name }

// exists converts the result of a read into whether the object exists.
func exists[T any](_ T, err error) (bool, error) {
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// absent converts the result of a read that confirms absences into whether the object is
// gone.
func absent[T any](value T, err error) (bool, error) {
	there, err := exists(value, err)
	return !there && err == nil, err
}

// sameSet reports whether two lists contain the same words in any order.
func sameSet(a, b []string) bool {
	return maps.Equal(setOf(a), setOf(b))
}

func setOf(words []string) map[string]bool {
	set := map[string]bool{}
	for _, word := range words {
		set[word] = true
	}
	return set
}

// UnmarshalJSON reads the reason why an app does not run. It never returns an error. It
// drops each field that is missing or has an unexpected type.
func (f *AppFailure) UnmarshalJSON(raw []byte) error {
	*f = AppFailure{}
	var fields struct{ Status, Exited, Log json.RawMessage }
	_ = json.Unmarshal(raw, &fields) // anything but an object has none of them
	var status *Whole                // null means that there was no answer
	if fields.Status != nil && json.Unmarshal(fields.Status, &status) == nil {
		f.Status.Set = true
		if status != nil {
			f.Status.Value = int(*status)
		}
	}
	var exited *bool
	if json.Unmarshal(fields.Exited, &exited) == nil && exited != nil {
		f.Exited = Some(*exited)
	}
	return f.Log.UnmarshalJSON(fields.Log)
}

// RefreshApp reads an app for a refresh. The apps of an instance are listed once. An app
// that is not in the list is read individually. It returns ErrNotFound only for a
// confirmed absence.
func (c *Client) RefreshApp(ctx context.Context, instanceID, name string) (App, error) {
	apps, err := c.sharedApps(ctx, instanceID, c.reads.ofInstance(instanceID))
	app, listed := find(apps, name)
	if !listed { // also if the list could not be read
		app, err = c.App(ctx, instanceID, name)
	}
	return confirmAbsence(ctx, c, childSubject(instanceID, "apps", name), app, err, func(ctx context.Context) (App, error) {
		return c.App(ctx, instanceID, name)
	}, func(ctx context.Context, isFresh freshness) (bool, error) {
		apps, err := c.sharedApps(ctx, instanceID, isFresh)
		if _, listed := find(apps, name); listed || err != nil {
			return listed, err
		}
		return false, notListed(apps, "app", name)
	})
}

func (c *Client) sharedApps(ctx context.Context, instanceID string, isFresh freshness) ([]App, error) {
	return c.reads.apps.get(ctx, instanceID, isFresh, func(ctx context.Context) ([]App, error) { return c.Apps(ctx, instanceID) })
}
