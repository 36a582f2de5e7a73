package client

import (
	"context"
	"errors"
	"net/http"
	"time"
)

const (
	// patience is for how long what a lost answer may have made is looked for,
	// within the operation's timeout: a gateway gives up long before a service.
	patience = 10 * time.Minute
	// actionPatience is the same for an action, which is proved by its job or its
	// activity or not at all, and for what is to be confirmed as gone.
	actionPatience = 2 * time.Minute
	// readLag is for how long reads may show what was before a write
	// (contract.md, last section: "some seconds").
	readLag = 15 * time.Second
	// longestPace is the longest pause before a mutation that was refused, as the
	// instance is busy, is sent again.
	longestPace = 5 * time.Second
)

// A mutation is one change of an instance. Its request's path is below the
// instance's, and its method POST where none is given.
type mutation struct {
	request
	// operation and target are those of the job that will carry it out, by which
	// a client tells its own job from another's (contract.md, "Job").
	operation, target string
	// on is what that job's duration depends on beside its operation; see kind.
	on string
	// prepare makes the body of a request that depends on what is there, before it
	// is sent and before it is sent again; nil where the body is as it is. Its error
	// ends the mutation.
	prepare func(context.Context) (body any, err error)
	// shown tells whether the service's records show what was asked for.
	shown func(context.Context) (bool, error)
}

// A Permit is asked whether something may still be deleted, right before the
// deletion is sent, and again after another's job was waited for: what that made
// is not deleted unseen. An error ends the deletion with nothing sent.
type Permit func(context.Context) error

// prepare is a Permit as a mutation asks it; nil permits all.
func (p Permit) prepare(ctx context.Context) (body any, err error) {
	if p == nil {
		return nil, nil
	}
	return nil, p(ctx)
}

// runs tells whether a job carries the mutation out. A job that does not say
// what it does may.
func (m mutation) runs(job Job) bool {
	return job.Operation == "" || job.Operation == m.operation && job.Target == m.target
}

// lag is for how long the records may not show the mutation yet. That something
// is gone takes a pause on top to confirm.
func (m mutation) lag() time.Duration {
	if m.method == http.MethodDelete {
		return readLag + 2*absencePause
	}
	return readLag
}

// A pace is the growing pause of a loop that sends again.
type pace struct {
	c     *Client
	delay time.Duration
}

func (p *pace) pause(ctx context.Context) error {
	p.delay = min(max(firstPoll, 2*p.delay), longestPace)
	return pause(ctx, p.c.random.jitter(p.delay))
}

// begin begins to send a mutation, as an operation of its own. What was read of the
// instance before end, or is being read then, serves nobody any more.
func (t *Turn) begin(ctx context.Context, m *mutation) (operation context.Context, end func(), err error) {
	if err := t.held(); err != nil {
		return nil, nil, err
	}
	t.c.reads.changed(t.id)
	m.path = t.path(m.path...)
	if m.method == "" {
		m.method, m.key = http.MethodPost, t.c.random.key()
	}
	return WithGracePeriod(ctx), func() { t.c.reads.changed(t.id) }, nil
}

// set sends a mutation that can be sent twice without harm: PUT, PATCH, DELETE.
func (t *Turn) set(ctx context.Context, m mutation) (Pending, error) {
	ctx, end, err := t.begin(ctx, &m)
	if err != nil {
		return Pending{}, err
	}
	defer end()
	unsure := false // an answer was lost, so a job may be our own
	for p := (pace{c: t.c}); ; {
		if m.prepare != nil {
			if m.body, err = m.prepare(ctx); err != nil {
				return Pending{}, err
			}
		}
		call, err := t.c.send(ctx, m.request)
		unsure = unsure || call.unsure
		var pending Pending
		if err == nil {
			pending, err = decode[Pending](t.c, call)
		}
		switch {
		case err == nil:
			return t.accepted(ctx, m, pending)
		case m.method == http.MethodDelete && errors.Is(err, ErrNotFound):
			return t.alreadyGone(ctx, m, err)
		case !isConflict(err):
			return Pending{}, err
		}
		if unsure {
			if done, err := t.ownJobEnded(ctx, m); done || err != nil {
				return NothingPending(), err
			}
			unsure = false // what was sent then is not in force, so this refusal is the next one's
		} else if err := t.awaitFree(ctx, err); err != nil {
			return Pending{}, err
		}
		if err := p.pause(ctx); err != nil {
			return Pending{}, err
		}
	}
}

// alreadyGone decides about a deletion of what the service does not know.
func (t *Turn) alreadyGone(ctx context.Context, m mutation, refusal error) (Pending, error) {
	return NothingPending(), t.c.confirmGone(ctx, refusal, m.shown)
}

