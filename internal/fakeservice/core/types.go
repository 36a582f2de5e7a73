package core

import (
	"maps"
	"slices"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/hostingtest/stored"
)

// Statuses of an instance. The service's documentation only mentions creating and
// running.
const (
	StatusCreating = "creating"
	StatusRunning  = "running"
	StatusDeleting = "deleting"
	StatusFailed   = "failed"
)

// Statuses of a job and of a build. A successful job is done; a successful build is
// successful.
const (
	StatusQueued     = "queued"
	StatusDone       = "done"
	StatusSuccessful = "successful"
)

// Statuses of an app, in addition to running and failed.
const (
	StatusBuilding = "building"
	StatusStopped  = "stopped"
)

// The records that a test reads and edits are public.
//
//nolint:revive // each has its comment there
type (
	Instance   = stored.Instance
	Engine     = stored.Engine
	Backup     = stored.Backup
	Activity   = stored.Activity
	App        = stored.App
	AppFailure = stored.AppFailure
	Build      = stored.Build
	Webhook    = stored.Webhook
	Attempt    = stored.Attempt
	Event      = stored.Event
	Job        = stored.Job
)

// Database is a Postgres database.
type Database struct {
	Name      string
	CreatedAt time.Time
}

// Extension is a Postgres extension in one database.
type Extension struct {
	Name, Database, Version string
}

func copyOfInstance(i Instance) Instance {
	engines := make(map[string]*Engine, len(i.Engines))
	for name, engine := range i.Engines {
		copied := *engine
		copied.RedirectURLs = slices.Clone(engine.RedirectURLs)
		engines[name] = &copied
	}
	i.Engines = engines
	i.Tags = slices.Clone(i.Tags)
	i.Allowlist = slices.Clone(i.Allowlist)
	i.Backups = slices.Clone(i.Backups)
	i.Activity = slices.Clone(i.Activity)
	return i
}

func copyOfApp(a App) App {
	a.Env = maps.Clone(a.Env)
	a.Links = slices.Clone(a.Links)
	a.Builds = slices.Clone(a.Builds)
	if a.Failure != nil {
		why := *a.Failure
		a.Failure = &why
	}
	return a
}
