package core

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"
)

// instance is a stored instance with all its objects.
type instance struct {
	Instance
	// Sequence orders instances, so that a page can begin after an instance that has been
	// deleted since.
	Sequence   int
	Apps       []*app // in order of import
	Databases  []Database
	Extensions []Extension
	Secrets    secrets
	// Checkout is the token of the checkout page. It is kept after the payment, so that
	// the page can be opened again.
	Checkout   string
	NextBackup time.Time
	// JobCount counts the jobs that were started. If it has changed since an observation,
	// the observation is outdated.
	JobCount  int
	Snapshots map[string]snapshot // by id of the backup
	// Ailing reports whether the last health event of the instance was an alert.
	Ailing bool
	// Findings has the result of the last verification. It is empty if that succeeded.
	Findings []Finding `json:",omitempty"`

	// verifying reports whether a verification is in progress, and verifyAgain whether it
	// is outdated.
	verifying, verifyAgain bool
	// backingUp reports whether a daily backup is in progress.
	backingUp bool
	// change, if non-nil, applies the changes of the job in progress to the machine. It
	// is set from the beginning of the job's work to its end.
	change func(*DesiredMachine)
}

// find returns an instance, or nil. The caller may change it.
func (st *state) find(id string) *instance {
	in := st.byID[id]
	if in != nil {
		st.touch(in)
	}
	return in
}

// lookup returns the instance of an operation, or an error if it does not exist.
func (st *state) lookup(id string) (*instance, error) {
	in := st.find(id)
	if in == nil {
		return nil, notFound("there is no instance %q", id)
	}
	return in, nil
}

// checkIdle refuses a mutation while a job is in progress.
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

// changeable returns the instance of a mutation if it may be changed now. This check
// comes before all others, because a job in progress may still change their results.
func (st *state) changeable(id string) (*instance, error) {
	in, err := st.lookup(id)
	if err != nil {
		return nil, err
	}
	if err := st.checkIdle(in); err != nil {
		return nil, err
	}
	return in, in.checkStatus()
}

// checkStatus refuses operations that need a running instance.
func (in *instance) checkStatus() error {
	switch {
	case in.Status == StatusCreating || in.Status == StatusDeleting:
		return jobRunning("the instance %q is %s", in.ID, in.Status)
	case in.Status == StatusFailed && in.Host == "":
		return notRunning("the creation of the instance failed; it can only be deleted")
	case in.Status == StatusFailed:
		return notRunning("the instance %q has failed; it can only be deleted", in.ID)
	}
	return nil
}

// NewInstance is the request to create an instance. Tier is an alias of Plan.
type NewInstance struct {
	Name    string          `json:"name"`
	Plan    string          `json:"plan"`
	Tier    string          `json:"tier"`
	Region  string          `json:"region"`
	Engines map[string]bool `json:"engines"`
	Tags    []string        `json:"tags"`
}

// Creation is the answer to the request to create an instance.
type Creation struct {
	ID          string `json:"id"`
	Status      string `json:"status"`
	JobID       string `json:"job_id"`
	CheckoutURL string `json:"checkout_url,omitempty"`
}

// CreateInstance creates an instance. The checkout of a paid plan is a page of the
// portal, under the portal address that the caller uses.
func (s *Service) CreateInstance(wanted NewInstance, portal string) (Creation, error) {
	return change(s, func(st *state) (Creation, error) { return st.createInstance(wanted, portal) })
}

func (st *state) createInstance(wanted NewInstance, portal string) (Creation, error) {
	if wanted.Plan == "" {
		wanted.Plan = wanted.Tier
	}
	if wanted.Tier != "" && wanted.Tier != wanted.Plan {
		return Creation{}, invalid("tier", "it is another name for plan, and the two differ")
	}
	if err := checkName(wanted.Name); err != nil {
		return Creation{}, err
	}
	if err := checkTags(wanted.Tags); err != nil {
		return Creation{}, err
	}
	plan, ok := st.Catalog.plan(wanted.Plan)
	if !ok {
		return Creation{}, invalid("plan", "there is no plan %q", wanted.Plan)
	}
	if !st.Catalog.hasLocation(wanted.Region) {
		return Creation{}, invalid("region", "there is no location %q", wanted.Region)
	}
	budgets := map[string]int{}
	for name, on := range wanted.Engines {
		if on {
			budgets[name] = st.Catalog.Engines[name].FloorMB
		}
	}
	if err := st.Catalog.checkEngines(plan, budgets); err != nil {
		return Creation{}, err
	}

	made := st.newInstance(Instance{
		Name: wanted.Name, Plan: plan.ID, Region: wanted.Region, Status: StatusCreating,
		Engines: newEngines(budgets), Tags: wanted.Tags,
	})
	paid := plan.PriceCents > 0
	if paid {
		made.Checkout = randomText(24)
		made.CheckoutURL = checkoutAt(portal, made.Checkout)
	}
	st.subscribe(made.ID, plan, paid)
	j, err := st.startJob(made, &createJob{newBackup("daily")})
	if err != nil {
		return Creation{}, err
	}
	st.emit("created", made.ID, map[string]any{"job_id": j.ID, "name": made.Name, "plan": made.Plan, "region": made.Region})

	return Creation{made.ID, made.Status, j.ID, made.CheckoutURL}, nil
}

// createJob provisions a machine and makes its first backup.
type createJob struct{ First Backup }

