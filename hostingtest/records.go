package hostingtest

import "github.com/instance-hosting/terraform-provider-hosting/hostingtest/stored"

// Records in the form that the service stores.
//
//nolint:revive // each has its comment in package stored
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

// Instances returns all instances, in order of creation.
func (s *Service) Instances() []Instance { return s.fake.Instances() }

// AddInstance adds an instance without a job, and returns it. Empty fields get defaults.
// AddInstance panics if the service cannot have such an instance.
func (s *Service) AddInstance(record Instance) Instance {
	must(s.fake.CheckInstance(record))
	return s.fake.AddInstance(record)
}

// EditInstance changes an instance without its manager's knowledge, and reports whether
// the instance exists. The status failed breaks the machine, and the status running
// repairs it.
func (s *Service) EditInstance(id string, edit func(*Instance)) bool {
	return s.fake.EditInstance(id, edit)
}

// RemoveInstance removes an instance without a job, and reports whether it existed.
func (s *Service) RemoveInstance(id string) bool { return s.fake.RemoveInstance(id) }

// Apps returns the apps of an instance, in order of import.
func (s *Service) Apps(instanceID string) []App { return s.fake.Apps(instanceID) }

// AddApp adds a deployed app without a job, and reports whether the instance exists.
func (s *Service) AddApp(instanceID string, record App) (App, bool) {
	return s.fake.AddApp(instanceID, record)
}

// Webhooks returns the account's endpoints, with their secrets.
func (s *Service) Webhooks() []Webhook { return s.fake.Webhooks() }

// Events returns all events, oldest first.
func (s *Service) Events() []Event { return s.fake.Events() }
