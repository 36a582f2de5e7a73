package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// Statuses of instances. The service's description shows creating and running; the others
// are settled.
const (
	StatusCreating = "creating"
	StatusRunning  = "running"
	StatusDeleting = "deleting"
	StatusFailed   = "failed"
)

// InstanceSettings are what a PATCH of an instance can change. They are in its record and in
// the request that creates it (SERVICE.md#instances). In a change, a field that is not set
// does not change.
type InstanceSettings struct {
	Name Maybe[string]   `json:"name,omitzero"`
	Tags Maybe[[]string] `json:"tags,omitzero"`
}

// stored returns the settings as a service may keep them: a trimmed name, and tags in lower
// case (SERVICE.md#tolerance).
func (s InstanceSettings) stored() InstanceSettings {
	s.Name.Value, s.Tags.Value = strings.TrimSpace(s.Name.Value), storedTags(s.Tags.Value)
	return s
}

// An Instance is a managed machine (SERVICE.md#instances). Fields that the service may
// omit from a record are Maybe. An omitted field is unknown, not empty.
type Instance struct {
	ID string `json:"id"`
	InstanceSettings
	Plan        string                   `json:"plan"`
	Tier        string                   `json:"tier"` // the older name of plan, used in the create request
	Region      string                   `json:"region"`
	Status      Word                     `json:"status"`
	Host        string                   `json:"host"`
	Engines     Maybe[Engines]           `json:"engines"`
	Allowlist   Maybe[[]string]          `json:"allowlist"`
	ConsoleMode Maybe[Mode]              `json:"console_mode"`
	JobID       string                   `json:"job_id"` // the job in progress, or ""
	CheckoutURL string                   `json:"checkout_url"`
	CreatedAt   Time                     `json:"created_at"`
	Usage       Informal[*Usage]         `json:"usage"`
	Monitoring  Informal[*Monitoring]    `json:"monitoring"`
	Backups     Informal[*BackupSummary] `json:"backups"`
	Activity    Activities               `json:"activity"` // newest first, 20 at most
}

// Usage describes the current resource usage of an instance.
type Usage struct {
	CPUPercent Informal[Maybe[Amount]] `json:"cpu_percent"`
	MemoryMB   Informal[Maybe[Amount]] `json:"memory_mb"`
	DiskGB     Informal[Maybe[Amount]] `json:"disk_gb"`
}

// Monitoring is the newest health check of an instance.
type Monitoring struct {
	Healthy   Maybe[bool] `json:"healthy"`
	CheckedAt Time        `json:"checked_at"`
}

// BackupSummary contains the number of an instance's backups and the time of the last
// one.
type BackupSummary struct {
	Count  Maybe[Whole] `json:"count"`
	LastAt Time         `json:"last_at"`
}

// Activity is one event in the life of an instance.
type Activity struct {
	At     Time   `json:"at"`
	Type   string `json:"type"`
	Detail string `json:"detail"`
}

// Activities is the list of events of an instance. They are informative, so unreadable
// ones are dropped.
type Activities []Activity

