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
	activities map[Activity]int
	builds     map[string]bool // of the app that the action is about
}

// act sends an action, once. app is the app that it builds again, or "".
func (t *Turn) act(ctx context.Context, m mutation, app string) (Pending, error) {
	var before baseline
	m.prepare = func(ctx context.Context) (any, error) {
		var err error
		before, err = t.baseline(ctx, app)
		return m.body, err
	}
	return t.post(ctx, m, func(ctx context.Context) (Pending, bool, error) {
		return t.evidence(ctx, m, before, app)
	})
}

// baseline reads what is there once no job is named, and once reads can no longer
// lag: what an equal action before this one has left behind would otherwise become
// visible later, and pass for its own.
func (t *Turn) baseline(ctx context.Context, app string) (baseline, error) {
	var instance Instance
	for foreign := true; foreign; {
		if _, _, err := t.AwaitIdle(ctx); err != nil {
			return baseline{}, err
		}
		if err := pause(ctx, readLag); err != nil {
			return baseline{}, err
		}
		var err error
		if instance, foreign, err = t.AwaitIdle(ctx); err != nil {
			return baseline{}, err
		}
	}
	before := baseline{jobID: instance.JobID, activities: count(instance.Activity)}
	if app == "" {
		return before, nil
	}
	var err error
	before.builds, err = t.c.buildIDs(ctx, t.id, app)
	return before, err
}

// evidence is what is new of an action.
func (t *Turn) evidence(ctx context.Context, m mutation, before baseline, app string) (Pending, bool, error) {
	instance, err := t.c.Instance(ctx, t.id)
	if err != nil || before.isOlder(instance) {
		return Pending{}, false, err
	}
	pending, found := NothingPending(), before.newActivity(m.operation, instance.Activity)
	if instance.JobID != before.jobID {
		job, own, err := t.ownJob(ctx, m, instance)
		if err != nil {
			return Pending{}, false, err
		}
		if own {
			pending, found = Pending{JobID: job.ID}, true
		}
	}
	if app == "" {
		return pending, found, nil
	}
	build, isNew, err := t.newBuild(ctx, app, before.builds)
	pending.BuildID = build
	return pending, found || isNew, err
}

// ownJob is the job that an instance's record names, where it carries out a mutation
// of this process whose answer named none.
func (t *Turn) ownJob(ctx context.Context, m mutation, instance Instance) (Job, bool, error) {
	if instance.JobID == "" || t.c.HasClaimed(instance.JobID) {
		return Job{}, false, nil
	}
	job, err := t.c.Job(ctx, instance.JobID)
	return job, err == nil && m.runs(job), err
}

// newBuild is the newest build of an app, if it is not among those that were there
// before.
func (t *Turn) newBuild(ctx context.Context, app string, before map[string]bool) (id string, found bool, err error) {
	builds, err := t.c.RecentBuilds(ctx, t.id, app, NewestBuilds)
	if err != nil || len(builds) == 0 || before[builds[0].ID] {
		return "", false, err
	}
	return builds[0].ID, true, nil
}

// buildIDs are the ids of an app's newest builds: what is built later is listed above
// them.
func (c *Client) buildIDs(ctx context.Context, instanceID, app string) (map[string]bool, error) {
	builds, err := c.RecentBuilds(ctx, instanceID, app, NewestBuilds)
	ids := map[string]bool{}
	for _, build := range builds {
		ids[build.ID] = true
	}
	return ids, err
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

// post sends a POST whose effect is found in the service's records if its answer
// is lost. It is sent again only after a refusal, and never after a lost answer: it
// could be carried out twice.
func (t *Turn) post(ctx context.Context, m mutation, find func(context.Context) (Pending, bool, error)) (Pending, error) {
	ctx, end, err := t.begin(ctx, &m)
	if err != nil {
		return Pending{}, err
	}
	defer end()
	for b := (busy{}); ; {
		if m.prepare != nil {
			if m.body, err = m.prepare(ctx); err != nil {
				return Pending{}, err
			}
		}
		pending, err := do[Pending](ctx, t.c, m.request)
		switch {
		case err == nil && pending.JobID != "":
			t.c.Claim(pending.JobID)
			t.c.noteWork(pending.JobID, kind{m.operation, m.on})
			return pending, nil
		case err == nil:
			lost := &NoEvidenceError{InstanceID: t.id, Operation: m.operation, Target: m.target}
			return t.find(ctx, readLag, lost, find)
		case outcomeUnknown(err):
			return t.find(ctx, actionPatience, err, find)
		case !isConflict(err):
			return Pending{}, err
		}
		job, err := t.awaitFree(ctx, err, &b)
		if err != nil {
			return Pending{}, err
		}
		if done, err := t.isDone(ctx, m, job, false); done || err != nil {
			return NothingPending(), err
		}
	}
}

// find looks for what a POST set going whose answer was lost.
func (t *Turn) find(ctx context.Context, limit time.Duration, lost error, find func(context.Context) (Pending, bool, error)) (Pending, error) {
	pending, found, err := look(ctx, t.c, limit, find)
	if !found {
		return Pending{}, errors.Join(lost, err)
	}
	t.c.Claim(pending.JobID)
	return pending, nil
}
