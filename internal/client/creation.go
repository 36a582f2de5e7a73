package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// A NewInstance is the request to create an instance. Engines can contain only postgres,
// apps and auth: a create request cannot turn on others.
type NewInstance struct {
	InstanceSettings
	Plan    string          `json:"plan"`
	Region  string          `json:"region"`
	Engines map[string]bool `json:"engines"`
}

func (n NewInstance) shape() instanceShape {
	name := n.stored().Name.Value
	return instanceShape{name[:min(len(name), shortestCut)], strings.ToLower(n.Plan), strings.ToLower(n.Region)}
}

// shortestCut is the length from which a name may be another one that the service has cut.
// Shorter names such as web-1 and web-10 are those of different instances.
const shortestCut = 32

// isNamed reports whether an instance has the name of a request.
func (i Instance) isNamed(n NewInstance) bool { return i.stored().Name.Value == n.stored().Name.Value }

// namesakeOf reports whether an instance has the same name, plan and region, which a service
// may keep in another letter case. A plan or region missing from the record counts as the
// same. A long name may be cut.
func (n NewInstance) namesakeOf(i Instance) bool {
	isCut := len(i.Name.Value) >= shortestCut && strings.HasPrefix(n.Name.Value, i.Name.Value)
	return (i.isNamed(n) || isCut) &&
		(i.PlanID() == "" || strings.EqualFold(i.PlanID(), n.Plan)) && (i.Region == "" || strings.EqualFold(i.Region, n.Region))
}

// comparable returns instances so that they can be compared with a creation: without a region that
// the service does not offer, because that is its other name for one that it offers.
func (c *Client) comparable(ctx context.Context, n NewInstance, instances []Instance) (all []Instance) {
	for _, i := range instances {
		elsewhere := i
		elsewhere.Region = ""
		if !n.namesakeOf(i) && n.namesakeOf(elsewhere) {
			locations, err := c.Locations(ctx)
			if err == nil && !slices.ContainsFunc(locations, func(l Location) bool { return strings.EqualFold(l.ID, i.Region) }) {
				i = elsewhere
			}
		}
		all = append(all, i)
	}
	return all
}

