package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
)

// Instance statuses. creating and running are shown, the others settled.
const (
	StatusCreating = "creating"
	StatusRunning  = "running"
	StatusDeleting = "deleting"
	StatusFailed   = "failed"
)

// An Instance is a managed machine (SERVICE.md#instances). Fields that the
// service may leave out of a record are Maybe; what it leaves out is unknown,
// not empty.
type Instance struct {
	ID          string                   `json:"id"`
	Name        string                   `json:"name"`
	Plan        string                   `json:"plan"`
	Tier        string                   `json:"tier"` // the older name of plan, on the create request
	Region      string                   `json:"region"`
	Status      Word                     `json:"status"`
	Host        string                   `json:"host"`
	Engines     Maybe[Engines]           `json:"engines"`
	Tags        Maybe[[]string]          `json:"tags"`
	Allowlist   Maybe[[]string]          `json:"allowlist"`
	ConsoleMode Maybe[string]            `json:"console_mode"`
	JobID       string                   `json:"job_id"` // the job in progress, or ""
	CheckoutURL string                   `json:"checkout_url"`
	CreatedAt   Time                     `json:"created_at"`
	Usage       Informal[*Usage]         `json:"usage"`
	Monitoring  Informal[*Monitoring]    `json:"monitoring"`
	Backups     Informal[*BackupSummary] `json:"backups"`
	Activity    Activities               `json:"activity"` // newest first, 20 at most
}

// Usage is what an instance uses at present.
type Usage struct {
	CPUPercent float64 `json:"cpu_percent"`
	MemoryMB   float64 `json:"memory_mb"`
	DiskGB     float64 `json:"disk_gb"`
}

// Monitoring is the newest health check of an instance.
type Monitoring struct {
	Healthy   bool `json:"healthy"`
	CheckedAt Time `json:"checked_at"`
}

// BackupSummary counts an instance's backups.
type BackupSummary struct {
	Count  int64 `json:"count"`
	LastAt Time  `json:"last_at"`
}

// Activity is one thing that happened to an instance.
type Activity struct {
	At     Time   `json:"at"`
	Type   string `json:"type"`
	Detail string `json:"detail"`
}

// Activities are what happened to an instance. They inform, so those that cannot
// be read are dropped.
type Activities []Activity

// UnmarshalJSON never fails.
func (a *Activities) UnmarshalJSON(raw []byte) error {
	var all []Activity
	if json.Unmarshal(raw, &all) != nil {
		var items []Informal[Activity] // of which some are of another type
		all = nil
		if json.Unmarshal(raw, &items) == nil {
			for _, item := range items {
				all = append(all, item.Value)
			}
		}
	}
	*a = slices.DeleteFunc(all, func(activity Activity) bool { return activity == Activity{} })
	return nil
}

// Identifier is the instance's id.
func (i Instance) Identifier() string { return i.ID }

// PlanID is the instance's plan, by whichever name the record has it.
func (i Instance) PlanID() string {
	if i.Plan == "" {
		return i.Tier
	}
	return i.Plan
}

// Instance reads an instance from the service. For a refresh of many, see
// Client.RefreshInstance.
func (c *Client) Instance(ctx context.Context, id string) (Instance, error) {
	return getRecord[Instance](ctx, c, request{path: []string{"instances", id}}, id)
}

// pollInstance reads an instance once, for a wait.
func (c *Client) pollInstance(ctx context.Context, id string) (Instance, error) {
	return getRecord[Instance](ctx, c, request{path: []string{"instances", id}, poll: true}, id)
}

// Instances reads all instances of the account.
func (c *Client) Instances(ctx context.Context) ([]Instance, error) {
	return list[Instance](ctx, c, "instances", "instances")
}

// InstanceChange is what can be changed on an instance without its engines or
// plan. What is nil stays.
type InstanceChange struct {
	Name *string   `json:"name,omitempty"`
	Tags *[]string `json:"tags,omitempty"`
}

// Update renames or retags the instance.
func (t *Turn) Update(ctx context.Context, change InstanceChange) (Pending, error) {
	return t.set(ctx, mutation{
		request:   request{method: http.MethodPatch, body: change},
		operation: OpUpdate,
		shown: func(ctx context.Context) (bool, error) {
			i, err := t.c.Instance(ctx, t.id)
			return sameField(change.Name, Some(i.Name)) && (change.Tags == nil || i.Tags.Set && sameSet(*change.Tags, i.Tags.Value)), err
		},
	})
}