// confirmGone confirms that something is gone of which a deletion was answered that the
// service does not know it, which is its error otherwise. Reads may still show it for a
// while, and confirming takes pauses that a failure begins anew.
func (c *Client) confirmGone(ctx context.Context, refusal error, isGone func(context.Context) (bool, error)) error {
	gone, err := c.comesTrue(ctx, actionPatience, isGone)
	if err == nil && !gone {
		return refusal
	}
	return err
}

// ownJobEnded waits for the job that keeps an instance busy, after an answer to
// the same mutation was lost. It is true when the mutation is in force then.
func (t *Turn) ownJobEnded(ctx context.Context, m mutation) (bool, error) {
	if err := t.awaitFree(ctx, ErrJobRunning); err != nil {
		return false, err
	}
	return t.shownSoon(ctx, m)
}

// shownSoon tells whether the records show a mutation, at the latest once they
// no longer lag behind.
func (t *Turn) shownSoon(ctx context.Context, m mutation) (bool, error) {
	return t.c.comesTrue(ctx, m.lag(), m.shown)
}

// comesTrue looks for as long as a limit whether something holds; see look.
func (c *Client) comesTrue(ctx context.Context, limit time.Duration, holds func(context.Context) (bool, error)) (bool, error) {
	_, ok, err := look(ctx, c, limit, func(ctx context.Context) (struct{}, bool, error) {
		ok, err := holds(ctx)
		return struct{}{}, ok, err
	})
	return ok, err
}

// create sends a POST that makes something with a name that is unique on the
// instance. taken tells whether something of that name was there before.
// Made is what was not there before: once the instance names no job and the name
// is absent, a POST whose answer was lost is sent again, and "already exists" is
// then our own.
func (t *Turn) create(ctx context.Context, m mutation, taken bool) (Pending, error) {
	ctx, end, err := t.begin(ctx, &m)
	if err != nil {
		return Pending{}, err
	}
	defer end()
	var lost error // the newest POST whose outcome is unknown
	begun := time.Now()
	for p := (pace{c: t.c}); ; {
		pending, err := do[Pending](ctx, t.c, m.request)
		switch {
		case err == nil:
			return t.accepted(ctx, m, pending)
		case outcomeUnknown(err):
			lost = err
		case lost != nil && errors.Is(err, ErrAlreadyExists) && taken:
			return Pending{}, err
		case lost != nil && (isConflict(err) || errors.Is(err, ErrAlreadyExists)):
			// It is our own that exists, or that runs.
		case lost != nil && Passing(err) && !errors.Is(err, ErrNotFound):
			// Nobody can be reached, and the first may have been carried out.
		case lost == nil && isConflict(err):
			if err := t.awaitFree(ctx, err); err != nil {
				return Pending{}, err
			}
		default:
			return Pending{}, err
		}
		if lost != nil && !taken { // what was there before proves nothing
			pending, found, err := t.lookForCreated(ctx, m, patience-time.Since(begun))
			if found {
				return pending, nil
			}
			if err != nil {
				return Pending{}, errors.Join(lost, err)
			}
		}
		if lost != nil && (ended(ctx) || time.Since(begun) >= patience) {
			return Pending{}, lost
		}
		if err := p.pause(ctx); err != nil {
			return Pending{}, errors.Join(lost, err)
		}
	}
}

// lookForCreated looks for what a lost POST may have made until it is found, or
// until the instance names no job and the records do not show it.
func (t *Turn) lookForCreated(ctx context.Context, m mutation, limit time.Duration) (Pending, bool, error) {
	found := false
	pending, _, err := look(ctx, t.c, limit, func(ctx context.Context) (Pending, bool, error) {
		instance, err := t.c.Instance(ctx, t.id)
		if err != nil {
			return Pending{}, false, err
		}
		if instance.JobID != "" && !t.c.hasClaimed(instance.JobID) {
			job, err := t.c.Job(ctx, instance.JobID)
			if err != nil {
				return Pending{}, false, err
			}
			if !job.Done() && !job.Failed() {
				found = m.runs(job) // another's job hides nothing: ours is refused, or still to come
				return Pending{JobID: job.ID}, found, nil
			}
		}
		found, err = m.shown(ctx)
		return NothingPending(), err == nil, err
	})
	if !found {
		return Pending{}, false, err
	}
	t.c.Claim(pending.JobID)
	return pending, true, nil
}

