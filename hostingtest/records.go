package hostingtest

import "github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"

type (
	// Instance is a machine as the service keeps it.
	Instance = fakeservice.Instance
	// Engine is one engine of an instance that is on.
	Engine = fakeservice.Engine
	// App is an imported repository as the service keeps it.
	App = fakeservice.App
	// Webhook is an endpoint for events.
	Webhook = fakeservice.Webhook
	// Event is something that happened.
	Event = fakeservice.Event
)

// Instances are all instances, in order of creation.
func (s *Service) Instances() []Instance { return s.fake.Instances() }

// AddInstance adds an instance that is there already, without a job. What is left empty
// is filled in.
func (s *Service) AddInstance(record Instance) Instance { return s.fake.AddInstance(record) }

// EditInstance changes an instance behind its manager's back. It tells whether there is
// one. A machine breaks when its status is set to failed, and is repaired when it is set
// to running.
func (s *Service) EditInstance(id string, edit func(*Instance)) bool {
	return s.fake.EditInstance(id, edit)
}

// RemoveInstance takes an instance away. It tells whether there was one.
func (s *Service) RemoveInstance(id string) bool { return s.fake.RemoveInstance(id) }

// Apps are the apps of an instance, in order of import.
func (s *Service) Apps(instanceID string) []App { return s.fake.Apps(instanceID) }

// AddApp adds an app that is deployed already. It tells whether there is such an
// instance.
func (s *Service) AddApp(instanceID string, record App) (App, bool) {
	return s.fake.AddApp(instanceID, record)
}

// Webhooks are the account's endpoints, with their secrets.
func (s *Service) Webhooks() []Webhook { return s.fake.Webhooks() }

// Events are what happened so far, the oldest first.
func (s *Service) Events() []Event { return s.fake.Events() }
