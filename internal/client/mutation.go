package client

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

const (
	// patience is the longest time to look for the result of a request whose response was
	// lost, within the operation's timeout. A gateway gives up long before a service does.
	patience = 10 * time.Minute
	// shortPatience is the same for the build of a redeployment and for a webhook endpoint,
	// and for confirming that something is gone.
	shortPatience = 2 * time.Minute
	// longestPace is the longest pause before a mutation that was refused by a busy instance
	// is sent again.
	longestPace = 5 * time.Second
)

// A mutation is one change of an instance. The path of its request is relative to the
// instance. An empty method means POST.
//
// One rule decides what follows a lost answer. A change that carries a whole value, and a
// deletion, is sent again once the job that the record names is over and the records do
// not show the change (set). A creation is looked for, and sent again only if its unique
// name is proved absent (create). An action has no declared result: its outcome is unknown,
// and it is never sent again (act).
type mutation struct {
	transport.Request
	// operation and target are the fields of the job that will carry it out. They
	// distinguish a client's own job from those of other clients (SERVICE.md#jobs).
	operation, target string
	// prepare, if non-nil, creates the body from the current state each time before the
	// request is sent. Its error ends the mutation.
	prepare func(context.Context) (body any, err error)
	// isMade reports whether the service's records show the requested change. A part that
	// the records hide is not shown.
	isMade func(context.Context) (bool, error)
}

// A DeleteGuard decides whether an object may still be deleted. It is called right before
// the deletion is sent, and again after a wait for another client's job, so that nothing
// created by that job is deleted unnoticed. If it returns an error, nothing is sent.
type DeleteGuard func(context.Context) error

// prepare adapts a DeleteGuard to the field prepare of a mutation. A nil guard permits
// everything.
func (g DeleteGuard) prepare(ctx context.Context) (body any, err error) {
	if g == nil {
		return nil, nil
	}
	return nil, g(ctx)
}

// runs reports whether a job carries out the mutation, as far as the job's record shows.
// A job without an operation may.
func (m mutation) runs(job Job) bool {
	return job.Operation == "" || job.Operation == m.operation && job.Target == m.target
}

// A Backoff is the growing pause before a refused mutation is sent again. The zero value
// has not paused yet.
type Backoff struct{ delay time.Duration }

// busy is the state of a loop that sends a request again after a busy instance refused
// it.
type busy struct {
	Backoff
	// unexplained is the time of the first refusal since the record has named no job; zero
	// while the record names one.
	unexplained time.Time
}

// begin starts to send a mutation, as an operation. Cached reads of the instance, and
// reads in progress, become invalid at the start and again when end is called.
func (t *Turn) begin(ctx context.Context, m *mutation) (operation context.Context, end func(), err error) {
	if err := t.held(); err != nil {
		return nil, nil, err
	}
	t.c.reads.changed(t.id)
	m.Path = t.path(m.Path...)
	if m.Method == "" {
		m.Method, m.Key = http.MethodPost, t.c.random.Key()
	}
	return lifetime.WithGracePeriod(ctx), func() { t.c.reads.changed(t.id) }, nil
}

// set sends a mutation that can safely be sent twice: PUT, PATCH, DELETE, or a POST that
// carries a whole value.
func (t *Turn) set(ctx context.Context, m mutation) (Pending, error) {
	ctx, end, err := t.begin(ctx, &m)
	if err != nil {
		return Pending{}, err
	}
	defer end()
	unsure := false // a response was lost, so the change may have been made
	lost := false   // one was lost since the records were last asked, so a job may be our own
	m.Poll = m.prepare != nil
	retries := 0 // of a request prepared each time; others are retried by the transport
	for b := (busy{}); ; {
		if m.prepare != nil {
			if m.Body, err = m.prepare(ctx); err != nil {
				return Pending{}, err
			}
		}
		call, err := t.c.sender.Send(ctx, m.Request)
		unsure, lost = unsure || call.Unsure, lost || call.Unsure
		if refusal := (*transport.APIError)(nil); errors.As(err, &refusal) {
			refusal.Unsure = unsure
		}
		var pending Pending
		if err == nil {
			pending, err = transport.Decode[Pending](t.c.sender, call)
		}
		var job Job
		switch {
		case err == nil:
			return t.accepted(ctx, m, pending)
		case m.Method == http.MethodDelete && errors.Is(err, ErrNotFound):
			return NothingPending(), t.c.confirmGone(ctx, err, m.isMade)
		case isConflict(err):
			if job, err = t.awaitFree(ctx, err, &b); err != nil {
				return Pending{}, err
			}
		case m.Poll && Passing(err) && !errors.Is(err, ErrNotFound) && retries < t.c.maxRetries && !lifetime.Ended(ctx):
			retries++
			unsure, lost = unsure || !call.SurelyNotDone(), lost || !call.SurelyNotDone()
			if _, job, err = t.awaitNamed(ctx); err != nil && !errors.Is(err, ErrNotFound) {
				return Pending{}, err
			}
			if err := t.BackOff(ctx, &b.Backoff); err != nil {
				return Pending{}, err
			}
		default:
			return Pending{}, err
		}
		if m.Method == http.MethodDelete || !lost && (job.ID == "" || !m.runs(job)) {
			continue // a deletion that was made is answered with "not found"
		}
		if made, err := t.c.pollUntil(ctx, t.c.readLag, m.isMade); made || err != nil {
			return NothingPending(), err
		}
		lost = false // the records show no effect, so only the next request can cause the next refusal
	}
}

