package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"
)

// usualBuild is how long a build takes as a rule; a first one takes longer. Like
// usualDuration it only shapes the polling.
const usualBuild = 120 * time.Second

// A Build is one build of an app (service.md, "Build").
type Build struct {
	ID        string    `json:"id"`
	Status    string    `json:"status"` // queued, running, successful, failed
	Commit    string    `json:"commit"`
	CreatedAt time.Time `json:"created_at"`
	Error     string    `json:"error"` // the end of a failed build's log
}

// Succeeded tells whether the build ended well, by any of the words that a
// service may use for it (contract.md, last section).
func (b Build) Succeeded() bool {
	switch strings.ToLower(b.Status) {
	case "successful", "success", "succeeded", "deployed":
		return true
	}
	return false
}

// Failed tells whether the build ended badly.
func (b Build) Failed() bool {
	switch strings.ToLower(b.Status) {
	case "failed", "failure", "error", "cancelled", "canceled":
		return true
	}
	return false
}

// Builds reads the builds of an app, newest first.
func (c *Client) Builds(ctx context.Context, instanceID, app string) ([]Build, error) {
	return c.builds(ctx, instanceID, app, false)
}

func (c *Client) builds(ctx context.Context, instanceID, app string, once bool) ([]Build, error) {
	raw, err := do[json.RawMessage](ctx, c, request{
		method: http.MethodGet,
		path:   []string{"instances", instanceID, "apps", app, "builds"},
		once:   once,
	})
	if err != nil {
		return nil, err
	}
	builds, err := decodePage[Build](raw, "builds")
	return builds.items, err
}

// WaitDeployed waits until a build of an app has succeeded and the app runs
// with it. buildID "" means the newest build. A build that failed is a
// *BuildError, an app that does not answer its health path an *AppError, a wait
// that the context ends an *InterruptedError. A build is no job: the wait holds no
// Turn, as the instance takes mutations meanwhile.
func (c *Client) WaitDeployed(ctx context.Context, instanceID, app, buildID string) error {
	last := Build{ID: buildID, Status: "queued"}
	err := wait(ctx, usualBuild, func(ctx context.Context) (observation, error) {
		builds, err := c.builds(ctx, instanceID, app, true)
		if err != nil {
			return observation{}, c.orGone(err)
		}
		build, ok := pickBuild(builds, buildID)
		if !ok {
			return observation{}, nil // not listed yet
		}
		last = build
		switch {
		case build.Failed():
			build.Error = c.secrets.hide(build.Error)
			return observation{}, permanent(&BuildError{App: app, Build: build})
		case !build.Succeeded():
			return observation{}, nil
		}
		return c.running(ctx, instanceID, app)
	})
	c.reads.changed(instanceID)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		what := "build " + last.ID + " of app " + app + " (" + last.Status + ")"
		return &InterruptedError{What: what, Err: err}
	}
	return err
}

// pickBuild finds a build by its id, or the newest.
func pickBuild(builds []Build, id string) (Build, bool) {
	for _, build := range builds {
		if id == "" || build.ID == id {
			return build, true
		}
	}
	return Build{}, false
}

// running looks whether an app runs: it does once its health path has answered
// 200.
func (c *Client) running(ctx context.Context, instanceID, name string) (observation, error) {
	app, err := do[App](ctx, c, request{method: http.MethodGet, path: []string{"instances", instanceID, "apps", name}, once: true})
	if err != nil {
		return observation{}, c.orGone(err)
	}
	if app.Status == AppFailed {
		return observation{}, permanent(&AppError{App: name})
	}
	return observation{done: app.Status == AppRunning || app.Status == AppStopped || app.Status == ""}, nil
}

// orGone makes a 404 permanent: an app that is gone will not be built.
func (c *Client) orGone(err error) error {
	if errors.Is(err, ErrNotFound) {
		return permanent(err)
	}
	return err
}

// WaitAppRunning waits until an app that was restarted runs again.
func (c *Client) WaitAppRunning(ctx context.Context, instanceID, app string) error {
	err := wait(ctx, 0, func(ctx context.Context) (observation, error) {
		return c.running(ctx, instanceID, app)
	})
	c.reads.changed(instanceID)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return &InterruptedError{What: "app " + app + " to run", Err: err}
	}
	return err
}