func (j *createJob) spec(st *state, in *instance) jobSpec {
	return jobSpec{
		waits: in.CheckoutURL != "",
		work:  func(ctx context.Context, t task) error { return provision(ctx, t, &j.First) },
		apply: func() { st.finishCreation(in, j.First) },
		undo: func() {
			in.Status = StatusFailed
			in.CheckoutURL = ""
			st.cancelSubscription(in.ID)
		},
		data: func() map[string]any { return map[string]any{"host": in.Host} },
	}
}

// newInstance adds a record and fills its missing fields.
func (st *state) newInstance(record Instance) *instance {
	if record.ID == "" {
		record.ID = newID("i")
	}
	fillIn(&record, Instance{CreatedAt: st.Now, ConsoleMode: "off"})
	made := &instance{Instance: copyOfInstance(record), Sequence: st.next(), Secrets: newSecrets(record.ID)}
	st.Instances = add(st, st.Instances, made)
	st.byID[made.ID] = made
	return made
}

// provision makes a new machine and its first backup. If one of them fails, it removes
// the machine.
func provision(ctx context.Context, t task, first *Backup) error {
	err := t.plane.Apply(ctx, t.instanceID)
	if err == nil {
		err = t.backUp(ctx, first)
	}
	if err != nil {
		return errors.Join(err, t.plane.Remove(context.WithoutCancel(ctx), t.instanceID))
	}
	return nil
}

// finishCreation updates the records at the end of provisioning.
func (st *state) finishCreation(in *instance, first Backup) {
	in.Status = StatusRunning
	in.Host = st.endpoints(in).Host
	st.engineTurnedOn(in, EnginePostgres)
	st.payFor(in.ID)
	st.keepBackup(in, first)
	st.planChores()
}

// InstanceChange contains the fields of a request about an instance. A nil field was not
// sent.
type InstanceChange struct {
	Name *string   `json:"name,omitempty" jsonschema:"1 to 100 characters; left out, it stays"`
	Tags *[]string `json:"tags,omitempty" jsonschema:"all tags of the instance from now on; left out, they stay"`
}

// UpdateInstance renames and retags an instance.
func (s *Service) UpdateInstance(id string, wanted InstanceChange) (Accepted, error) {
	return s.mutate(id, func(*state, *instance) (jobKind, error) {
		if wanted.Name != nil {
			if err := checkName(*wanted.Name); err != nil {
				return nil, err
			}
		}
		if wanted.Tags != nil {
			if err := checkTags(*wanted.Tags); err != nil {
				return nil, err
			}
		}
		return &updateJob{wanted}, nil
	})
}

// updateJob renames and retags an instance.
type updateJob struct{ Change InstanceChange }

func (j *updateJob) spec(_ *state, in *instance) jobSpec {
	return jobSpec{
		apply: func() { apply(&in.Instance, &j.Change) },
		data:  func() map[string]any { return map[string]any{"name": in.Name, "tags": listOf(in.Tags)} },
	}
}

// DeleteInstance removes an instance in any state. It cancels a creation that waits for
// its checkout. Any other job must end first. confirm must be the instance's id.
func (s *Service) DeleteInstance(id, confirm string) (Accepted, error) {
	return change(s, func(st *state) (Accepted, error) {
		in, err := st.lookupConfirmed(id, confirm)
		if err != nil {
			return Accepted{}, err
		}
		if j := st.findJob(in.JobID); j != nil && j.Operation == "create" && j.Status == StatusQueued {
			st.failJob(j, "cancelled", "the instance was deleted before its checkout was finished")
		}
		started, err := st.startJob(in, &deleteJob{in.Status})
		if err != nil {
			return Accepted{}, err
		}
		in.Status = StatusDeleting
		return Accepted{started.ID}, nil
	})
}

// deleteJob removes an instance. If the job fails, the instance gets the status Before
// again.
type deleteJob struct{ Before string }

func (j *deleteJob) spec(st *state, in *instance) jobSpec {
	return jobSpec{
		begin: func() { st.endBuilds(in, in.Apps, "the instance is being deleted") },
		work:  func(ctx context.Context, t task) error { return t.plane.Remove(ctx, t.instanceID) },
		apply: func() {
			st.cancelSubscription(in.ID)
			st.drop(in)
		},
		undo: func() { in.Status = j.Before },
	}
}

// drop removes the records of an instance and of everything on it.
func (st *state) drop(in *instance) {
	for _, a := range in.Apps {
		st.dropBuilds(in, a)
	}
	st.Instances = remove(st, st.Instances, func(other *instance) bool { return other == in })
	delete(st.byID, in.ID)
}

// lookupConfirmed is lookup for requests that must repeat the instance's id in confirm.
func (st *state) lookupConfirmed(id, confirm string) (*instance, error) {
	in, err := st.lookup(id)
	if err == nil && confirm != in.ID {
		return nil, Refuse(ConfirmMismatch, "confirm must equal the id of the instance")
	}
	return in, err
}

func checkName(name string) error {
	if n := utf8.RuneCountInString(name); n < 1 || n > 100 {
		return invalid("name", "it must have 1 to 100 characters")
	}
	return checkPrintable("name", name)
}

func checkTags(tags []string) error {
	if len(tags) > 64 {
		return invalid("tags", "there may be 64 of them at most")
	}
	for _, tag := range tags {
		if strings.TrimSpace(tag) == "" {
			return invalid("tags", "a tag must not be empty")
		}
		if utf8.RuneCountInString(tag) > 64 {
			return invalid("tags", "a tag must have 64 characters at most")
		}
		if err := checkPrintable("tags", tag); err != nil {
			return err
		}
	}
	return nil
}
