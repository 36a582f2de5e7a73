package client

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// A Build is one build of an app (SERVICE.md#apps).
type Build struct {
	ID         string `json:"id"`
	Status     Word   `json:"status"` // queued, running, successful, failed
	Commit     string `json:"commit"`
	CreatedAt  Time   `json:"created_at"`
	FinishedAt Time   `json:"finished_at"`
	Error      Log    `json:"error"` // the end of a failed build's log; see ShowLogs
}

// Succeeded reports whether the build succeeded, by any of the words that a service may
// use for that (SERVICE.md#tolerance).
func (b Build) Succeeded() bool {
	switch b.Status {
	case "successful", "success", "succeeded", "deployed":
		return true
	}
	return false
}

// Failed reports whether the build failed.
func (b Build) Failed() bool { return b.Status.failed() }

// UnmarshalJSON accepts a number as the id.
func (b *Build) UnmarshalJSON(raw []byte) error {
	var record struct {
		ID         identifier `json:"id"`
		Status     Word       `json:"status"`
		Commit     string     `json:"commit"`
		CreatedAt  Time       `json:"created_at"`
		FinishedAt Time       `json:"finished_at"`
		Error      Log        `json:"error"`
	}
	err := json.Unmarshal(raw, &record)
	*b = Build{string(record.ID), record.Status, record.Commit, record.CreatedAt, record.FinishedAt, record.Error}
	return err
}

// Identifier returns the build's id.
func (b Build) Identifier() string { return b.ID }

// firstBuilds is the number of builds on the first page. The build in question is nearly
// always among them. A failed build contains its log, so a longer page would be large.
const firstBuilds = 20

// Builds reads all builds of an app, newest first. An app may have thousands: see
// RecentBuilds.
func (c *Client) Builds(ctx context.Context, instanceID, app string) ([]Build, error) {
	return listAll[Build](ctx, c, "builds", buildsRequest(instanceID, app))
}

// RecentBuilds reads the builds of an app, newest first, page by page. It stops when
// enough returns true for the builds read so far. All remaining builds are older.
func (c *Client) RecentBuilds(ctx context.Context, instanceID, app string, enough func([]Build) bool) ([]Build, error) {
	return readable(listUntil(ctx, c, "builds", buildsRequest(instanceID, app), enough))
}

// NewestBuilds is an argument enough for RecentBuilds that stops after the first page with a
// build.
func NewestBuilds(builds []Build) bool { return len(builds) > 0 }

func buildsRequest(instanceID, app string) listing {
	return listing{Request: transport.Request{Path: []string{"instances", instanceID, "apps", app, "builds"}}, limit: firstBuilds}
}

// WaitDeployed waits until a build of an app has succeeded and the app runs with it. If a
// newer build replaces that one, it waits for the newer one. buildID "" means the newest
// build: if the app has older ones, WaitDeployed first waits for ReadLag, so that the list
// shows it. before is the status of the app's record before the build was requested, or ""
// for an app that never ran. The error is a *BuildError if the build failed, an *AppError if
// the app does not answer its health path, and an *InterruptedError if the context ended. A
// build is not a job, and the instance accepts other mutations while it runs, so the wait
// does not hold a Turn.
func (c *Client) WaitDeployed(ctx context.Context, instanceID, app, buildID, before string) error {
	if err := c.waitBuilt(ctx, instanceID, app, buildID, before); err != nil {
		c.reads.changed(instanceID)
		return err
	}
	return c.WaitAppRunning(ctx, instanceID, app, before)
}

