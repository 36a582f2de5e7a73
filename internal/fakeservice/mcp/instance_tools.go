package mcp

import (
	"context"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// offer is what the plan list holds: what the REST API shows as plans and locations.
type offer struct {
	core.PlanList
	core.LocationList
}

// page are the arguments of a list that is paged.
type page struct {
	Cursor string `json:"cursor,omitempty" jsonschema:"next_cursor of the page before; left out for the first page"`
	Limit  *int   `json:"limit,omitempty" jsonschema:"how many records a page holds: 1 to 200, which is the default"`
}

// limit is how many records the page is to hold.
func (p page) limit() int {
	if p.Limit == nil {
		return core.PageLimit
	}
	return *p.Limit
}

// newInstance are the arguments of a creation.
type newInstance struct {
	Tier     string   `json:"tier" jsonschema:"the id of a plan of list_plans"`
	Name     string   `json:"name" jsonschema:"1 to 100 characters"`
	Location string   `json:"location" jsonschema:"the id of a location of list_plans"`
	Engines  []string `json:"engines,omitempty" jsonschema:"the engines to begin with; auth needs postgres and apps, and set_engines adds the others later"`
	Tags     []string `json:"tags,omitempty"`
}

// changedInstance are the arguments of a rename.
type changedInstance struct {
	onInstance
	Name *string  `json:"name,omitempty" jsonschema:"1 to 100 characters; left out, it stays"`
	Tags []string `json:"tags,omitempty" jsonschema:"all tags of the instance from now on; left out, they stay"`
}

// onInstanceConfirmed are the arguments of what wants the instance's id once more.
type onInstanceConfirmed struct {
	onInstance
	Confirm string `json:"confirm" jsonschema:"the id of the instance once more"`
}

// onJob is a job.
type onJob struct {
	JobID string `json:"job_id" jsonschema:"the id of the job"`
}

// addInstances adds the tools for instances as a whole, and what is asked for first.
func (t tools) addInstances() {
	s := t.Service
	add(t, about{
		name: "list_plans", title: "Plans, locations and engines", effect: reading,
		text: "Lists the plans with their prices and hardware, the locations, and each engine with its memory minimum (floor_mb). A plan with price_cents over 0 is paid.",
	}, func(ctx context.Context, _ none) (offer, error) {
		plans, err := s.Plans(ctx)
		if err != nil {
			return offer{}, err
		}
		locations, err := s.Locations(ctx)
		return offer{plans, locations}, err
	})
	add(t, about{
		name: "list_instances", title: "Instances", effect: reading,
		text: "Lists the account's instances, in order of creation. Where next_cursor is in the answer there are more.",
	}, func(ctx context.Context, in page) (core.InstanceList, error) {
		return s.ListInstances(ctx, in.Cursor, in.limit())
	})
	add(t, about{
		name: "get_instance", title: "One instance", effect: reading,
		text: "Shows an instance: its status, host, engines, allowlist, console mode, the job in progress, usage, health and activity.",
	}, func(ctx context.Context, in onInstance) (core.InstanceRecord, error) {
		return s.ReadInstance(ctx, in.InstanceID)
	})
	add(t, about{
		name: "create_instance", title: "Create an instance", effect: doing,
		text:  "Creates an instance, which takes about 8 minutes. For a paid plan the answer has checkout_url: nothing happens until a person has opened it.",
		words: map[string][]any{"engines": {core.EnginePostgres, core.EngineApps, core.EngineAuth}},
	}, func(ctx context.Context, in newInstance) (core.Creation, error) {
		wanted := core.NewInstance{Name: in.Name, Plan: in.Tier, Region: in.Location, Engines: map[string]bool{}, Tags: in.Tags}
		for _, engine := range in.Engines {
			wanted.Engines[engine] = true
		}
		return s.CreateInstance(wanted, t.portal(ctx))
	})
	add(t, about{
		name: "update_instance", title: "Rename and retag an instance", effect: replacing,
		text: "Changes the name or the tags of an instance. What is left out stays.",
	}, func(_ context.Context, in changedInstance) (core.Accepted, error) {
		return s.UpdateInstance(in.InstanceID, core.InstanceChange{Name: in.Name, Tags: listSent(in.Tags)})
	})
	add(t, about{
		name: "delete_instance", title: "Delete an instance", effect: replacing,
		text: "Deletes an instance with all its data and backups, for good, and cancels its subscription.",
	}, func(_ context.Context, in onInstanceConfirmed) (core.Accepted, error) {
		return s.DeleteInstance(in.InstanceID, in.Confirm)
	})
	add(t, about{
		name: "get_job", title: "One job", effect: reading,
		text: "Shows a job: its status (queued, running, done or failed), its progress in percent, and why it has failed.",
	}, func(ctx context.Context, in onJob) (core.JobRecord, error) { return s.Job(ctx, in.JobID) })
	add(t, about{
		name: "get_connection_urls", title: "Connection URLs", effect: reading,
		text:    "Shows how an instance is reached: its host, the CA certificate, the URLs of its engines, and URL and anon key of the auth engine, which a browser may know.",
		secrets: "passwords in the URLs, and the service key of the auth engine",
	}, func(ctx context.Context, in onInstance) (core.ConnectionRecord, error) {
		return s.Connection(ctx, in.InstanceID)
	})
	add(t, about{
		name: "list_backups", title: "Backups", effect: reading,
		text: "Lists the daily backups and the undo snapshots of an instance, newest first.",
	}, func(ctx context.Context, in onInstance) (core.BackupList, error) {
		return s.Backups(ctx, in.InstanceID)
	})
}

// listSent is a list as a change has it, where nil was not sent.
func listSent(list []string) *[]string {
	if list == nil {
		return nil
	}
	return &list
}
