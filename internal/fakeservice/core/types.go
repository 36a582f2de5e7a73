package core

import (
	"maps"
	"slices"
	"time"
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

// Instance is an instance as the fake stores it.
type Instance struct {
	ID, Name, Plan, Region, Status string
	// Host is empty until the instance has run for the first time.
	Host string
	// Engines has the engines that are on, by name.
	Engines         map[string]*Engine
	Tags, Allowlist []string
	// ConsoleMode is off, ro or rw.
	ConsoleMode string
	// JobID is the id of the job in progress, or empty.
	JobID string
	// CheckoutURL is set only while a paid plan waits for its checkout.
	CheckoutURL string
	CreatedAt   time.Time
	// Backups and Activity have the newest element first.
	Backups  []Backup
	Activity []Activity
}

// Engine is an engine that is on. Only the auth engine has SiteURL and RedirectURLs.
type Engine struct {
	MemoryMB     int
	SiteURL      string
	RedirectURLs []string
}

// Backup is a daily backup or an undo snapshot. Kind is daily or undo.
type Backup struct {
	ID        string
	Kind      string
	CreatedAt time.Time
	SizeBytes int64
}

// Activity is one line of an instance's history.
type Activity struct {
	At           time.Time
	Type, Detail string
}

// App is an imported repository as the fake stores it.
type App struct {
	Name, Repo, Branch string
	Port               int
	HealthPath         string
	Public             bool
	Env                map[string]string
	Links              []string
	MemoryMB           int
	// URL is empty until the first deployment and for an app that is not public.
	URL string
	// Status is building, running, failed or stopped.
	Status string
	// Failure is the reason that the deployed version does not run. It is nil if nothing
	// was deployed. The API shows it only while the status is failed.
	Failure   *AppFailure
	CreatedAt time.Time
	// Builds has the newest build first.
	Builds []Build
}

// AppFailure is the reason that a deployed app does not run.
type AppFailure struct {
	// Status is the status of the last response at the health path, or 0 without a
	// response.
	Status int
	// Exited reports whether the app's process has ended.
	Exited bool
	// Log is the end of the app's log.
	Log string
}

// Build is a build of an app. Status is queued, running, successful or failed. Error is
// the end of a failed build's log.
type Build struct {
	ID, Status, Commit               string
	CreatedAt, StartedAt, FinishedAt time.Time
	Error                            string
}

// Database is a Postgres database.
type Database struct {
	Name      string
	CreatedAt time.Time
}

// Extension is a Postgres extension in one database.
type Extension struct {
	Name, Database, Version string
}

// Webhook is an endpoint for events. The API shows its secret once; the fake keeps it for
// signing.
type Webhook struct {
	ID, URL             string
	Enabled             bool
	Secret              string
	ConsecutiveFailures int
	CreatedAt           time.Time
}

// Job is one operation on an instance.
type Job struct {
	ID, InstanceID string
	// Operation and Target describe the job. Target is empty if the operation concerns
	// the whole instance.
	Operation, Target      string
	Status                 string
	Progress               int
	ErrorCode, ErrorDetail string
	CreatedAt              time.Time
	// StartedAt is zero while the job is queued.
	StartedAt, FinishedAt time.Time
}

// Event is an event of the service, as the fake stores it.
type Event struct {
	ID, Type, InstanceID string
	At                   time.Time
	Data                 map[string]any
}

// InProgress reports whether the job is queued or running.
func (j Job) InProgress() bool {
	return j.Status == StatusQueued || j.Status == StatusRunning
}

// InProgress reports whether the build is queued or running.
func (b Build) InProgress() bool {
	return b.Status == StatusQueued || b.Status == StatusRunning
}

func (i Instance) clone() Instance {
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

func (a App) clone() App {
	a.Env = maps.Clone(a.Env)
	a.Links = slices.Clone(a.Links)
	a.Builds = slices.Clone(a.Builds)
	if a.Failure != nil {
		why := *a.Failure
		a.Failure = &why
	}
	return a
}

// assign sets a field to its new value if it was sent.
func assign[T any](field, sent *T) {
	if sent != nil {
		*field = *sent
	}
}
