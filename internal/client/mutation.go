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
	// (SERVICE.md#tolerance).
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
	// a client tells its own job from another's (SERVICE.md#jobs).
	operation, target string
	// on is what that job's duration depends on beside its operation; see kind.
	on string
	// prepare makes the body of a request that depends on what is there, each time
	// before it is sent; nil where the body is as it is. Its error ends the mutation.
	prepare func(context.Context) (body any, err error)
	// shown tells whether the service's records show what was asked for.
	shown func(context.Context) (bool, error)
	// changed tells whether they show it and did not before it was first sent, so that
	// a request whose answer was lost needs no other. Nil sends another.
	changed func(context.Context) (bool, error)
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

// busy is what a loop keeps that sends again what a busy instance refused.
type busy struct {
	delay time.Duration // the newest pause
	// unexplained is since when refusals come while the record names no job; zero
	// while it names one.
	unexplained time.Time
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
	m.poll = m.prepare != nil
	retries := 0 // of a request that is prepared each time; any other is sent again on its way
	for b := (busy{}); ; {
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
		case m.poll && Passing(err) && !errors.Is(err, ErrNotFound) && retries < t.c.maxRetries && !ended(ctx):
			retries++
			unsure = unsure || !call.surelyNotDone()
			if unsure && m.changed != nil {
				if _, _, err := t.awaitNamed(ctx); err != nil {
					return Pending{}, err
				}
				if made, err := m.changed(ctx); made && err == nil {
					return NothingPending(), nil
				}
			}
			if err := t.pause(ctx, &b); err != nil {
				return Pending{}, err
			}
			continue
		case !isConflict(err):
			return Pending{}, err
		}
		job, err := t.awaitFree(ctx, err, &b)
		if err != nil {
			return Pending{}, err
		}
		if done, err := t.isDone(ctx, m, job, unsure); done || err != nil {
			return NothingPending(), err
		}
		unsure = false // what was sent then is not in force, so the next refusal is of the next request
	}
}

// isDone tells whether a mutation that a busy instance refused needs no other request:
// the job that kept the instance busy, or an earlier request whose answer was lost,
// has made the change.
func (t *Turn) isDone(ctx context.Context, m mutation, job Job, unsure bool) (bool, error) {
	if m.shown == nil || !unsure && (job.ID == "" || !m.runs(job)) {
		return false, nil
	}
	return t.c.comesTrue(ctx, m.lag(), m.shown)
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
	for b := (busy{}); ; {
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
			if _, err := t.awaitFree(ctx, err, &b); err != nil {
				return Pending{}, err
			}
			continue
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
		if err := t.pause(ctx, &b); err != nil {
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
		if instance.JobID != "" && !t.c.HasClaimed(instance.JobID) {
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
		case instance.JobID != "" && !t.c.HasClaimed(instance.JobID):
			job, own, err := t.ownJob(ctx, m, instance)
			return Pending{JobID: job.ID}, own, err
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
// the job that its record names is over. It returns that job, zero if none was named.
// A refusal that no job explains is the answer once reads can no longer lag.
//
// It says nothing of an instance that is gone: the mutation's own next answer does.
func (t *Turn) awaitFree(ctx context.Context, refusal error, b *busy) (Job, error) {
	_, job, err := t.awaitNamed(ctx)
	var checkout *CheckoutError
	switch {
	case errors.As(err, &checkout):
		return Job{}, err
	case err != nil && !errors.Is(err, ErrNotFound):
		return Job{}, errors.Join(refusal, err)
	case job.ID != "":
		b.unexplained = time.Time{}
	case b.unexplained.IsZero():
		b.unexplained = time.Now()
	case time.Since(b.unexplained) >= readLag:
		return Job{}, refusal
	}
	t.busyUntil = time.Now()
	return job, t.pause(ctx, b)
}

// pause is the growing pause before a mutation is sent again.
func (t *Turn) pause(ctx context.Context, b *busy) error {
	b.delay = min(max(firstPoll, 2*b.delay), longestPace)
	return pause(ctx, t.c.random.jitter(b.delay))
}

// AwaitIdle waits until the job that the instance's record names is over, by that
// job's own record, and returns the instance as it is then. foreign tells that it
// waited for a job that this process did not start, or that the instance has refused a
// mutation lately: reads may not show yet what was changed. An instance whose checkout is open is a *CheckoutError at once.
func (t *Turn) AwaitIdle(ctx context.Context) (instance Instance, foreign bool, err error) {
	foreign = time.Since(t.busyUntil) < readLag
	for {
		var job Job
		instance, job, err = t.awaitNamed(ctx)
		if err != nil || job.ID == "" || t.over[job.ID] { // a replica may name a job that is over
			return instance, foreign, err
		}
		t.over[job.ID] = true
		foreign = foreign || !t.c.HasClaimed(job.ID)
	}
}

// awaitNamed reads the instance and waits for the job that its record names. What
// becomes of that job is not its caller's to report.
func (t *Turn) awaitNamed(ctx context.Context) (instance Instance, job Job, err error) {
	_, err = t.c.wait(ctx, waiting{atOnce: true}, func(ctx context.Context) (observation, error) {
		var err error
		if instance, err = t.c.pollInstance(ctx, t.id); err == nil {
			err = t.c.awaitsCheckout(ctx, instance)
		}
		if errors.Is(err, ErrNotFound) {
			err = permanent(err)
		}
		return observation{done: err == nil}, err
	})
	if err != nil || instance.JobID == "" {
		return instance, Job{}, err
	}
	job = Job{ID: instance.JobID}
	err = t.c.WaitJob(ctx, t.id, Pending{JobID: job.ID}, "", func(seen Job) { job = seen })
	var failed *JobError
	var missing *MissingJobError
	switch {
	case errors.As(err, &failed):
		return instance, failed.Job, nil
	case errors.As(err, &missing):
		return instance, job, nil
	}
	return instance, job, err
}
