package client

import (
	"context"
	"errors"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// An action leaves no result in the instance's record. Its proof is a new job, activity
// or build that did not exist before the request. Without one, the outcome is unknown,
// and the action is never sent again.

// baseline records the jobs, activities and builds that existed before an action was
// sent.
type baseline struct {
	jobID      string
	activities map[Activity]int
	builds     map[string]bool // of the app that the action affects
}

// act sends an action once. app is the name of the app that the action builds again, or
// "".
func (t *Turn) act(ctx context.Context, m mutation, app string) (Pending, error) {
	var before baseline
	m.prepare = func(ctx context.Context) (any, error) {
		var err error
		before, err = t.baseline(ctx, app)
		t.builds = before.builds
		return m.Body, err
	}
	return t.post(ctx, m, func(ctx context.Context) (Pending, bool, error) {
		return t.proof(ctx, m, before, app)
	})
}

// baseline reads the current state after the record names no job and reads can no longer
// lag. Otherwise the traces of an earlier, equal action could appear later and be taken
// for those of this action.
func (t *Turn) baseline(ctx context.Context, app string) (baseline, error) {
	var instance Instance
	for foreign := true; foreign; {
		if _, _, err := t.AwaitIdle(ctx); err != nil {
			return baseline{}, err
		}
		if err := lifetime.Pause(ctx, ReadLag); err != nil {
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

// proof returns the new job or build of an action, and whether there is any new trace.
func (t *Turn) proof(ctx context.Context, m mutation, before baseline, app string) (Pending, bool, error) {
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

// QueuedBuild returns the id of the build that a redeployment of this turn has queued, if
// the answer did not name it. The build exists once the redeployment's job has ended. It
// returns a *NoProofError if no build appears.
func (t *Turn) QueuedBuild(ctx context.Context, app string) (string, error) {
	id, found, err := look(ctx, t.c, ReadLag, func(ctx context.Context) (string, bool, error) { return t.newBuild(ctx, app, t.builds) })
	if !found {
		return "", errors.Join(&NoProofError{InstanceID: t.id, Operation: OpAppRedeploy, Target: appTarget(app)}, err)
	}
	return id, nil
}

// newBuild returns the newest build of an app, if it did not exist before.
func (t *Turn) newBuild(ctx context.Context, app string, before map[string]bool) (id string, found bool, err error) {
	builds, err := t.c.RecentBuilds(ctx, t.id, app, NewestBuilds)
	if err != nil || len(builds) == 0 || before[builds[0].ID] {
		return "", false, err
	}
	return builds[0].ID, true, nil
}

// buildIDs returns the ids of an app's newest builds. Later builds are listed first.
func (c *Client) buildIDs(ctx context.Context, instanceID, app string) (map[string]bool, error) {
	builds, err := c.RecentBuilds(ctx, instanceID, app, NewestBuilds)
	ids := map[string]bool{}
	for _, build := range builds {
		ids[build.ID] = true
	}
	return ids, err
}

// count counts equal activities: two in the same second are two.
func count(activities []Activity) map[Activity]int {
	counts := map[Activity]int{}
	for _, activity := range activities {
		counts[activity]++
	}
	return counts
}

// newActivity reports whether there is a new activity of an operation.
func (b baseline) newActivity(operation string, now []Activity) bool {
	for activity, times := range count(now) {
		if activity.Type == operation && times > b.activities[activity] {
			return true
		}
	}
	return false
}

// isOlder reports whether a record is older than the baseline: it lacks the newest
// activity. A replica may return such a record. The job it names ended long ago.
func (b baseline) isOlder(instance Instance) bool {
	var newest Activity
	for activity := range b.activities {
		if newest == (Activity{}) || activity.At.After(newest.At.Time) {
			newest = activity
		}
	}
	return count(instance.Activity)[newest] < b.activities[newest]
}

// post sends a POST whose effect the service's records show if the response is lost. It
// is sent again only after a refusal. After a lost response it is never sent again,
// because it could be executed twice.
func (t *Turn) post(ctx context.Context, m mutation, find func(context.Context) (Pending, bool, error)) (Pending, error) {
	ctx, end, err := t.begin(ctx, &m)
	if err != nil {
		return Pending{}, err
	}
	defer end()
	for b := (busy{}); ; {
		if m.prepare != nil {
			if m.Body, err = m.prepare(ctx); err != nil {
				return Pending{}, err
			}
		}
		pending, err := transport.Do[Pending](ctx, t.c.sender, m.Request)
		switch {
		case err == nil && pending.JobID != "":
			t.c.Claim(pending.JobID)
			return pending, nil
		case err == nil:
			lost := &NoProofError{InstanceID: t.id, Operation: m.operation, Target: m.target}
			return t.find(ctx, ReadLag, lost, find)
		case transport.OutcomeUnknown(err):
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

// find looks for the effect of a POST whose response was lost.
func (t *Turn) find(ctx context.Context, limit time.Duration, lost error, find func(context.Context) (Pending, bool, error)) (Pending, error) {
	pending, found, err := look(ctx, t.c, limit, find)
	if !found {
		return Pending{}, errors.Join(lost, err)
	}
	t.c.Claim(pending.JobID)
	return pending, nil
}
