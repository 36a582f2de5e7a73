package client

import (
	"context"
	"errors"
	"time"
)

// App statuses (settled).
const (
	AppBuilding = "building"
	AppRunning  = "running"
	AppFailed   = "failed"
	AppStopped  = "stopped"
)

// An App is an imported repository (service.md, "App").
type App struct {
	Name       string                   `json:"name"`
	Repo       string                   `json:"repo"`
	Branch     string                   `json:"branch"`
	Port       Maybe[int64]             `json:"port"`
	HealthPath Maybe[string]            `json:"health_path"`
	Public     Maybe[bool]              `json:"public"`
	Env        Maybe[map[string]string] `json:"env"`
	Links      Maybe[[]string]          `json:"links"`
	MemoryMB   Maybe[int64]             `json:"memory_mb"`
	URL        string                   `json:"url"` // "" until the first deployment, and for an app that is not public
	Status     string                   `json:"status"`
	CreatedAt  time.Time                `json:"created_at"`
}

// A NewApp is the request to import a repository. It cannot carry links
// (service.md, POST /instances/{id}/apps/import).
type NewApp struct {
	Repo       string            `json:"repo"`
	Branch     string            `json:"branch"`
	Name       string            `json:"name"`
	Port       int64             `json:"port"`
	HealthPath string            `json:"health_path"`
	Public     bool              `json:"public"`
	Env        map[string]string `json:"env"`
	MemoryMB   *int64            `json:"memory_mb,omitempty"`
}

// An AppChange is what changes on an app; what is nil stays. Branch and Env
// queue a build, anything else restarts the app.
type AppChange struct {
	Branch     *string            `json:"branch,omitempty"`
	Port       *int64             `json:"port,omitempty"`
	HealthPath *string            `json:"health_path,omitempty"`
	Public     *bool              `json:"public,omitempty"`
	Env        *map[string]string `json:"env,omitempty"`
	Links      *[]string          `json:"links,omitempty"`
	MemoryMB   *int64             `json:"memory_mb,omitempty"`
}

// App reads an app from the service. For a refresh of many, see
// Client.RefreshApp.
func (c *Client) App(ctx context.Context, instanceID, name string) (App, error) {
	return get[App](ctx, c, "instances", instanceID, "apps", name)
}

// Apps reads the apps of an instance.
func (c *Client) Apps(ctx context.Context, instanceID string) ([]App, error) {
	return list[App](ctx, c, "apps", "instances", instanceID, "apps")
}

// ImportApp imports a repository as an app and queues its first build. The job
// ends when the repository is imported; the build goes on.
func (t *Turn) ImportApp(ctx context.Context, n NewApp) (Pending, error) {
	if n.Env == nil {
		n.Env = map[string]string{}
	}
	find := func(ctx context.Context, since time.Time) (Pending, bool, error) {
		app, err := t.c.App(ctx, t.id, n.Name)
		switch {
		case errors.Is(err, ErrNotFound):
			return t.findJob(OpAppImport, appTarget(n.Name))(ctx, since)
		case err != nil || app.CreatedAt.Before(since):
			return Pending{}, false, err
		}
		return t.appPending(ctx, OpAppImport, n.Name, since)
	}
	return t.post(ctx, n, find, "apps", "import")
}

// UpdateApp changes an app.
func (t *Turn) UpdateApp(ctx context.Context, name string, change AppChange) (Pending, error) {
	return t.patch(ctx, change, "apps", name)
}

// DeleteApp deletes an app with its /data.
func (t *Turn) DeleteApp(ctx context.Context, name string) (Pending, error) {
	return t.delete(ctx, request{path: t.path("apps", name)})
}

// RedeployApp builds the newest commit of the app's branch and deploys it.
func (t *Turn) RedeployApp(ctx context.Context, name string) (Pending, error) {
	find := func(ctx context.Context, since time.Time) (Pending, bool, error) {
		pending, _, err := t.appPending(ctx, OpAppRedeploy, name, since)
		return pending, pending != Pending{}, err
	}
	return t.act(ctx, struct{}{}, find, "apps", name, "actions", "redeploy")
}

// RestartApp restarts an app; its /data stays.
func (t *Turn) RestartApp(ctx context.Context, name string) (Pending, error) {
	return t.act(ctx, struct{}{}, t.findJob(OpAppRestart, appTarget(name)), "apps", name, "actions", "restart")
}

// appTarget is the target of an app's jobs.
func appTarget(name string) string { return "apps/" + name }

// appPending puts together what an app's mutation set going, when its own
// answer was lost: the job if it still runs, and the build that it queued.
func (t *Turn) appPending(ctx context.Context, operation, name string, since time.Time) (Pending, bool, error) {
	pending, _, err := t.findJob(operation, appTarget(name))(ctx, since)
	if err != nil {
		return Pending{}, false, err
	}
	builds, err := t.c.Builds(ctx, t.id, name)
	if err != nil {
		return Pending{}, false, err
	}
	if len(builds) > 0 && !builds[0].CreatedAt.Before(since) {
		pending.BuildID = builds[0].ID
	}
	return pending, true, nil
}
