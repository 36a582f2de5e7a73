package hostingtest

import (
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway/weather"
)

// The types of this package repeat those of the fake, which is internal. This file
// contains all conversions. Most of them compile only while both types have the same
// fields.

// each converts the elements of a list. Nil stays nil.
func each[From, To any](list []From, convert func(From) To) []To {
	if list == nil {
		return nil
	}
	converted := make([]To, len(list))
	for i, element := range list {
		converted[i] = convert(element)
	}
	return converted
}

func jobOf(j fakeservice.Job) Job             { return Job(j) }
func webhookOf(w fakeservice.Webhook) Webhook { return Webhook(w) }
func eventOf(e fakeservice.Event) Event       { return Event(e) }
func requestOf(r fakeservice.Request) Request { return Request(r) }

func (m JobMatch) internal() fakeservice.JobMatch     { return fakeservice.JobMatch(m) }
func (m BuildMatch) internal() fakeservice.BuildMatch { return fakeservice.BuildMatch(m) }
func (m AppMatch) internal() fakeservice.AppMatch     { return fakeservice.AppMatch(m) }
func (f AppFailure) internal() fakeservice.AppFailure { return fakeservice.AppFailure(f) }
func (f Fault) internal() fakeservice.Fault           { return fakeservice.Fault(f) }
func (w Weather) internal() weather.Weather           { return weather.Weather(w) }

func instanceOf(i fakeservice.Instance) Instance {
	return Instance{
		ID: i.ID, Name: i.Name, Plan: i.Plan, Region: i.Region, Status: i.Status, Host: i.Host,
		Engines: engines(i.Engines, func(e *fakeservice.Engine) *Engine { return (*Engine)(e) }),
		Tags:    i.Tags, Allowlist: i.Allowlist, ConsoleMode: i.ConsoleMode, JobID: i.JobID, CheckoutURL: i.CheckoutURL, CreatedAt: i.CreatedAt,
		Backups:  each(i.Backups, func(b fakeservice.Backup) Backup { return Backup(b) }),
		Activity: each(i.Activity, func(a fakeservice.Activity) Activity { return Activity(a) }),
	}
}

func (i Instance) internal() fakeservice.Instance {
	return fakeservice.Instance{
		ID: i.ID, Name: i.Name, Plan: i.Plan, Region: i.Region, Status: i.Status, Host: i.Host,
		Engines: engines(i.Engines, func(e *Engine) *fakeservice.Engine { return (*fakeservice.Engine)(e) }),
		Tags:    i.Tags, Allowlist: i.Allowlist, ConsoleMode: i.ConsoleMode, JobID: i.JobID, CheckoutURL: i.CheckoutURL, CreatedAt: i.CreatedAt,
		Backups:  each(i.Backups, func(b Backup) fakeservice.Backup { return fakeservice.Backup(b) }),
		Activity: each(i.Activity, func(a Activity) fakeservice.Activity { return fakeservice.Activity(a) }),
	}
}

// editing converts an edit of an Instance into an edit of the fake's instance.
func editing(edit func(*Instance)) func(*fakeservice.Instance) {
	return func(i *fakeservice.Instance) {
		shown := instanceOf(*i)
		edit(&shown)
		*i = shown.internal()
	}
}

// engines converts the engines of an instance. Nil stays nil.
func engines[From, To any](byName map[string]*From, convert func(*From) *To) map[string]*To {
	if byName == nil {
		return nil
	}
	converted := make(map[string]*To, len(byName))
	for name, engine := range byName {
		converted[name] = convert(engine)
	}
	return converted
}

func appOf(a fakeservice.App) App {
	return App{
		Name: a.Name, Repo: a.Repo, Branch: a.Branch, Port: a.Port, HealthPath: a.HealthPath, Public: a.Public, Env: a.Env, Links: a.Links,
		MemoryMB: a.MemoryMB, URL: a.URL, Status: a.Status, Failure: (*AppFailure)(a.Failure), CreatedAt: a.CreatedAt,
		Builds: each(a.Builds, func(b fakeservice.Build) Build { return Build(b) }),
	}
}

func (a App) internal() fakeservice.App {
	return fakeservice.App{
		Name: a.Name, Repo: a.Repo, Branch: a.Branch, Port: a.Port, HealthPath: a.HealthPath, Public: a.Public, Env: a.Env, Links: a.Links,
		MemoryMB: a.MemoryMB, URL: a.URL, Status: a.Status, Failure: (*fakeservice.AppFailure)(a.Failure), CreatedAt: a.CreatedAt,
		Builds: each(a.Builds, func(b Build) fakeservice.Build { return fakeservice.Build(b) }),
	}
}

func deliveryOf(d fakeservice.Delivery) Delivery {
	return Delivery{
		ID: d.ID, WebhookID: d.WebhookID, EventID: d.EventID, Type: d.Type, State: d.State, CreatedAt: d.CreatedAt, NextAttemptAt: d.NextAttemptAt,
		Attempts: each(d.Attempts, func(a fakeservice.Attempt) Attempt { return Attempt(a) }), Event: d.Event,
	}
}
