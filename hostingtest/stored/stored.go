// Package stored has records of the fake in the form that it stores. Tests read and edit
// them through package hostingtest.
package stored

import "time"

// Instance is a machine.
type Instance struct {
	ID, Name, Plan, Region string
	// Status is creating, running, deleting or failed.
	Status string
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

// App is an imported repository.
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

// InProgress reports whether the build is queued or running.
func (b Build) InProgress() bool { return b.Status == "queued" || b.Status == "running" }

// Webhook is an endpoint for events. The API shows its secret once; the fake keeps it for
// signing.
type Webhook struct {
	ID, URL             string
	Enabled             bool
	Secret              string
	ConsecutiveFailures int
	CreatedAt           time.Time
}

// Attempt is one attempt at a delivery.
type Attempt struct {
	At time.Time `json:"at"`
	// Status is the receiver's, or 0 without a response. Answer is the end of the response's
	// body.
	Status int    `json:"status"`
	Answer string `json:"answer"`
	// Problem describes why there was no response.
	Problem string `json:"problem"`
}

// Event is an event of the account, in the form delivered to webhook endpoints.
type Event struct {
	// InstanceID is empty if the event concerns the account.
	ID, Type, InstanceID string
	At                   time.Time
	Data                 map[string]any
}

// Job is one operation on an instance.
type Job struct {
	ID, InstanceID string
	// Operation is the name of the operation, such as "create". Target is the path of its
	// object below the instance, and empty if the operation concerns the whole instance.
	Operation, Target string
	// Status is queued, running, done or failed.
	Status string
	// Progress is a percentage.
	Progress               int
	ErrorCode, ErrorDetail string
	CreatedAt              time.Time
	// StartedAt is zero while the job is queued, and FinishedAt until it has ended.
	StartedAt, FinishedAt time.Time
}

// InProgress reports whether the job is queued or running.
func (j Job) InProgress() bool { return j.Status == "queued" || j.Status == "running" }