// accepted is what a mutation set going that the service has accepted. Where the
// answer names no job, the instance's record may; where that names none either,
// the records must show what was asked for.
func (t *Turn) accepted(ctx context.Context, m mutation, pending Pending) (Pending, error) {
	if pending.JobID != "" {
		t.c.Claim(pending.JobID)
		t.c.noteWork(pending.JobID, kind{m.operation, m.on})
		return pending, nil
	}
	found, ok, err := look(ctx, t.c, m.lag(), func(ctx context.Context) (Pending, bool, error) {
		instance, err := t.c.Instance(ctx, t.id)
		switch {
		case errors.Is(err, ErrNotFound) && m.operation == OpDelete:
			return Pending{deletion: true}, true, nil
		case err != nil:
			return Pending{}, false, err
		case instance.JobID != "" && !t.c.hasClaimed(instance.JobID):
			job, err := t.c.Job(ctx, instance.JobID)
			return Pending{JobID: instance.JobID}, err == nil && m.runs(job), err
		case m.operation == OpDelete:
			return Pending{deletion: true}, instance.Status == StatusDeleting, nil
		}
		shown, err := m.shown(ctx)
		return NothingPending(), shown, err
	})
	switch {
	case err != nil:
		return Pending{}, err
	case !ok:
		return Pending{}, &NoEvidenceError{InstanceID: t.id, Operation: m.operation, Target: m.target}
	}
	t.c.Claim(found.JobID)
	found.BuildID = pending.BuildID
	return found, nil
}

// look looks for something on the waiting schedule until it is found, for as long
// as a limit. It goes on for a while after the context has ended: it may find an
// id that nobody else knows. A look that fails in passing is repeated; its error
// is told only when nothing was found in the end.
func look[T any](ctx context.Context, c *Client, limit time.Duration, read func(context.Context) (T, bool, error)) (found T, ok bool, err error) {
	ctx, cancel := context.WithTimeout(Detached(ctx), max(limit, 0))
	defer cancel()
	for begun := time.Now(); ; {
		var failure error
		found, ok, failure = read(ctx)
		if ok || failure != nil && !Passing(failure) {
			return found, ok, failure
		}
		if !errors.Is(failure, context.DeadlineExceeded) && !errors.Is(failure, context.Canceled) {
			err = failure // and not the look's own end
		}
		if ended(ctx) || pause(ctx, c.random.jitter(nextPoll(time.Since(begun), estimate{}))) != nil {
			return found, false, err
		}
	}
}

// Passing tells a failure of a read that says nothing about what is read: the
// network's, a gateway's, or the service's own trouble.
func Passing(err error) bool {
	return errors.Is(err, ErrForeign) || errors.Is(err, ErrUnreachable) || errors.Is(err, ErrUnavailable) ||
		errors.Is(err, ErrRateLimited) || errors.Is(err, ErrNotFound) || errors.Is(err, ErrContradiction) ||
		errors.Is(err, context.DeadlineExceeded)
}

// isConflict tells a refusal that passes when the instance is free again, unless
// the code says otherwise.
func isConflict(err error) bool {
	var refused *APIError
	return errors.As(err, &refused) && refused.Status == http.StatusConflict && !errors.Is(err, ErrAlreadyExists)
}

// awaitFree waits until an instance that refused a mutation may take one: until
// the job that its record names has ended. A refusal whose code is not known is
// taken as busy only where a job is named (contract.md, "Errors").
//
// It says nothing of an instance that is gone: the mutation's own next answer does.
func (t *Turn) awaitFree(ctx context.Context, refusal error) error {
	var instance Instance
	var checkout *CheckoutError
	_, err := t.c.wait(ctx, waiting{}, func(ctx context.Context) (observation, error) {
		var err error
		instance, err = t.c.pollInstance(ctx, t.id)
		if err == nil {
			err = t.c.AwaitsCheckout(ctx, instance)
		}
		if errors.As(err, &checkout) || errors.Is(err, ErrNotFound) {
			err = permanent(err)
		}
		return observation{done: err == nil}, err
	})
	switch {
	case checkout != nil:
		return checkout
	case errors.Is(err, ErrNotFound):
		return nil
	case err != nil:
		return errors.Join(refusal, err)
	}
	if instance.JobID == "" {
		if errors.Is(refusal, ErrJobRunning) {
			return nil // it ended in between, or the record lags behind
		}
		return refusal
	}
	// What becomes of somebody else's job is not ours to report.
	var failed *JobError
	var missing *MissingJobError
	err = t.c.WaitJob(ctx, t.id, Pending{JobID: instance.JobID}, "", nil)
	if errors.As(err, &failed) || errors.As(err, &missing) {
		return nil
	}
	return err
}