// equals reports whether an instance matches the request, as far as its record shows.
// Engines that a create request cannot turn on are ignored.
func (n NewInstance) equals(i Instance) bool {
	if !n.namesakeOf(i) || i.Tags.Set && !sameSet(n.stored().Tags.Value, i.stored().Tags.Value) {
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

// storedTags returns tags trimmed and in lower case. A service may store them so
// (SERVICE.md#tolerance).
func storedTags(tags []string) []string {
	stored := make([]string, len(tags))
	for k, tag := range tags {
		stored[k] = strings.ToLower(strings.TrimSpace(tag))
	}
	return stored
}

// A Created is the result of a create request.
type Created struct {
	ID          string
	Status      Word
	CheckoutURL string // set for a paid plan: opening it finishes the creation
	Pending     Pending
	// Adopted reports that the response was lost and a new instance with the same name,
	// plan, region, engines and tags was found. It cannot be distinguished from an identical
	// instance that another client created at that moment.
	Adopted bool
}

// existing returns the instances that exist before a creation. Creations that start
// within half a minute may share one list.
func (c *Client) existing(ctx context.Context) ([]Instance, error) {
	return c.reads.allInstances.get(ctx, "", recent(), c.Instances)
}

// Namesakes returns the instances of the same name, plan and region that this process
// neither created nor has in its state. One that is still being created may come from an
// earlier run that was killed between its POST and saving the id.
func (c *Client) Namesakes(ctx context.Context, n NewInstance) (creating, running []Instance, err error) {
	existing, err := c.existing(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, instance := range c.comparable(ctx, n, existing) {
		switch {
		case !n.namesakeOf(instance) || c.HasClaimed(instance.ID):
		case instance.IsCreating():
			creating = append(creating, instance)
		case instance.Status != StatusDeleting && instance.Status != StatusFailed:
			running = append(running, instance)
		}
	}
	return creating, running, nil
}

// CreateInstance requests an instance and returns as soon as the service has accepted the
// request. It never buys two: if the response to the POST was lost, it does not send the
// POST again, unless the service reported that it did nothing. Instead it looks
// repeatedly for an instance that did not exist before and equals the requested one. It
// returns a *NamesakeError, *AmbiguousError or *UnknownCreationError if a person must
// decide.
func (c *Client) CreateInstance(ctx context.Context, n NewInstance) (Created, error) {
	ctx = lifetime.WithGracePeriod(ctx)
	// Creations that could be mistaken for each other run one at a time, so that a lost
	// response to one cannot adopt the other's instance.
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
		return Created{}, &NamesakeError{Name: creating[0].Name.Value, ID: creating[0].ID}
	}
	existing, err := c.existing(ctx)
	if err != nil {
		return Created{}, err
	}
	before := map[string]bool{}
	for _, instance := range existing {
		before[instance.ID] = true
	}
	r := transport.Request{Method: http.MethodPost, Path: []string{"instances"}, Body: n, Key: c.random.Key()}
	created, err := c.postInstance(ctx, r)
	switch {
	case transport.OutcomeUnknown(err):
		created, err = c.findCreated(ctx, n, before, err)
	case err == nil && before[created.ID]:
		err = notNew("instance", created.ID)
	}
	if err != nil {
		return Created{}, err
	}
	c.Claim(created.ID)
	c.Claim(created.Pending.JobID)
	c.reads.changed(created.ID) // a list from before the creation says nothing about it
	return created, nil
}

func (c *Client) postInstance(ctx context.Context, r transport.Request) (Created, error) {
	answer, err := transport.Do[createdAnswer](ctx, c.sender, r)
	if err != nil {
		return Created{}, err
	}
	if answer.ID == "" {
		return Created{}, &transport.OutcomeError{Err: c.sender.Foreign(r, "the answer has no id")}
	}
	return Created{ID: answer.ID, Status: answer.Status, CheckoutURL: answer.CheckoutURL, Pending: answer.Pending}, nil
}

// notNew returns the error of a create request that was answered with the id of an object
// that existed before, perhaps because of its name. Two resources must not have one object:
// the destruction of one would delete the other's.
func notNew(noun, id string) error {
	return fmt.Errorf("the service answered the creation with %s %s, which existed before: %w", noun, id, ErrAlreadyExists)
}

// A createdAnswer is the JSON response to a create request.
type createdAnswer struct {
	ID, CheckoutURL string
	Status          Word
	Pending         Pending
}

// findCreated looks for the one instance that a create request with a lost response may
// have created. If it finds none, the error names the new instances of the same name, plan
// and region. An instance with a cut name may be another one, so it only counts if none with
// the whole name has appeared until the end.
func (c *Client) findCreated(ctx context.Context, n NewInstance, before map[string]bool, lost error) (Created, error) {
	begun := time.Now()
	var namesakes []string
	var cut []Instance
	created, found, err := look(ctx, c, patience, func(ctx context.Context) (Created, bool, error) {
		instances, err := c.Instances(ctx)
		if err != nil {
			return Created{}, false, err
		}
		var candidates []Instance
		namesakes, cut = nil, nil
		for _, i := range c.comparable(ctx, n, instances) {
			// A list that lags may show an instance again that the first list no longer had.
			if before[i.ID] || c.HasClaimed(i.ID) || !n.namesakeOf(i) || i.Status == StatusDeleting {
				continue
			}
			namesakes = append(namesakes, i.ID)
			switch {
			case !n.equals(i):
			case i.isNamed(n):
				candidates = append(candidates, i)
			default:
				cut = append(cut, i)
			}
		}
		switch len(candidates) {
		case 0:
			return Created{}, false, nil
		case 1:
			return adopted(candidates[0]), true, nil
		}
		return Created{}, false, permanent(&AmbiguousError{Noun: "instance", Name: n.Name.Value, Candidates: namesakes})
	})
	switch ambiguous := (*AmbiguousError)(nil); {
	case found:
		return created, nil
	case errors.As(err, &ambiguous):
		return Created{}, err
	case len(namesakes) == 1 && len(cut) == 1:
		return adopted(cut[0]), nil
	case len(namesakes) > 0:
		return Created{}, &AmbiguousError{Noun: "instance", Name: n.Name.Value, Candidates: namesakes}
	}
	unknown := &UnknownCreationError{What: fmt.Sprintf("instance %q", n.Name.Value), Looked: time.Since(begun), Err: lost}
	return Created{}, errors.Join(unknown, err)
}

// adopted returns the result of a create request whose response was lost.
func adopted(i Instance) Created {
	return Created{ID: i.ID, Status: i.Status, CheckoutURL: i.CheckoutURL, Pending: Pending{JobID: i.JobID}, Adopted: true}
}

// WaitCreated waits until an instance has been created. job is the id of the job that
// creates it. If job is "", the instance's record names it. If the checkout is open,
// WaitCreated returns a *CheckoutError without waiting, because only a person can finish
// it. If the creation failed, it returns a *JobError.
func (c *Client) WaitCreated(ctx context.Context, id, job string) error {
	if job == "" {
		instance, err := c.creationNamed(ctx, id)
		switch {
		case err != nil:
			return err
		case instance.settled():
			return failedCreation(instance)
		}
		job = instance.JobID
	}
	begun := false // whether the job was seen after "queued"; if so, no checkout is pending
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
	// The service has already deleted the job. The instance's record shows the outcome.
	instance, readErr := c.Instance(ctx, id)
	switch {
	case readErr != nil:
		return errors.Join(err, readErr)
	case !instance.settled():
		return err
	}
	return failedCreation(instance)
}

// creationNamed reads an instance until its record names the job that creates it, or
// shows that the creation has ended.
func (c *Client) creationNamed(ctx context.Context, id string) (Instance, error) {
	defer c.reads.changed(id)
	var instance Instance
	err := c.wait(ctx, FirstPoll, func(ctx context.Context) (observation, error) {
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

// failedCreation returns an error if an instance does not run although its creation has
// ended, and nil otherwise.
func failedCreation(i Instance) error {
	if i.Status == StatusRunning {
		return nil
	}
	return &JobError{Job: Job{ID: i.JobID, InstanceID: i.ID, Operation: OpCreate, Status: i.Status}}
}

// UnmarshalJSON reads the answer to a create request: its own fields, and the job as
// Pending does. If the answer is the job's record, it takes the instance from that
// record.
func (a *createdAnswer) UnmarshalJSON(raw []byte) error {
	var fields struct {
		ID          string `json:"id"`
		InstanceID  string `json:"instance_id"`
		Status      Word   `json:"status"`
		CheckoutURL string `json:"checkout_url"`
	}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return err
	}
	*a = createdAnswer{ID: fields.ID, Status: fields.Status, CheckoutURL: fields.CheckoutURL}
	if err := json.Unmarshal(raw, &a.Pending); err != nil {
		return err
	}
	if a.ID == a.Pending.JobID { // it may name no instance
		a.ID, a.Status = fields.InstanceID, StatusCreating
	}
	return nil
}

// An AmbiguousError reports that the response to a create request was lost, and names the
// new objects that may come from it.
type AmbiguousError struct {
	Noun       string   // "instance" or "webhook endpoint"
	Name       string   // the name of the instance, or the URL of the endpoint
	Candidates []string // ids
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("the answer to the creation of %s %q was lost. It may have created one of these new %ss: %s",
		e.Noun, e.Name, e.Noun, strings.Join(e.Candidates, ", "))
}

// An UnknownCreationError reports that the response to a create request was lost and its
// result did not appear during the search. The request was not sent again.
type UnknownCreationError struct {
	What   string        // "instance \"web\""
	Looked time.Duration // the duration of the search
	Err    error         // why the response was lost
}

func (e *UnknownCreationError) Error() string {
	return fmt.Sprintf("%s; %s did not appear within %s, and the request was not repeated",
		e.Err, e.What, lifetime.ShortDuration(e.Looked.Round(time.Second)))
}

func (e *UnknownCreationError) Unwrap() error { return e.Err }

// A NamesakeError reports that a create request was not sent, because an instance of the
// same name, plan and region is already being created. Most likely it comes from an
// earlier run that was killed before it could save the id.
type NamesakeError struct {
	Name string // as the service keeps it
	ID   string
}

func (e *NamesakeError) Error() string {
	return fmt.Sprintf("instance %s with the same name %q, plan and region is already being created", e.ID, e.Name)
}