// waitBuilt waits until a build has succeeded. It does not check whether the app then
// runs.
func (c *Client) waitBuilt(ctx context.Context, instanceID, app, buildID, before string) error {
	last := Build{ID: buildID, Status: "queued"}
	key := instanceID + "/" + app + "/" + buildID
	defer c.reads.builds.drop(key)
	if buildID == "" && before != "" {
		if err := lifetime.Pause(ctx, c.readLag); err != nil {
			return interrupted(ctx, err, "the newest build of app "+app, "")
		}
	}
	polled := c.reads.sequence.now()
	search := buildSearch{id: buildID}
	tell := c.progressOf(Progress{InstanceID: instanceID, App: app, Operation: OpBuild})
	err := c.wait(ctx, FirstPoll, func(ctx context.Context) (observation, error) {
		builds, err := c.reads.builds.get(ctx, key, since(polled), func(ctx context.Context) ([]Build, error) {
			r := buildsRequest(instanceID, app)
			r.Poll = true
			return readable(listUntil(ctx, c, "builds", r, search.ends))
		})
		polled = c.reads.sequence.now()
		if err != nil {
			return observation{}, err
		}
		search.looked(builds)
		build, ok := PickBuild(builds, buildID)
		if !ok {
			return observation{}, nil // not listed yet
		}
		last = build
		if build.Failed() {
			// Read whether another version runs instead of inferring it. If the record cannot be
			// read, neither its status nor the log is shown.
			record, err := c.App(ctx, instanceID, app)
			c.showLog(&build.Error, record, err)
			tell(ctx, build.Status, 0, func(p *Progress) { p.BuildID, p.LogLine = build.ID, lastLine(build.Error.Text) })
			return observation{}, permanent(&BuildError{App: app, Build: build, Before: before, After: string(record.Status)})
		}
		tell(ctx, build.Status, 0, func(p *Progress) { p.BuildID, p.Done = build.ID, build.Succeeded() })
		return observation{done: build.Succeeded()}, nil
	})
	return interrupted(ctx, err, last.nameOf(app), "")
}

// nameOf returns the build's id, its app and its status for messages. It leaves out what is
// not known.
func (b Build) nameOf(app string) string {
	name := "the newest build"
	if b.ID != "" {
		name = "build " + b.ID
	}
	name += " of app " + app
	if b.Status != "" {
		name += " (" + string(b.Status) + ")"
	}
	return name
}

// A buildSearch looks for a build repeatedly. New builds are listed first, so only the
// first look reads all pages.
type buildSearch struct {
	id    string // "" for the newest
	known string // the newest build at the last look
}

// ends reports whether a look needs no more pages.
func (s *buildSearch) ends(builds []Build) bool {
	return slices.ContainsFunc(builds, func(b Build) bool { return s.id == "" || b.ID == s.id || b.ID == s.known })
}

func (s *buildSearch) looked(builds []Build) {
	if len(builds) > 0 {
		s.known = builds[0].ID
	}
}

// PickBuild finds a build by its id, or the newest if id is "", in builds with the newest
// first. If that build was cancelled and there is a newer one, it returns the newer one: the
// platform builds the newest commit in place of those before it.
func PickBuild(builds []Build, id string) (Build, bool) {
	at := slices.IndexFunc(builds, func(b Build) bool { return id == "" || b.ID == id })
	if at < 0 {
		return Build{}, false
	}
	for at > 0 && builds[at].Status.cancelled() {
		at--
	}
	return builds[at], true
}

// WaitAppRunning waits until a restarted app runs again. before is the status of its
// record before the restart. If the app does not answer its health path, WaitAppRunning
// returns an *AppError, and if ctx ends first, an *InterruptedError.
func (c *Client) WaitAppRunning(ctx context.Context, instanceID, app, before string) error {
	defer c.reads.changed(instanceID)
	err := c.wait(ctx, 0, c.watchRunning(instanceID, app, before).look)
	return interrupted(ctx, err, "app "+app+" to run", "")
}

// A runningWatch watches an app that was deployed or restarted until it runs. An app runs
// once its health path has answered 200. A status that differs from the one before is
// new.
type runningWatch struct {
	c                        *Client
	instanceID, name, before string
	begun                    time.Time
	changed                  bool // a status different from before was seen
}

func (c *Client) watchRunning(instanceID, name, before string) *runningWatch {
	return &runningWatch{c: c, instanceID: instanceID, name: name, before: before, begun: time.Now()}
}

func (w *runningWatch) look(ctx context.Context) (observation, error) {
	app, err := w.c.app(ctx, w.instanceID, w.name, true)
	if err != nil {
		return observation{}, err
	}
	w.changed = w.changed || string(app.Status) != w.before
	held := time.Since(w.begun)
	switch app.Status {
	case AppFailed:
		// A deployed app has a minute to answer its health path (SERVICE.md#apps). During
		// that time, an older failure may still be shown.
		if w.changed || held >= time.Minute+w.c.readLag {
			return observation{}, permanent(&AppError{App: app, Before: w.before})
		}
	case AppRunning, AppStopped, "":
		// A read may still show the status from before the restart.
		return observation{done: w.changed || held >= w.c.readLag}, nil
	}
	return observation{}, nil
}
