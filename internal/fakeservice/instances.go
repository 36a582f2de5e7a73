package fakeservice

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// instance is a machine with everything on it.
type instance struct {
	Instance
	// sequence orders instances, so that a page can begin after one that has
	// been deleted since.
	sequence   int
	apps       []*app // in order of import
	databases  []Database
	extensions []Extension
	secrets    secrets
	// checkout is the token of the checkout page, kept after it is paid so that
	// the page can be opened again.
	checkout   string
	nextBackup time.Time
	// jobs counts the jobs that were started, so that what was seen before one
	// is not taken for what is there after it.
	jobs      int
	snapshots map[string]snapshot // by backup
}

// find returns an instance, or nil.
func (st *state) find(id string) *instance {
	at := slices.IndexFunc(st.instances, func(in *instance) bool { return in.ID == id })
	if at < 0 {
		return nil
	}
	return st.instances[at]
}

// lookup returns the instance that a call is about.
func (st *state) lookup(c *call) (*instance, error) {
	in := st.find(c.param("id"))
	if in == nil {
		return nil, notFound("there is no instance %q", c.param("id"))
	}
	return in, nil
}

// checkIdle refuses a mutation while a job runs.
func (st *state) checkIdle(in *instance) error {
	if in.JobID == "" {
		return nil
	}
	operation := "unknown"
	if j := st.findJob(in.JobID); j != nil {
		operation = j.Operation
	}
	return jobRunning("the instance %q has a job in progress: %s (%s)", in.ID, in.JobID, operation)
}

// changeable returns the instance that a call wants to change, if it may be
// changed now. Whether it may is asked before anything else about the request,
// because a job in progress may yet change what the answer would be.
func (st *state) changeable(c *call) (*instance, error) {
	in, err := st.lookup(c)
	if err != nil {
		return nil, err
	}
	if err := st.checkIdle(in); err != nil {
		return nil, err
	}
	switch in.Status {
	case StatusCreating, StatusDeleting:
		return nil, jobRunning("the instance %q is %s", in.ID, in.Status)
	case StatusFailed:
		return nil, invalid("status", "the creation of the instance failed; it can only be deleted")
	}
	return in, nil
}

func (st *state) createInstance(c *call) response {
	var in struct {
		Name, Plan, Tier, Region string
		Engines                  map[string]bool
		Tags                     []string
	}
	if err := c.decode(&in); err != nil {
		return fail(err)
	}
	if in.Plan == "" {
		in.Plan = in.Tier
	}
	if in.Tier != "" && in.Tier != in.Plan {
		return fail(invalid("tier", "it is another name for plan, and the two differ"))
	}
	if err := checkName(in.Name); err != nil {
		return fail(err)
	}
	if err := checkTags(in.Tags); err != nil {
		return fail(err)
	}
	plan, ok := st.catalog.plan(in.Plan)
	if !ok {
		return fail(invalid("plan", "there is no plan %q", in.Plan))
	}
	if !st.catalog.hasLocation(in.Region) {
		return fail(invalid("region", "there is no location %q", in.Region))
	}
	budgets := map[string]int{}
	for name, on := range in.Engines {
		if on {
			budgets[name] = st.catalog.Engines[name].FloorMB
		}
	}
	if err := st.catalog.checkEngines(plan, budgets); err != nil {
		return fail(err)
	}

	made := st.newInstance(Instance{
		Name: in.Name, Plan: plan.ID, Region: in.Region, Status: StatusCreating,
		Engines: newEngines(budgets), Tags: in.Tags,
	})
	paid := plan.PriceCents > 0
	if paid {
		made.checkout = randomText(24)
		made.CheckoutURL = c.root + "/checkout/" + made.checkout
	}
	st.billing.subscribe(made.ID, plan, paid)
	first := newBackup("daily")
	j, err := st.startJob(made, jobSpec{
		operation: "create",
		waits:     paid,
		work: func(ctx context.Context, plane DataPlane, m Machine) error {
			return provision(ctx, plane, m, &first)
		},
		apply: func() { st.finishCreation(made, first) },
		undo: func() {
			made.Status = StatusFailed
			made.CheckoutURL = ""
			st.billing.cancel(made.ID)
		},
		event: "ready",
		data:  func() map[string]any { return map[string]any{"host": made.Host} },
	})
	if err != nil {
		return fail(err)
	}
	st.emit("created", made.ID, map[string]any{"job_id": j.ID, "name": made.Name, "plan": made.Plan, "region": made.Region})

	body := map[string]any{"id": made.ID, "status": made.Status, "job_id": j.ID}
	if paid {
		body["checkout_url"] = made.CheckoutURL
	}
	return answer(http.StatusAccepted, body)
}

