package setup

import (
	"cmp"
	"fmt"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// Apply sets up the initial contents of an empty service. With a data plane, all machines
// run and all apps are imported when Apply returns; the apps may still be building.
func (s Setup) Apply(service *core.Service, real bool) error {
	if s.file == nil {
		return nil
	}
	if err := s.applyCatalogue(service); err != nil {
		return err
	}
	if a := s.file.Account; a != nil {
		if a.ID != "" {
			service.SetAccountID(a.ID)
		}
		service.EditAccount(func(present *core.Account) {
			present.Email = cmp.Or(a.Email, present.Email)
			present.Name = cmp.Or(a.Name, present.Name)
			present.Company, present.Address, present.VATID = a.Company, a.Address, a.VATID
		})
	}
	for i, in := range s.file.Instances {
		added := service.AddInstance(in.record())
		if added.Status != core.StatusRunning {
			return fmt.Errorf("instances[%d]: its machine could not be made; the log says why", i)
		}
		var err error
		if c := (customer{service, fmt.Sprintf("instances[%d]", i)}); real {
			err = c.fills(added.ID, in)
		} else {
			fill(service, added.ID, in)
		}
		if err != nil {
			return err
		}
	}
	// The endpoints are added last, so that they receive no events about the initial
	// contents.
	for _, w := range s.file.Webhooks {
		service.AddWebhook(core.Webhook{ID: w.ID, URL: sent(w.URL), Secret: sent(w.Secret), Enabled: w.Enabled == nil || *w.Enabled})
	}
	return nil
}

// record returns the instance for core.AddInstance.
func (in instance) record() core.Instance {
	record := core.Instance{
		ID: in.ID, Name: in.Name, Plan: in.Plan, Region: in.Region, Tags: in.Tags, Allowlist: in.Allowlist,
		ConsoleMode: in.ConsoleMode, Engines: map[string]*core.Engine{},
	}
	for name, e := range in.Engines {
		record.Engines[name] = &core.Engine{MemoryMB: sent(e.MemoryMB), SiteURL: sent(e.SiteURL), RedirectURLs: sent(e.RedirectURLs)}
	}
	return record
}

// fill adds the objects of an instance if there is no data plane.
func fill(service *core.Service, id string, in instance) {
	for _, name := range in.Databases {
		service.AddDatabase(id, name)
	}
	for _, x := range in.Extensions {
		service.AddExtension(id, core.Extension{Name: x.Name, Database: x.Database, Version: core.ExtensionVersion(x.Name)})
	}
	for _, a := range in.Apps {
		record := core.App{Name: a.Name, Repo: a.Repo}
		a.Apply(&record)
		service.AddApp(id, record)
	}
}

// sent returns the value of a field in the file, or zero if it is omitted.
func sent[T any](field *T) (value T) {
	if field != nil {
		value = *field
	}
	return value
}
