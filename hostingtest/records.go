package hostingtest

import "time"

// Instance is a machine in the form that the service stores.
type Instance struct {
	ID, Name, Plan, Region string
	// Status is creating, running, deleting or failed.
	Status string
	// Host is empty until the instance has run for the first time.
	Host string
	// Engines are the engines that are on, by name.
	Engines         map[string]*Engine
	Tags, Allowlist []string
	// ConsoleMode is off, ro or rw.
	ConsoleMode string
	// JobID is the job in progress, or empty.
	JobID string
	// CheckoutURL is set while a paid plan waits for its checkout.
	CheckoutURL string
	CreatedAt   time.Time
	// Backups and Activity are newest first.
	Backups  []Backup
	Activity []Activity
}

// Engine is an engine that is on.
type Engine struct {
	MemoryMB int
	// SiteURL and RedirectURLs are settings of the auth engine.
	SiteURL      string
	RedirectURLs []string
}

// Backup is a backup of an instance.
type Backup struct {
	ID string
	// Kind is daily or undo.
	Kind      string
	CreatedAt time.Time
	SizeBytes int64
}

// Activity is one entry of an instance's history.
type Activity struct {
	At           time.Time
	Type, Detail string
}

// App is an imported repository in the form that the service stores.
type App struct {
	Name, Repo, Branch string
	Port               int
	HealthPath         string
	Public             bool
	Env                map[string]string
	Links              []string
	MemoryMB           int
	// URL is empty until the first deployment, and if the app is not public.
	URL string
	// Status is building, running, failed or stopped.
	Status string
	// Failure describes why the deployed version does not run. It is nil if the version
	// runs.
	Failure   *AppFailure
	CreatedAt time.Time
	// Builds are newest first.
	Builds []Build
}

// Build is one build of an app.
type Build struct {
	// Status is queued, running, successful or failed.
	ID, Status, Commit               string
	CreatedAt, StartedAt, FinishedAt time.Time
	// Error is the end of a failed build's log.
	Error string
}

// InProgress reports whether the build has not ended.
func (b Build) InProgress() bool { return b.Status == "queued" || b.Status == "running" }

// Webhook is an endpoint for events.
type Webhook struct {
	ID, URL             string
	Enabled             bool
	Secret              string
	ConsecutiveFailures int
	CreatedAt           time.Time
}

// Event is an event of the account, in the form delivered to webhook endpoints.
type Event struct {
	ID, Type string
	// InstanceID is empty if the event concerns the account.
	InstanceID string
	At         time.Time
	Data       map[string]any
}

// Instances returns all instances, in order of creation.
func (s *Service) Instances() []Instance { return each(s.fake.Instances(), instanceOf) }

// AddInstance adds an instance without a job, and returns it. Empty fields get defaults.
// AddInstance panics if the service cannot have such an instance.
func (s *Service) AddInstance(record Instance) Instance {
	must(s.fake.CheckInstance(record.internal()))
	return instanceOf(s.fake.AddInstance(record.internal()))
}

// EditInstance changes an instance without its manager's knowledge, and reports whether
// the instance exists. The status failed breaks the machine, and the status running
// repairs it.
func (s *Service) EditInstance(id string, edit func(*Instance)) bool {
	return s.fake.EditInstance(id, editing(edit))
}

// RemoveInstance removes an instance without a job, and reports whether it existed.
func (s *Service) RemoveInstance(id string) bool { return s.fake.RemoveInstance(id) }

// Apps returns the apps of an instance, in order of import.
func (s *Service) Apps(instanceID string) []App { return each(s.fake.Apps(instanceID), appOf) }

// AddApp adds a deployed app without a job, and reports whether the instance exists.
func (s *Service) AddApp(instanceID string, record App) (App, bool) {
	added, ok := s.fake.AddApp(instanceID, record.internal())
	return appOf(added), ok
}

// Webhooks returns the account's endpoints, with their secrets.
func (s *Service) Webhooks() []Webhook { return each(s.fake.Webhooks(), webhookOf) }

// Events returns all events, oldest first.
func (s *Service) Events() []Event { return each(s.fake.Events(), eventOf) }