// newInstance adds a record, with what is missing filled in.
func (st *state) newInstance(record Instance) *instance {
	if record.ID == "" {
		record.ID = newID("i")
	}
	if record.CreatedAt.IsZero() {
		record.CreatedAt = st.now
	}
	if record.ConsoleMode == "" {
		record.ConsoleMode = "off"
	}
	st.sequence++
	made := &instance{Instance: record.clone(), sequence: st.sequence, secrets: newSecrets()}
	st.instances = append(st.instances, made)
	return made
}

// provision makes a new machine and its first backup, or nothing.
func provision(ctx context.Context, plane DataPlane, m Machine, first *Backup) error {
	err := plane.Apply(ctx, m)
	if err == nil {
		first.SizeBytes, err = plane.Backup(ctx, m, first.ID)
	}
	if err != nil {
		return errors.Join(err, plane.Remove(context.WithoutCancel(ctx), m.ID))
	}
	return nil
}

// finishCreation is what provisioning ends with.
func (st *state) finishCreation(in *instance, first Backup) {
	in.Status = StatusRunning
	in.Host = st.endpoints(in).Host
	st.engineTurnedOn(in, EnginePostgres)
	st.billing.start(in.ID, st.now)
	st.keepBackup(in, first)
	in.nextBackup = st.now.Add(backupEvery)
	st.planChores()
}

func (st *state) updateInstance(c *call) response {
	in, err := st.changeable(c)
	if err != nil {
		return fail(err)
	}
	var change struct {
		Name *string
		Tags *[]string
	}
	if err := c.decode(&change); err != nil {
		return fail(err)
	}
	if change.Name != nil {
		if err := checkName(*change.Name); err != nil {
			return fail(err)
		}
	}
	if change.Tags != nil {
		if err := checkTags(*change.Tags); err != nil {
			return fail(err)
		}
	}
	j, err := st.startJob(in, jobSpec{
		operation: "update",
		apply: func() {
			if change.Name != nil {
				in.Name = *change.Name
			}
			if change.Tags != nil {
				in.Tags = *change.Tags
			}
		},
		event: "label",
		data:  func() map[string]any { return map[string]any{"name": in.Name, "tags": slices.Clone(in.Tags)} },
	})
	if err != nil {
		return fail(err)
	}
	return accepted(j)
}

// deleteInstance removes an instance in any state. A creation that waits for
// its checkout is cancelled by it; any other job has to end first.
func (st *state) deleteInstance(c *call) response {
	in, err := st.lookup(c)
	if err != nil {
		return fail(err)
	}
	if err := checkConfirm(in, c.query.Get("confirm")); err != nil {
		return fail(err)
	}
	if j := st.findJob(in.JobID); j != nil && j.Operation == "create" && j.Status == StatusQueued {
		st.failJob(j, "cancelled", "the instance was deleted before its checkout was finished")
	}
	before := in.Status
	j, err := st.startJob(in, jobSpec{
		operation: "delete",
		work: func(ctx context.Context, plane DataPlane, m Machine) error {
			return plane.Remove(ctx, m.ID)
		},
		apply: func() {
			st.billing.cancel(in.ID)
			st.drop(in)
		},
		undo: func() { in.Status = before },
	})
	if err != nil {
		return fail(err)
	}
	in.Status = StatusDeleting
	return accepted(j)
}

// drop forgets an instance and everything on it.
func (st *state) drop(in *instance) {
	for _, a := range in.apps {
		st.dropBuilds(a)
	}
	st.instances = slices.DeleteFunc(st.instances, func(other *instance) bool { return other == in })
}

func checkConfirm(in *instance, confirm string) error {
	if confirm != in.ID {
		return confirmMismatch()
	}
	return nil
}

func confirmMismatch() error {
	return &problem{http.StatusBadRequest, "confirm_mismatch", "confirm must equal the id of the instance"}
}

func checkName(name string) error {
	if strings.TrimSpace(name) == "" {
		return invalid("name", "it must not be empty")
	}
	if utf8.RuneCountInString(name) > 100 {
		return invalid("name", "it must have 100 characters at most")
	}
	return nil
}

func checkTags(tags []string) error {
	for _, tag := range tags {
		if strings.TrimSpace(tag) == "" {
			return invalid("tags", "a tag must not be empty")
		}
		if utf8.RuneCountInString(tag) > 100 {
			return invalid("tags", "a tag must have 100 characters at most")
		}
	}
	return nil
}
