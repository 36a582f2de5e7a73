package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// Instance statuses. creating and running are shown, the others settled.
const (
	StatusCreating = "creating"
	StatusRunning  = "running"
	StatusDeleting = "deleting"
	StatusFailed   = "failed"
)

// An Instance is a managed machine (service.md, "Instance"). Fields that the
// service may leave out of a record are Maybe; what it leaves out is unknown,
// not empty.
type Instance struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	Plan        string          `json:"plan"`
	Tier        string          `json:"tier"` // the older name of plan, on the create request
	Region      string          `json:"region"`
	Status      string          `json:"status"`
	Host        string          `json:"host"`
	Engines     Maybe[Engines]  `json:"engines"`
	Tags        Maybe[[]string] `json:"tags"`
	Allowlist   Maybe[[]string] `json:"allowlist"`
	ConsoleMode Maybe[string]   `json:"console_mode"`
	JobID       string          `json:"job_id"` // the job in progress, or ""
	CheckoutURL string          `json:"checkout_url"`
	CreatedAt   time.Time       `json:"created_at"` // zero when the record lacks it
	Usage       *Usage          `json:"usage"`
	Monitoring  *Monitoring     `json:"monitoring"`
	Backups     *BackupSummary  `json:"backups"`
	Activity    []Activity      `json:"activity"` // newest first, 20 at most
}

// Usage is what an instance uses at present.
type Usage struct {
	CPUPercent float64 `json:"cpu_percent"`
	MemoryMB   float64 `json:"memory_mb"`
	DiskGB     float64 `json:"disk_gb"`
}

// Monitoring is the newest health check of an instance.
type Monitoring struct {
	Healthy   bool      `json:"healthy"`
	CheckedAt time.Time `json:"checked_at"`
}

// BackupSummary counts an instance's backups.
type BackupSummary struct {
	Count  int64     `json:"count"`
	LastAt time.Time `json:"last_at"`
}