// Delete deletes the instance with everything on it. It joins a deletion whose job
// is at work; one that is confirmed gone has nothing pending. The status `deleting`
// alone does not prove that a deletion continues: its job may have failed.
func (t *Turn) Delete(ctx context.Context, permit Permit) (Pending, error) {
	if err := t.held(); err != nil {
		return Pending{}, err
	}
	t.c.Claim(t.id) // one that is made after it is not made beside it
	instance, err := t.c.Instance(ctx, t.id)
	switch {
	case errors.Is(err, ErrNotFound):
		return Pending{deletion: true}, nil
	case err != nil:
		return Pending{}, err
	case instance.Status == StatusDeleting:
		if pending, found, _ := look(ctx, t.c, readLag, t.deletionAtWork); found {
			return pending, nil
		} // otherwise it is requested, whatever kept it from being seen
	}
	pending, err := t.set(ctx, mutation{
		request:   request{method: http.MethodDelete, query: url.Values{"confirm": {t.id}}},
		operation: OpDelete,
		prepare:   permit.prepare,
		shown:     func(ctx context.Context) (bool, error) { return t.c.instanceGone(ctx, t.id) },
	})
	if errors.Is(err, ErrJobRunning) && instance.Status == StatusDeleting {
		return Pending{deletion: true}, nil // the service itself says that the deletion is at work
	}
	return pending, err
}

// deletionAtWork looks for the deletion that an instance's status tells of: its job in
// progress, or its end.
func (t *Turn) deletionAtWork(ctx context.Context) (Pending, bool, error) {
	instance, err := t.c.Instance(ctx, t.id)
	switch {
	case errors.Is(err, ErrNotFound):
		return Pending{deletion: true}, true, nil
	case err != nil || instance.JobID == "":
		return Pending{}, false, err
	}
	job, err := t.c.Job(ctx, instance.JobID)
	switch {
	case err != nil || job.Done() || job.Failed():
		return Pending{}, false, err
	case job.Operation == "":
		return Pending{deletion: true}, true, nil // it may be the deletion's, or another's
	}
	return Pending{JobID: job.ID}, job.Operation == OpDelete, nil
}

// SetEngines sets the whole set of engines. One that is left out is turned off
// and loses its data; a memory of nil means the engine's floor. choose gives the
// set for the instance as its record shows it right before the request is sent,
// and again after another's job was waited for: what that has turned on is not
// turned off unseen. An error of choose ends it with nothing sent.
func (t *Turn) SetEngines(ctx context.Context, choose func(Instance) (map[string]EngineBudget, error)) (Pending, error) {
	var engines map[string]EngineBudget
	differed := false // the record showed another set, or other budgets, before
	shown := func(ctx context.Context) (bool, error) {
		i, err := t.c.Instance(ctx, t.id)
		return i.Engines.Set && sameBudgets(engines, i.Engines.Value), err
	}
	return t.set(ctx, mutation{
		request:   request{method: http.MethodPut, path: []string{"engines"}},
		operation: OpEngines,
		prepare: func(ctx context.Context) (body any, err error) {
			i, err := t.c.Instance(ctx, t.id)
			if err == nil {
				engines, err = choose(i)
			}
			differed = differed || i.Engines.Set && !sameBudgets(engines, i.Engines.Value)
			return map[string]any{"engines": engines}, err
		},
		shown: shown,
		changed: func(ctx context.Context) (bool, error) {
			made, err := shown(ctx)
			return made && differed, err
		},
	})
}

// An EngineBudget is an engine's share of the instance's memory.
type EngineBudget struct {
	MemoryMB *int64 `json:"memory_mb,omitempty"`
}

// sameBudgets tells whether the engines that are asked for are on, and no others,
// each with the budget that is asked for.
func sameBudgets(asked map[string]EngineBudget, on Engines) bool {
	if len(asked) != len(on) {
		return false
	}
	for name, budget := range asked {
		engine, is := on[name]
		if !is || budget.MemoryMB != nil && engine.MemoryMB != 0 && engine.MemoryMB != *budget.MemoryMB {
			return false
		}
	}
	return true
}
