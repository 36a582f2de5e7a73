package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// A NewInstance is the request to create an instance. Engines are the three
// that a creation can turn on: postgres, apps and auth.
type NewInstance struct {
	Name    string          `json:"name"`
	Plan    string          `json:"plan"`
	Region  string          `json:"region"`
	Engines map[string]bool `json:"engines"`
	Tags    []string        `json:"tags"`
}

// An instanceShape is what two creations have in common that could be taken for
// each other.
type instanceShape struct{ name, plan, region string }

func (n NewInstance) shape() instanceShape { return instanceShape{n.Name, n.Plan, n.Region} }

// namesakeOf tells an instance of the same name, plan and region. A plan or region that
// the record does not tell may be the same.
func (n NewInstance) namesakeOf(i Instance) bool {
	return i.Name == n.Name && (i.PlanID() == "" || i.PlanID() == n.Plan) && (i.Region == "" || i.Region == n.Region)
}

// equals tells whether an instance is what was asked for, as far as its record
// tells. Engines that a creation cannot turn on are none of its own.
func (n NewInstance) equals(i Instance) bool {
	if !n.namesakeOf(i) || i.Tags.Set && !sameSet(n.Tags, i.Tags.Value) {
		return false
	}
	if !i.Engines.Set {
		return true
	}
	for _, engine := range []string{"postgres", "apps", "auth"} {
		if _, on := i.Engines.Value[engine]; on != n.Engines[engine] {
			return false
		}
	}
	return true
}

// A Created is the answer to a creation.
type Created struct {
	ID          string
	Status      Word
	CheckoutURL string // set for a paid plan: opening it finishes the creation
	Pending     Pending
	// Adopted tells that the answer was lost and the instance was found: new, of
	// the same name, plan, region, engines and tags. One that somebody else made
	// in that very moment cannot be told apart.
	Adopted bool
}

// existing are the instances that are there before a creation. One list may serve
// creations that start within half a minute.
func (c *Client) existing(ctx context.Context) ([]Instance, error) {
	return c.reads.allInstances.get(ctx, "", recent(), c.Instances)
}

