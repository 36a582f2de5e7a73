package operations

import (
	"context"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// onInstance is the argument that names an instance.
type onInstance struct {
	InstanceID string `json:"instance_id" jsonschema:"the id of the instance"`
}

// onInstanceConfirmed names an instance and confirms it.
type onInstanceConfirmed struct {
	onInstance
	Confirm string `json:"confirm" jsonschema:"the id of the instance once more"`
}

// onJob is the argument that names a job.
type onJob struct {
	JobID string `json:"job_id" jsonschema:"the id of the job"`
}

// page has the arguments that select a page of a list.
type page struct {
	Cursor string `json:"cursor,omitempty" jsonschema:"next_cursor of the page before; left out for the first page"`
	Limit  *int   `json:"limit,omitempty" jsonschema:"how many records a page holds: 1 to 200, which is the default"`
}

// limit returns the maximum number of records of the page.
func (p page) limit() int {
	if p.Limit == nil {
		return core.PageLimit
	}
	return *p.Limit
}

// offer has the plans and the locations.
type offer struct {
	core.PlanList
	core.LocationList
}

func listOffer(ctx context.Context, s Service, _ None) (offer, error) {
	plans, err := s.Plans(ctx)
	if err != nil {
		return offer{}, err
	}
	locations, err := s.Locations(ctx)
	return offer{plans, locations}, err
}

func listInstances(ctx context.Context, s Service, in page) (core.InstanceList, error) {
	return s.ListInstances(ctx, in.Cursor, in.limit())
}

func createInstance(_ context.Context, s Service, in core.NewInstance) (core.Creation, error) {
	return s.CreateInstance(in, s.Portal)
}

// newInstance is a core.NewInstance with the arguments of the tool.
type newInstance struct {
	Tier     string   `json:"tier" jsonschema:"the id of a plan of list_plans"`
	Name     string   `json:"name" jsonschema:"1 to 100 characters"`
	Location string   `json:"location" jsonschema:"the id of a location of list_plans"`
	Engines  []string `json:"engines,omitempty" jsonschema:"the engines to begin with; auth needs postgres and apps, and set_engines adds the others later"`
	Tags     []string `json:"tags,omitempty"`
}

func createInstanceByTool(ctx context.Context, s Service, in newInstance) (core.Creation, error) {
	engines := map[string]bool{}
	for _, engine := range in.Engines {
		engines[engine] = true
	}
	return createInstance(ctx, s, core.NewInstance{Name: in.Name, Plan: in.Tier, Region: in.Location, Engines: engines, Tags: in.Tags})
}

func updateInstance(_ context.Context, s Service, in struct {
	onInstance
	core.InstanceChange
}) (core.Accepted, error) {
	return s.UpdateInstance(in.InstanceID, in.InstanceChange)
}

func deleteInstance(_ context.Context, s Service, in onInstanceConfirmed) (core.Accepted, error) {
	return s.DeleteInstance(in.InstanceID, in.Confirm)
}

func readJob(ctx context.Context, s Service, in onJob) (core.JobRecord, error) {
	return s.Job(ctx, in.JobID)
}

func rotate(_ context.Context, s Service, in onInstance) (core.Accepted, error) {
	return s.Rotate(in.InstanceID)
}

func resize(_ context.Context, s Service, in struct {
	onInstance
	Plan string `json:"plan" jsonschema:"the id of a plan of list_plans"`
}) (core.Accepted, error) {
	return s.Resize(in.InstanceID, in.Plan)
}

func reset(_ context.Context, s Service, in struct {
	onInstanceConfirmed
	Engine string `json:"engine,omitempty" jsonschema:"the one engine to empty; left out, all of them"`
}) (core.Accepted, error) {
	return s.ResetEngines(in.InstanceID, in.Confirm, in.Engine)
}

func restore(_ context.Context, s Service, in struct {
	onInstanceConfirmed
	BackupID string `json:"backup_id" jsonschema:"the id of a backup of list_backups"`
}) (core.Accepted, error) {
	return s.Restore(in.InstanceID, in.Confirm, in.BackupID)
}
