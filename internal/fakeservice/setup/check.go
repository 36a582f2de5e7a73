package setup

import (
	"context"
	"errors"
	"fmt"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// check applies the file to a service without a data plane, as a customer would, so that
// the service's own rules are checked.
func (s Setup) check() error {
	if err := s.checkCatalogue(); err != nil {
		return err
	}
	if a := s.file.Account; a != nil && a.ID != "" {
		if err := core.CheckIdentifier(a.ID); err != nil {
			return fmt.Errorf("account.id: %w", err)
		}
	}
	if a := s.file.Account; a != nil {
		if err := core.CheckEmail(a.Email); err != nil {
			return problem("account", err)
		}
	}
	service := core.New(core.Options{})
	defer service.Close()
	if err := s.applyCatalogue(service); err != nil {
		return err
	}
	ids := map[string]bool{}
	for i, in := range s.file.Instances {
		path := fmt.Sprintf("instances[%d]", i)
		switch err := core.CheckIdentifier(in.ID); {
		case in.ID == "" && in.Name == "":
			return fmt.Errorf("%s.name: it is required", path)
		case in.ID != "" && err != nil:
			return fmt.Errorf("%s.id: %w", path, err)
		case in.ID != "" && ids[in.ID]:
			return fmt.Errorf("%s.id: there is another instance %q", path, in.ID)
		}
		ids[in.ID] = true
		if err := (customer{service, path}).makes(in); err != nil {
			return err
		}
	}
	for i, w := range s.file.Webhooks {
		path := fmt.Sprintf("webhooks[%d]", i)
		if w.ID != "" && ids["webhook "+w.ID] {
			return fmt.Errorf("%s.id: there is another endpoint %q", path, w.ID)
		}
		ids["webhook "+w.ID] = true
		if _, err := service.CreateWebhook(w.WebhookChange); err != nil {
			return problem(path, err)
		}
	}
	return nil
}

// customer makes an instance of the file through the service's operations.
type customer struct {
	service *core.Service
	path    string
}

func (c customer) makes(in instance) error {
	wanted := core.NewInstance{Name: in.Name, Plan: in.Plan, Region: in.Region, Tags: in.Tags}
	ctx := context.Background()
	if wanted.Plan == "" {
		list, err := c.service.Plans(ctx)
		if err != nil {
			return err
		}
		wanted.Plan = list.Plans[0].ID
	}
	if wanted.Region == "" {
		list, err := c.service.Locations(ctx)
		if err != nil {
			return err
		}
		wanted.Region = list.Locations[0].ID
	}
	made, err := c.service.CreateInstance(wanted, "")
	if err != nil {
		return problem(c.path, err)
	}
	if err := c.service.FinishJob(made.JobID); err != nil {
		return err
	}
	id := made.ID
	if err := c.done(c.service.SetEngines(id, in.budgets())); err != nil {
		return problem(c.path, err)
	}
	if err := c.done(c.service.SetAllowlist(id, in.Allowlist)); err != nil {
		return problem(c.path, err)
	}
	if err := c.done(c.service.SetConsole(id, in.ConsoleMode)); err != nil {
		return within(c.path+".console_mode", err)
	}
	for name, e := range in.Engines {
		if sent(e.SiteURL) == "" && sent(e.RedirectURLs) == nil {
			continue
		}
		if name != core.EngineAuth {
			return fmt.Errorf("%s.engines.%s: site_url and redirect_urls are valid only for the auth engine", c.path, name)
		}
		if err := c.done(c.service.UpdateAuthSettings(id, e.AuthSettingsChange)); err != nil {
			return problem(c.path+".engines.auth", err)
		}
	}
	return c.fills(id, in)
}

// fills makes the objects of an instance.
func (c customer) fills(id string, in instance) error {
	ctx := context.Background()
	for i, name := range in.Databases {
		if err := c.done(c.service.CreateDatabase(ctx, id, name)); err != nil {
			return within(fmt.Sprintf("%s.databases[%d]", c.path, i), err)
		}
	}
	for i, x := range in.Extensions {
		if err := c.done(c.service.SetExtension(ctx, id, x.Database, x.Name)); err != nil {
			return problem(fmt.Sprintf("%s.extensions[%d]", c.path, i), err)
		}
	}
	for i, a := range in.Apps {
		imported, err := c.service.ImportApp(id, a)
		if err := c.done(core.Accepted{JobID: imported.JobID}, err); err != nil {
			return problem(fmt.Sprintf("%s.apps[%d]", c.path, i), err)
		}
	}
	return nil
}

// done finishes the job of an operation immediately and returns the error of a failed
// job.
func (c customer) done(accepted core.Accepted, err error) error {
	if err != nil {
		return err
	}
	if err := c.service.FinishJob(accepted.JobID); err != nil {
		return err
	}
	record, err := c.service.Job(context.Background(), accepted.JobID)
	if err == nil && record.Error != nil {
		return core.Refuse(core.Code(record.Error.Code), "%s", record.Error.Detail)
	}
	return err
}

// budgets returns the engines for the request to set them.
func (in instance) budgets() map[string]core.EngineBudget {
	budgets := map[string]core.EngineBudget{}
	for name, e := range in.Engines {
		budgets[name] = e.EngineBudget
	}
	return budgets
}

// problem returns an error with the path of the invalid field. If a value is out of
// range, the detail of core's error begins with the field's name.
func problem(path string, err error) error {
	if p := (*core.Problem)(nil); errors.As(err, &p) && p.Code == core.ValidationError {
		return fmt.Errorf("%s.%s", path, p.Detail)
	}
	return within(path, err)
}

// within is problem for an element without fields.
func within(path string, err error) error {
	if p := (*core.Problem)(nil); errors.As(err, &p) {
		return fmt.Errorf("%s: %s", path, p.Detail)
	}
	return fmt.Errorf("%s: %w", path, err)
}
