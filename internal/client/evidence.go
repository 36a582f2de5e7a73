package client

import (
	"context"
	"errors"
	"time"
)

// An action leaves nothing behind that its result could be told by. It is proved
// by what is new: a job, an activity or a build that was not there before it was
// sent. Without that its outcome is unknown, and it is never sent again.

// baseline is what was there before an action was sent.
type baseline struct {
	jobID      string
	busy       bool // the job is another's, and in progress
	activities map[Activity]int
	builds     map[string]bool // of the app that the action is about
}

// baseline reads what is there, once it shows what this process did before, and
// what has kept the instance busy: an earlier action of the same kind that becomes
// visible only now would pass for the one that is about to be sent. busy is when
// the service last said that the instance is.
func (t *Turn) baseline(ctx context.Context, m mutation, app string, busy time.Time) (baseline, error) {
	for _, then := range []time.Time{t.c.endedAt(t.id, m.operation), busy} {
		if left := readLag - time.Since(then); left > 0 {
			if err := pause(ctx, left); err != nil {
				return baseline{}, err
			}
		}
	}
	instance, err := t.c.Instance(ctx, t.id)
	if err != nil {
		return baseline{}, err
	}
	before := baseline{jobID: instance.JobID, activities: count(instance.Activity), builds: map[string]bool{}}
	if before.busy, err = t.isBusy(ctx, instance); err != nil || before.busy || app == "" {
		return before, err
	}
	builds, err := t.c.Builds(ctx, t.id, app)
	for _, build := range builds {
		before.builds[build.ID] = true
	}
	return before, err
}

// isBusy tells whether a job that is not this process's own is in progress.
func (t *Turn) isBusy(ctx context.Context, instance Instance) (bool, error) {
	if instance.JobID == "" || t.c.hasClaimed(instance.JobID) {
		return false, nil
	}
	job, err := t.c.Job(ctx, instance.JobID)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil && !job.Done() && !job.Failed(), err
}

// count counts equal activities: two of the same second are two.
func count(activities []Activity) map[Activity]int {
	counts := map[Activity]int{}
	for _, activity := range activities {
		counts[activity]++
	}
	return counts
}

// newActivity tells whether there is an activity of an operation that was not
// there before.
func (b baseline) newActivity(operation string, now []Activity) bool {
	for activity, times := range count(now) {
		if activity.Type == operation && times > b.activities[activity] {
			return true
		}
	}
	return false
}

// isOlder tells whether a record is one from before the baseline, as a replica may
// answer: it lacks the newest activity. What it shows as new has ended long ago.
func (b baseline) isOlder(instance Instance) bool {
	var newest Activity
	for activity := range b.activities {
		if newest == (Activity{}) || activity.At.After(newest.At.Time) {
			newest = activity
		}
	}
	return count(instance.Activity)[newest] < b.activities[newest]
}

// act sends an action, once. app is the app that it builds anew, or "".
func (t *Turn) act(ctx context.Context, m mutation, app string) (Pending, error) {
	ctx, end, err := t.begin(ctx, &m)
	if err != nil {
		return Pending{}, err
	}
	defer end()
	var busy time.Time
	for p := (pace{c: t.c}); ; {
		before, err := t.baseline(ctx, m, app, busy)
		if err != nil {
			return Pending{}, err
		}
		// Beside a job it would be refused, and where the refusal is lost, what that
		// job leaves behind would pass for its own.
		pending, err := Pending{}, ErrJobRunning
		if !before.busy {
			pending, err = do[Pending](ctx, t.c, m.request)
		}
		switch {
		case err == nil && pending.JobID != "":
			t.c.Claim(pending.JobID)
			t.c.noteWork(pending.JobID, kind{m.operation, m.on})
			return pending, nil
		case err == nil:
			lost := &NoEvidenceError{InstanceID: t.id, Operation: m.operation, Target: m.target}
			return t.prove(ctx, m, before, app, readLag, lost)
		case outcomeUnknown(err):
			return t.prove(ctx, m, before, app, actionPatience, err)
		case !before.busy && !isConflict(err):
			return Pending{}, err
		}
		busy = time.Now()
		if err := t.awaitFree(ctx, err); err != nil {
			return Pending{}, err
		}
		if err := p.pause(ctx); err != nil {
			return Pending{}, err
		}
	}
}

// prove looks for what an action set going whose answer was lost.
func (t *Turn) prove(ctx context.Context, m mutation, before baseline, app string, limit time.Duration, lost error) (Pending, error) {
	pending, found, err := look(ctx, t.c, limit, func(ctx context.Context) (Pending, bool, error) {
		return t.evidence(ctx, m, before, app)
	})
	if !found {
		return Pending{}, errors.Join(lost, err)
	}
	t.c.Claim(pending.JobID)
	return pending, nil
}

// evidence is what is new of an action.
func (t *Turn) evidence(ctx context.Context, m mutation, before baseline, app string) (Pending, bool, error) {
	instance, err := t.c.Instance(ctx, t.id)
	if err != nil || before.isOlder(instance) {
		return Pending{}, false, err
	}
	pending, found := NothingPending(), before.newActivity(m.operation, instance.Activity)
	if id := instance.JobID; id != "" && id != before.jobID && !t.c.hasClaimed(id) {
		job, err := t.c.Job(ctx, id)
		if err != nil {
			return Pending{}, false, err
		}
		if m.runs(job) {
			pending, found = Pending{JobID: id}, true
		}
	}
	if app == "" {
		return pending, found, nil
	}
	builds, err := t.c.Builds(ctx, t.id, app)
	if err != nil {
		return Pending{}, false, err
	}
	for _, build := range builds { // newest first
		if !before.builds[build.ID] {
			pending.BuildID, found = build.ID, true
			break
		}
	}
	return pending, found, nil
}

// An actionKey is a kind of action on an instance.
type actionKey struct{ instanceID, operation string }

// noteEnded notes that a job of this process has ended.
func (c *Client) noteEnded(instanceID, operation string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended[actionKey{instanceID, operation}] = time.Now()
}

// endedAt is when the newest job of a kind ended that this process waited for;
// zero for none.
func (c *Client) endedAt(instanceID, operation string) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ended[actionKey{instanceID, operation}]
}
