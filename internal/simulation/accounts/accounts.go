// Package accounts generates accounts as people leave them at the service: machines of
// every plan and state, the objects on them, and texts that are difficult for configuration
// languages. An import must adopt them unchanged.
package accounts

import (
	"encoding/json"
	"fmt"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// An Account is the complete content of an account.
type Account struct {
	Profile   Profile
	Instances []Instance
	Endpoints []Endpoint
	// DefaultTags are the default tags of the provider that adopts the account.
	DefaultTags []string
}

// Profile is the data printed on receipts; "" is a missing value.
type Profile struct{ Name, Company, Address, VATID string }

// An Instance is a machine with the objects on it. A machine that is not running has no
// objects.
type Instance struct {
	fakeservice.Instance

	Apps       []fakeservice.App
	Databases  []string // in addition to OwnDatabase
	Extensions []fakeservice.Extension
}

// An Endpoint is a webhook endpoint.
type Endpoint struct {
	URL     string
	Enabled bool
}

// OwnDatabase is the database that each instance with Postgres has.
const OwnDatabase = "main"

// SecretOfAll is in the value of each variable of each app and in the secret of each
// endpoint. An import must not copy it into a state or a configuration.
const SecretOfAll = "canary-of-a-secret"

// SetUp turns an empty account into this one.
func (a Account) SetUp(s *fakeservice.Service) error {
	s.EditProfile(a.Profile.Name, a.Profile.Company, a.Profile.Address, a.Profile.VATID)
	for _, i := range a.Instances {
		id := s.AddInstance(i.Instance).ID
		for _, app := range i.Apps {
			s.AddApp(id, app)
		}
		for _, name := range i.Databases {
			if !s.AddDatabase(id, name) {
				return fmt.Errorf("instance %s has a database %s already", id, name)
			}
		}
		for _, e := range i.Extensions {
			s.AddExtension(id, e)
		}
	}
	for _, e := range a.Endpoints {
		s.AddWebhook(fakeservice.Webhook{URL: e.URL, Enabled: e.Enabled, Secret: "of-deliveries-" + SecretOfAll})
	}
	return nil
}

// Records contains the service's records that an adoption must leave unchanged.
type Records struct {
	Profile    Profile
	Instances  []fakeservice.Instance
	Apps       map[string][]fakeservice.App
	Databases  map[string][]fakeservice.Database
	Extensions map[string][]fakeservice.Extension
	Webhooks   []fakeservice.Webhook
	Jobs       []fakeservice.Job
}

// RecordsOf reads the records of a service.
func RecordsOf(s *fakeservice.Service) Records {
	name, company, address, vatID := s.Profile()
	r := Records{
		Profile: Profile{name, company, address, vatID}, Instances: s.Instances(), Webhooks: s.Webhooks(), Jobs: s.Jobs(),
		Apps: map[string][]fakeservice.App{}, Databases: map[string][]fakeservice.Database{}, Extensions: map[string][]fakeservice.Extension{},
	}
	for _, i := range r.Instances {
		r.Apps[i.ID], r.Databases[i.ID], r.Extensions[i.ID] = s.Apps(i.ID), s.Databases(i.ID), s.Extensions(i.ID)
	}
	return r
}

// String returns the account as JSON, for a person who reads the findings of a test.
func (a Account) String() string {
	text, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		return err.Error()
	}
	return string(text)
}