// Namesakes are the instances of the same name, plan and region that this process
// neither made nor has in its state. One that is still being created may be the
// half of an earlier run that was killed between its POST and saving the id.
func (c *Client) Namesakes(ctx context.Context, n NewInstance) (creating, running []string, err error) {
	existing, err := c.existing(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, instance := range existing {
		switch {
		case !n.namesakeOf(instance) || c.HasClaimed(instance.ID):
		case instance.Status == StatusCreating:
			creating = append(creating, instance.ID)
		case instance.Status != StatusDeleting && instance.Status != StatusFailed:
			running = append(running, instance.ID)
		}
	}
	return creating, running, nil
}

// CreateInstance asks for an instance and returns as soon as the service has
// accepted. It never buys twice: a POST whose answer was lost is not sent again,
// unless the service said that it did nothing. What it made is looked for
// patiently: what was not there before, and equals what was asked for. Its errors
// are *NamesakeError, *AmbiguousError and *UnknownCreationError when a person has
// to decide.
func (c *Client) CreateInstance(ctx context.Context, n NewInstance) (Created, error) {
	ctx = WithGracePeriod(ctx)
	// Creations that could be taken for each other go one by one, so that a
	// lost answer of one cannot adopt the other's instance.
	leave, err := c.creations.enter(ctx, n.shape())
	if err != nil {
		return Created{}, err
	}
	defer leave()
	creating, _, err := c.Namesakes(ctx, n)
	if err != nil {
		return Created{}, err
	}
	if len(creating) > 0 {
		return Created{}, &NamesakeError{Name: n.Name, ID: creating[0]}
	}
	existing, err := c.existing(ctx)
	if err != nil {
		return Created{}, err
	}
	before := map[string]bool{}
	for _, instance := range existing {
		before[instance.ID] = true
	}
	r := request{method: http.MethodPost, path: []string{"instances"}, body: n, key: c.random.key()}
	created, err := c.postInstance(ctx, r)
	if err == nil {
		c.noteWork(created.Pending.JobID, kind{OpCreate, n.Plan})
	}
	if outcomeUnknown(err) {
		created, err = c.findCreated(ctx, n, before, err)
	}
	if err != nil {
		return Created{}, err
	}
	c.Claim(created.ID)
	c.Claim(created.Pending.JobID)
	c.reads.changed(created.ID) // a list from before it says nothing about it
	return created, nil
}

func (c *Client) postInstance(ctx context.Context, r request) (Created, error) {
	answer, err := do[createdAnswer](ctx, c, r)
	if err != nil {
		return Created{}, err
	}
	if answer.ID == "" {
		return Created{}, &OutcomeError{Err: c.foreign(r, "the answer has no id")}
	}
	return Created{ID: answer.ID, Status: answer.Status, CheckoutURL: answer.CheckoutURL, Pending: answer.Pending}, nil
}

// A createdAnswer is the answer to a creation on the wire.
type createdAnswer struct {
	ID, CheckoutURL string
	Status          Word
	Pending         Pending
}

// findCreated looks for the one instance that a creation can have made whose
// answer was lost.
func (c *Client) findCreated(ctx context.Context, n NewInstance, before map[string]bool, lost error) (Created, error) {
	begun := time.Now()
	created, found, err := look(ctx, c, patience, func(ctx context.Context) (Created, bool, error) {
		instances, err := c.Instances(ctx)
		if err != nil {
			return Created{}, false, err
		}
		var candidates []Instance
		for _, i := range instances {
			if !before[i.ID] && !c.HasClaimed(i.ID) && n.equals(i) {
				candidates = append(candidates, i)
			}
		}
		switch len(candidates) {
		case 0:
			return Created{}, false, nil
		case 1:
			i := candidates[0]
			return Created{ID: i.ID, Status: i.Status, CheckoutURL: i.CheckoutURL, Pending: Pending{JobID: i.JobID}, Adopted: true}, true, nil
		}
		ids := make([]string, len(candidates))
		for k, i := range candidates {
			ids[k] = i.ID
		}
		return Created{}, false, &AmbiguousError{Name: n.Name, Candidates: ids}
	})
	if found {
		return created, nil
	}
	if ambiguous := (*AmbiguousError)(nil); errors.As(err, &ambiguous) {
		return Created{}, err
	}
	unknown := &UnknownCreationError{What: fmt.Sprintf("instance %q", n.Name), Looked: time.Since(begun), Err: lost}
	return Created{}, errors.Join(unknown, err)
}

// AwaitsCheckout gives a *CheckoutError for an instance that nothing can be done
// with before a person has opened its checkout page, else nil. An instance whose
// creation's job is at work has been paid, whatever its checkout_url still says.
// Any other error is that of reading the job.
func (c *Client) AwaitsCheckout(ctx context.Context, instance Instance) error {
	if instance.Status != StatusCreating || instance.CheckoutURL == "" {
		return nil
	}
	if instance.JobID != "" {
		job, err := c.Job(ctx, instance.JobID)
		switch {
		case errors.Is(err, ErrNotFound): // the record alone tells
		case err != nil:
			return err
		case job.Status != "queued":
			return nil
		}
	}
	return &CheckoutError{InstanceID: instance.ID, URL: instance.CheckoutURL, JobID: instance.JobID}
}

// awaitsCheckout is AwaitsCheckout for a wait, which a *CheckoutError ends.
func (c *Client) awaitsCheckout(ctx context.Context, instance Instance) error {
	err := c.AwaitsCheckout(ctx, instance)
	if checkout := (*CheckoutError)(nil); errors.As(err, &checkout) {
		return permanent(err)
	}
	return err
}

// WaitCreated waits until an instance's creation has ended well. job is the
// creation's, "" where it is not known: then the instance's record names it. One
// whose checkout is open is not waited for, as only a person can end that: it is a
// *CheckoutError. A creation that failed is a *JobError.
func (c *Client) WaitCreated(ctx context.Context, id, job string) error {
	if job == "" {
		instance, err := c.creationNamed(ctx, id)
		if err != nil || instance.settled() {
			return errors.Join(err, failedCreation(instance))
		}
		job = instance.JobID
	}
	begun := false // by what is seen of it, and so it waits for no checkout
	err := c.watchJob(ctx, id, Pending{JobID: job}, OpCreate, func(ctx context.Context, job Job) error {
		if begun = begun || job.Status != "queued"; begun {
			return nil
		}
		instance, err := c.pollInstance(ctx, id)
		if err != nil {
			return err
		}
		err = c.awaitsCheckout(ctx, instance)
		begun = err == nil
		return err
	})
	if missing := (*MissingJobError)(nil); !errors.As(err, &missing) {
		return err
	}
	// The service keeps no jobs for that long. Its record tells what became of it.
	instance, readErr := c.Instance(ctx, id)
	switch {
	case readErr != nil:
		return errors.Join(err, readErr)
	case !instance.settled():
		return err
	}
	return failedCreation(instance)
}

// creationNamed reads an instance until its record names the job that creates it,
// or shows that it has ended.
func (c *Client) creationNamed(ctx context.Context, id string) (Instance, error) {
	defer c.reads.changed(id)
	var instance Instance
	_, err := c.wait(ctx, waiting{usual: c.durations.expect(kind{operation: OpCreate})}, func(ctx context.Context) (observation, error) {
		var err error
		instance, err = c.pollInstance(ctx, id)
		if err != nil {
			return observation{}, err
		}
		if err := c.awaitsCheckout(ctx, instance); err != nil {
			return observation{}, err
		}
		return observation{done: instance.settled() || instance.JobID != ""}, nil
	})
	return instance, interrupted(ctx, err, "the creation of instance "+id, "")
}

// failedCreation is the error of an instance whose creation has ended and which
// does not run, else nil.
func failedCreation(i Instance) error {
	if i.Status == StatusRunning {
		return nil
	}
	return &JobError{Job: Job{ID: i.JobID, InstanceID: i.ID, Operation: OpCreate, Status: i.Status}}
}

// settled tells whether an instance's creation has ended, by its status alone. A
// word that is not listed is taken as in progress (SERVICE.md#tolerance).
func (i Instance) settled() bool {
	switch i.Status {
	case StatusRunning, StatusFailed, StatusDeleting:
		return true
	}
	return false
}