// UnmarshalJSON reads a list of activities, without those of another type. If the text is
// not a list, the result is empty. UnmarshalJSON never returns an error.
func (a *Activities) UnmarshalJSON(raw []byte) error {
	var all []Activity
	if json.Unmarshal(raw, &all) != nil {
		var items []Informal[Activity] // some items may have a different type
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

// Identifier returns the instance's id.
func (i Instance) Identifier() string { return i.ID }

// PlanID returns the instance's plan, from the field plan or the older field tier.
func (i Instance) PlanID() string {
	if i.Plan == "" {
		return i.Tier
	}
	return i.Plan
}

// IsCreating reports whether an instance is still being created. An unlisted status
// counts as in progress if the instance has not run before (SERVICE.md#tolerance).
func (i Instance) IsCreating() bool {
	return i.Status == StatusCreating || !i.settled() && i.Host == ""
}

// Instance reads an instance from the service. To refresh many instances, use
// Client.RefreshInstance.
func (c *Client) Instance(ctx context.Context, id string) (Instance, error) {
	return getRecord[Instance](ctx, c, transport.Request{Path: []string{"instances", id}}, id)
}

// pollInstance reads an instance once, as part of a wait.
func (c *Client) pollInstance(ctx context.Context, id string) (Instance, error) {
	return getRecord[Instance](ctx, c, transport.Request{Path: []string{"instances", id}, Poll: true}, id)
}

// Instances reads all instances of the account.
func (c *Client) Instances(ctx context.Context) ([]Instance, error) {
	return hidden(list[Instance](ctx, c, "instances", "instances"))
}

// Update changes settings of the instance.
func (t *Turn) Update(ctx context.Context, change InstanceSettings) (Pending, error) {
	return t.set(ctx, mutation{
		Request:   transport.Request{Method: http.MethodPatch, Body: change},
		operation: OpUpdate,
		isMade: func(ctx context.Context) (bool, error) {
			i, err := t.c.Instance(ctx, t.id)
			return err == nil && IsEmpty(Missing(change.stored(), i.stored())), err
		},
	})
}

// Delete deletes the instance and everything on it. If the instance is not found, waiting
// for the result confirms that it is gone. The status `deleting` does not prove that a
// deletion continues, because its job may have failed, so the request is sent. If a job
// deletes the instance already, the service refuses the request until that job is over.
func (t *Turn) Delete(ctx context.Context, guard DeleteGuard) (Pending, error) {
	if err := t.held(); err != nil {
		return Pending{}, err
	}
	t.c.Claim(t.id) // so that its replacement does not find it as a namesake
	instance, err := t.c.Instance(ctx, t.id)
	switch {
	case errors.Is(err, ErrNotFound):
		return Pending{deletion: true}, nil
	case err != nil && !errors.As(err, new(*transport.FieldError)): // it exists, and what it is does not matter
		return Pending{}, err
	}
	pending, err := t.set(ctx, mutation{
		Request:   transport.Request{Method: http.MethodDelete, Query: url.Values{"confirm": {t.id}}},
		operation: OpDelete,
		prepare:   guard.prepare,
		isMade:    func(ctx context.Context) (bool, error) { return t.c.instanceGone(ctx, t.id) },
	})
	if instance.Status == StatusDeleting && refusesRequest(err) {
		return Pending{deletion: true}, nil // a second deletion is refused while one runs
	}
	return pending, err
}

// SetEngines sets the complete set of engines. An omitted engine is turned off and loses
// its data. A nil memory means the engine's floor.
//
// choose returns the set for the instance as its current record shows it. SetEngines
// calls choose right before it sends the request. After a wait for another client's job
// it calls choose again, so that no engine turned on by that job is turned off unnoticed.
// If choose returns an error, nothing is sent.
func (t *Turn) SetEngines(ctx context.Context, choose func(Instance) (map[string]EngineBudget, error)) (Pending, error) {
	var engines map[string]EngineBudget
	differed := false // a record showed a different set or different budgets before
	return t.set(ctx, mutation{
		Request:   transport.Request{Method: http.MethodPut, Path: []string{"engines"}},
		operation: OpEngines,
		prepare: func(ctx context.Context) (body any, err error) {
			i, err := t.c.Instance(ctx, t.id)
			if err == nil {
				engines, err = choose(i)
			}
			differed = differed || i.Engines.Set && !sameBudgets(engines, i.Engines.Value)
			return map[string]any{"engines": engines}, err
		},
		isMade: func(ctx context.Context) (bool, error) {
			i, err := t.c.Instance(ctx, t.id)
			return err == nil && i.Engines.Set && sameBudgets(engines, i.Engines.Value) && !hidesBudgets(engines, i.Engines.Value, differed), err
		},
	})
}

// An EngineBudget is an engine's share of the instance's memory.
type EngineBudget struct {
	MemoryMB *int64 `json:"memory_mb,omitempty"`
}

// sameBudgets reports whether exactly the requested engines are on, each with the
// requested budget.
func sameBudgets(asked map[string]EngineBudget, on Engines) bool {
	if len(asked) != len(on) {
		return false
	}
	for name, budget := range asked {
		engine, is := on[name]
		if !is || budget.MemoryMB != nil && engine.MemoryMB != 0 && int64(engine.MemoryMB) != *budget.MemoryMB {
			return false
		}
	}
	return true
}

// hidesBudgets reports whether engines that are on need not have the requested budgets. That
// is so if the record has no number for one. For an engine's floor, whose number only the
// service knows, the record must have differed from the request before.
func hidesBudgets(asked map[string]EngineBudget, on Engines, differed bool) bool {
	for name, budget := range asked {
		if budget.MemoryMB != nil && on[name].MemoryMB == 0 || budget.MemoryMB == nil && !differed {
			return true
		}
	}
	return false
}

// listsInstance returns a lister that looks for an instance in the list of instances.
func (c *Client) listsInstance(id string) lister {
	return func(ctx context.Context, isFresh freshness) (bool, error) {
		instances, err := c.reads.allInstances.get(ctx, "", isFresh, c.Instances)
		_, listed := find(instances, id)
		return listed, err
	}
}

// instanceGone reports whether an instance's absence is confirmed. A nil error with false
// means that the instance exists.
func (c *Client) instanceGone(ctx context.Context, id string) (bool, error) {
	read := func(ctx context.Context) (Instance, error) { return c.Instance(ctx, id) }
	instance, err := read(ctx)
	_, err = confirmAbsence(ctx, c, instanceSubject(id), instance, err, read, c.listsInstance(id))
	if errors.Is(err, ErrNotFound) {
		return true, nil
	}
	return false, err
}

// settled reports whether an instance's creation has ended, based only on its status. An
// unknown status counts as in progress (SERVICE.md#tolerance).
func (i Instance) settled() bool {
	switch i.Status {
	case StatusRunning, StatusFailed, StatusDeleting:
		return true
	}
	return false
}

// Lacks reports whether a record shows that an engine is off. It is false if the record
// has no engines field.
func (i Instance) Lacks(engine string) bool {
	_, on := i.Engines.Value[engine]
	return i.Engines.Set && !on
}

// RefreshEngine checks that an engine of an instance is on, for a refresh of objects that
// cannot be read themselves. It returns ErrNotFound only if it is confirmed that the
// engine is off or the instance gone.
func (c *Client) RefreshEngine(ctx context.Context, instanceID, engine string) error {
	on := func(instance Instance, err error) (Instance, error) {
		if err == nil && instance.Lacks(engine) {
			err = fmt.Errorf("engine %s: %w", engine, ErrNotFound)
		}
		return instance, err
	}
	instance, err := c.RefreshInstance(ctx, instanceID)
	if err != nil {
		return err
	}
	_, err = on(instance, nil)
	_, err = confirmAbsence(ctx, c, childSubject(instanceID, "engines", engine), instance, err, func(ctx context.Context) (Instance, error) {
		return on(c.Instance(ctx, instanceID))
	}, nil)
	return err
}
