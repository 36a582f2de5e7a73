package client

import (
	"context"
	"errors"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// act sends an action, which has no declared result. It is sent again only after a refusal.
// If its response was lost or names no job, its outcome is unknown.
func (t *Turn) act(ctx context.Context, m mutation) (Pending, error) {
	ctx, end, err := t.begin(ctx, &m)
	if err != nil {
		return Pending{}, err
	}
	defer end()
	for b := (busy{}); ; {
		if m.prepare != nil {
			if _, err := m.prepare(ctx); err != nil {
				return Pending{}, err
			}
		}
		pending, err := transport.Do[Pending](ctx, t.c.sender, m.Request)
		switch {
		case err == nil && pending == (Pending{}):
			return Pending{}, &NoProofError{InstanceID: t.id, Operation: m.operation, Target: m.target}
		case err == nil && pending.JobID == "":
			pending.nothing = true // its build proves it
			return pending, nil
		case err == nil:
			t.c.Claim(pending.JobID)
			return pending, nil
		case !isConflict(err):
			return Pending{}, err
		}
		if _, err := t.awaitFree(ctx, err, &b); err != nil {
			return Pending{}, err
		}
		if m.isMade == nil {
			continue
		}
		if made, err := t.c.pollUntil(ctx, t.c.readLag, m.isMade); made || err != nil {
			return NothingPending(), err
		}
	}
}

// A redeployment queues a build. So if its response was lost or names none, a build that
// did not exist before proves it.

// RedeployApp builds the newest commit of the app's branch and deploys it.
func (t *Turn) RedeployApp(ctx context.Context, name string) (Pending, error) {
	m := redeployment(name)
	m.prepare = func(ctx context.Context) (body any, err error) {
		t.builds, err = t.c.buildIDs(ctx, t.id, name)
		return nil, err
	}
	return t.redeploy(ctx, name, m)
}

// RebuildApp is like RedeployApp, for a caller that noted the ids of the existing builds
// before its first request. A build that is not in noted comes from this caller. So if a
// response was lost, RebuildApp finds the build and does not queue a second one.
func (t *Turn) RebuildApp(ctx context.Context, name string, noted map[string]bool) (Pending, error) {
	t.builds = noted
	m := redeployment(name)
	m.isMade = func(ctx context.Context) (bool, error) {
		_, found, err := t.newBuild(ctx, name)
		return found, err
	}
	return t.redeploy(ctx, name, m)
}

func redeployment(app string) mutation {
	return mutation{
		Request:   transport.Request{Path: []string{"apps", app, "actions", "redeploy"}, Body: struct{}{}},
		operation: OpAppRedeploy,
		target:    appTarget(app),
	}
}

// redeploy sends a redeployment and looks for its build if the outcome is unknown.
func (t *Turn) redeploy(ctx context.Context, app string, m mutation) (Pending, error) {
	pending, lost := t.act(ctx, m)
	limit := shortPatience
	switch noJob := (*NoProofError)(nil); {
	case errors.As(lost, &noJob):
		limit = t.c.readLag
	case !transport.OutcomeUnknown(lost):
		return pending, lost
	}
	build, found, err := look(ctx, t.c, limit, func(ctx context.Context) (string, bool, error) { return t.newBuild(ctx, app) })
	if !found {
		return Pending{}, errors.Join(lost, err)
	}
	pending = NothingPending()
	pending.BuildID = build
	return pending, nil
}

// QueuedBuild returns the id of the build that a redeployment of this turn has queued, if
// the answer did not name it. The build exists once the redeployment's job has ended. It
// returns a *NoProofError if no build appears.
func (t *Turn) QueuedBuild(ctx context.Context, app string) (string, error) {
	id, found, err := look(ctx, t.c, t.c.readLag, func(ctx context.Context) (string, bool, error) { return t.newBuild(ctx, app) })
	if !found {
		return "", errors.Join(&NoProofError{InstanceID: t.id, Operation: OpAppRedeploy, Target: appTarget(app)}, err)
	}
	return id, nil
}

// newBuild returns the newest build of an app, if it did not exist before the turn's last
// redeployment.
func (t *Turn) newBuild(ctx context.Context, app string) (id string, found bool, err error) {
	builds, err := t.c.RecentBuilds(ctx, t.id, app, NewestBuilds)
	if err != nil || len(builds) == 0 || t.builds[builds[0].ID] {
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