// Activity is one thing that happened to an instance.
type Activity struct {
	At     time.Time `json:"at"`
	Type   string    `json:"type"`
	Detail string    `json:"detail"`
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

// A NewInstance is the request to create an instance. Engines are the three
// that a creation can turn on: postgres, apps and auth.
type NewInstance struct {
	Name    string          `json:"name"`
	Plan    string          `json:"plan"`
	Region  string          `json:"region"`
	Engines map[string]bool `json:"engines"`
	Tags    []string        `json:"tags"`
}

// A Created is the answer to a creation.
type Created struct {
	ID          string
	Status      string
	CheckoutURL string // set for a paid plan: opening it finishes the creation
	JobID       string
	// Namesakes are instances of the same name, plan and region that ran
	// before this one was asked for.
	Namesakes []string
}

// Instance reads an instance from the service. For a refresh of many, see
// Client.RefreshInstance.
func (c *Client) Instance(ctx context.Context, id string) (Instance, error) {
	return get[Instance](ctx, c, "instances", id)
}

// Instances reads all instances of the account.
func (c *Client) Instances(ctx context.Context) ([]Instance, error) {
	return list[Instance](ctx, c, "instances", "instances")
}

// CreateInstance asks for an instance and returns as soon as the service has
// accepted. It never buys twice: when the answer is lost it looks for the
// instance by name, plan and region before anything else. Its errors are
// *NamesakeError and *AmbiguousError when a person has to decide.
func (c *Client) CreateInstance(ctx context.Context, n NewInstance) (Created, error) {
	// Creations that could be taken for each other go one by one, so that a
	// lost answer of one cannot adopt the other's instance.
	line := c.queues.of("create " + n.Name + "\x00" + n.Plan + "\x00" + n.Region)
	select {
	case line <- struct{}{}:
		defer func() { <-line }()
	case <-ctx.Done():
		return Created{}, ctx.Err()
	}
	existing, err := c.catalog.existing.get(ctx, c.Instances)
	if err != nil {
		return Created{}, err
	}
	namesakes, err := c.namesakes(n, existing)
	if err != nil {
		return Created{}, err
	}
	r := request{method: http.MethodPost, path: []string{"instances"}, body: n, key: newKey()}
	created, err := settle(ctx, c, c.findCreated(n, existing), func(ctx context.Context) (Created, error) {
		return c.postInstance(ctx, r)
	})
	if err != nil {
		return Created{}, err
	}
	c.Claim(created.ID)
	created.Namesakes = namesakes
	return created, nil
}

func (c *Client) postInstance(ctx context.Context, r request) (Created, error) {
	answer, err := do[createdAnswer](ctx, c, r)
	if err != nil {
		return Created{}, err
	}
	if answer.ID == "" {
		return Created{}, &OutcomeError{Err: errors.New(r.name() + ": the answer holds no id")}
	}
	return Created{ID: answer.ID, Status: answer.Status, CheckoutURL: answer.CheckoutURL, JobID: answer.Pending.JobID}, nil
}

// A createdAnswer is the answer to a creation on the wire.
type createdAnswer struct {
	ID, Status, CheckoutURL string
	Pending                 Pending
}

// namesakes looks through the instances that were there before this process
// created any. One that is still being created may be the half of an earlier
// run that was killed between its POST and saving the id.
func (c *Client) namesakes(n NewInstance, existing []Instance) (running []string, err error) {
	for _, instance := range existing {
		if !n.matches(instance) || c.hasClaimed(instance.ID) {
			continue
		}
		switch instance.Status {
		case StatusCreating:
			return nil, &NamesakeError{Name: n.Name, ID: instance.ID}
		case StatusRunning:
			running = append(running, instance.ID)
		}
	}
	return running, nil
}

func (n NewInstance) matches(i Instance) bool {
	return i.Name == n.Name && i.PlanID() == n.Plan && i.Region == n.Region
}

// findCreated looks for the one instance that a creation can have made.
func (c *Client) findCreated(n NewInstance, existing []Instance) finder[Created] {
	return func(ctx context.Context, since time.Time) (Created, bool, error) {
		instances, err := c.Instances(ctx)
		if err != nil {
			return Created{}, false, err
		}
		var candidates []Instance
		undated := false
		for _, i := range instances {
			known := slices.ContainsFunc(existing, func(e Instance) bool { return e.ID == i.ID })
			if known || !n.matches(i) || c.hasClaimed(i.ID) {
				continue
			}
			if i.CreatedAt.IsZero() {
				undated = true
			} else if i.CreatedAt.Before(since) {
				continue
			}
			candidates = append(candidates, i)
		}
		switch {
		case len(candidates) == 0:
			return Created{}, false, nil
		case len(candidates) == 1 && !undated:
			i := candidates[0]
			return Created{ID: i.ID, Status: i.Status, CheckoutURL: i.CheckoutURL, JobID: i.JobID}, true, nil
		}
		ids := make([]string, len(candidates))
		for k, i := range candidates {
			ids[k] = i.ID
		}
		return Created{}, false, &AmbiguousError{Name: n.Name, Candidates: ids}
	}
}

// InstanceChange is what can be changed on an instance without its engines or
// plan. What is nil stays.
type InstanceChange struct {
	Name *string   `json:"name,omitempty"`
	Tags *[]string `json:"tags,omitempty"`
}

// Update renames or retags the instance.
func (t *Turn) Update(ctx context.Context, change InstanceChange) (Pending, error) {
	return t.patch(ctx, change)
}

// Delete deletes the instance with everything on it. It joins a deletion that
// runs already; one that is gone has nothing pending.
func (t *Turn) Delete(ctx context.Context) (Pending, error) {
	t.c.Claim(t.id) // one that is made after it is not made beside it
	instance, err := t.c.Instance(ctx, t.id)
	switch {
	case errors.Is(err, ErrNotFound):
		return Pending{}, nil
	case err != nil:
		return Pending{}, err
	case instance.Status == StatusDeleting:
		return Pending{JobID: instance.JobID}, nil
	}
	return t.delete(ctx, request{path: t.path(), query: url.Values{"confirm": {t.id}}})
}

// SetEngines sets the whole set of engines. One that is left out is turned off
// and loses its data; a memory of nil means the engine's floor.
func (t *Turn) SetEngines(ctx context.Context, engines map[string]EngineBudget) (Pending, error) {
	return t.put(ctx, map[string]any{"engines": engines}, "engines")
}

// An EngineBudget is an engine's share of the instance's memory.
type EngineBudget struct {
	MemoryMB *int64 `json:"memory_mb,omitempty"`
}