// confirmGone confirms that an object is gone after its deletion was answered with "not
// found". If the object still exists, it returns that refusal. Reads may still show the
// object for a while, and each failure restarts the pauses of the confirmation.
func (c *Client) confirmGone(ctx context.Context, refusal error, isGone func(context.Context) (bool, error)) error {
	gone, err := c.pollUntil(ctx, shortPatience, isGone)
	if err == nil && !gone {
		return refusal
	}
	return err
}

// create sends a POST that creates an object whose name is unique on the instance. taken
// reports whether an object of that name existed before. If it did not, and the instance
// names no job, and the name is still absent, a POST whose response was lost is sent
// again. After that, "already exists" refers to our own object.
func (t *Turn) create(ctx context.Context, m mutation, taken bool) (Pending, error) {
	ctx, end, err := t.begin(ctx, &m)
	if err != nil {
		return Pending{}, err
	}
	defer end()
	var lost error // the newest POST whose outcome is unknown
	begun := time.Now()
	for b := (busy{}); ; {
		pending, err := transport.Do[Pending](ctx, t.c.sender, m.Request)
		switch {
		case err == nil:
			return t.accepted(ctx, m, pending)
		case transport.OutcomeUnknown(err):
			lost = err
		case lost != nil && errors.Is(err, ErrAlreadyExists) && taken:
			return Pending{}, err
		case lost != nil && (isConflict(err) || errors.Is(err, ErrAlreadyExists)):
			// Our own object exists, or our own job runs.
		case lost != nil && Passing(err) && !errors.Is(err, ErrNotFound):
			// The service cannot be reached, and the first POST may have been executed.
		case lost == nil && isConflict(err):
			if _, err := t.awaitFree(ctx, err, &b); err != nil {
				return Pending{}, err
			}
			continue
		default:
			return Pending{}, err
		}
		if lost != nil && !taken { // an object that existed before proves nothing
			pending, found, err := t.lookForCreated(ctx, m, patience-time.Since(begun))
			if found {
				return pending, nil
			}
			if err != nil {
				return Pending{}, errors.Join(lost, err)
			}
		}
		if lost != nil && (lifetime.Ended(ctx) || time.Since(begun) >= patience) {
			return Pending{}, lost
		}
		if err := t.BackOff(ctx, &b.Backoff); err != nil {
			return Pending{}, errors.Join(lost, err)
		}
	}
}

// lookForCreated looks for the result of a lost POST until it is found, or until the
// instance names no job and the records do not show it.
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
				found = m.runs(job) // another client's job hides nothing: ours was refused, or is still to come
				return Pending{JobID: job.ID}, found, nil
			}
		}
		found, err = m.isMade(ctx)
		return NothingPending(), err == nil, err
	})
	if !found {
		return Pending{}, false, err
	}
	t.c.Claim(pending.JobID)
	return pending, true, nil
}

// accepted returns the pending work of a mutation that the service has accepted. If the
// response names no job, accepted waits until the instance's record names none either and
// reads can no longer lag. The caller then reads what has become of the change; for a
// deletion, accepted confirms that the object is gone.
func (t *Turn) accepted(ctx context.Context, m mutation, pending Pending) (Pending, error) {
	switch {
	case pending.JobID != "":
		t.c.Claim(pending.JobID)
		return pending, nil
	case m.operation == OpDelete:
		return Pending{deletion: true}, nil
	}
	for begun := time.Now(); ; {
		_, job, err := t.awaitNamed(ctx)
		switch {
		case err != nil:
			return Pending{}, err
		case job.ID != "" && !t.over[job.ID]:
			t.over[job.ID] = true
		case time.Since(begun) >= t.c.readLag:
			nothing := NothingPending()
			nothing.BuildID = pending.BuildID
			if m.Method == http.MethodDelete {
				return nothing, t.c.confirmGone(ctx, &NoProofError{InstanceID: t.id, Operation: m.operation, Target: m.target}, m.isMade)
			}
			return nothing, nil
		}
		if err := lifetime.Pause(ctx, t.c.random.Jitter(nextPoll(time.Since(begun), 0))); err != nil {
			return Pending{}, err
		}
	}
}

// awaitFree waits until an instance that refused a mutation may accept it, that is, until
// the job named by its record is over. It returns that job, or zero if none was named. If
// no job explains the refusal after reads can no longer lag, it returns the refusal.
//
// It does not report that an instance is gone, because the mutation's next response does.
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
	case time.Since(b.unexplained) >= t.c.readLag:
		return Job{}, refusal
	}
	return job, t.BackOff(ctx, &b.Backoff)
}

// BackOff pauses before a mutation is sent again, each time for longer, at most for
// longestPace.
func (t *Turn) BackOff(ctx context.Context, b *Backoff) error {
	b.delay = min(max(FirstPoll, 2*b.delay), longestPace)
	return lifetime.Pause(ctx, t.c.random.Jitter(b.delay))
}

// AwaitIdle waits until the record of the job that the instance's record names shows that
// the job is over. It returns the instance as it is then. waited reports that there was a
// job that this process has not started: reads may not show its result yet. If the instance's
// checkout is open, AwaitIdle returns a *CheckoutError without waiting.
func (t *Turn) AwaitIdle(ctx context.Context) (instance Instance, waited bool, err error) {
	for {
		var job Job
		instance, job, err = t.awaitNamed(ctx)
		if err != nil || job.ID == "" || t.over[job.ID] { // a replica may name a job that is over
			return instance, waited, err
		}
		t.over[job.ID] = true
		waited = waited || !t.c.HasClaimed(job.ID)
	}
}

// awaitNamed reads the instance and waits for the job that its record names. The outcome
// of that job is not an error.
func (t *Turn) awaitNamed(ctx context.Context) (instance Instance, job Job, err error) {
	err = t.c.wait(ctx, 0, func(ctx context.Context) (observation, error) {
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
