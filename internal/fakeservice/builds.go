package fakeservice

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// buildRun is a build that has yet to end. A build is no job: while it runs,
// the instance accepts mutations.
type buildRun struct {
	instance *instance
	app      *app
	id       string
	length   time.Duration
	// due is zero while another build of the same app runs.
	due time.Time
	// hurried makes the build end as soon as it begins. It is set when a hold
	// on it is released while it still waits for another.
	hurried bool
	// errand is the real build, where there is a data plane.
	errand *errand
}

// queueBuild adds a build to an app and begins it, unless one runs already:
// an app builds one commit at a time.
func (st *state) queueBuild(in *instance, a *app, id string) {
	run := &buildRun{instance: in, app: a, id: id, length: st.durations.build(len(a.Builds))}
	a.Builds = slices.Insert(a.Builds, 0, Build{ID: id, Status: StatusQueued, CreatedAt: st.now})
	if !a.deployed {
		a.Status = StatusBuilding
	}
	busy := slices.ContainsFunc(st.activeBuilds, func(other *buildRun) bool { return other.app == a })
	st.activeBuilds = append(st.activeBuilds, run)
	if !busy {
		st.beginBuild(run)
	}
}

func (st *state) beginBuild(run *buildRun) {
	run.due = st.now.Add(run.length)
	if run.hurried {
		run.due = st.now
	}
	if b := run.build(); b != nil {
		b.Status = StatusRunning
		b.StartedAt = st.now
		if st.plane == nil {
			b.Commit = st.commit(run.app.Repo, run.app.Branch)
			return
		}
	}
	st.buildForReal(run)
}

// endBuild deploys what was built. A build that fails leaves the version that
// runs in place.
func (st *state) endBuild(run *buildRun) {
	st.activeBuilds = slices.DeleteFunc(st.activeBuilds, func(other *buildRun) bool { return other == run })
	if b := run.build(); b != nil {
		b.FinishedAt = st.now
		if log, fails := st.buildFailure(run); fails {
			b.Status, b.Error = StatusFailed, log
			if !run.app.deployed {
				run.app.Status = StatusFailed
			}
		} else {
			b.Status = StatusSuccessful
			run.app.deployed = true
			st.deploy(run)
		}
		st.log.Info("build ended", "build", run.id, "instance", run.instance.ID, "app", run.app.Name, "status", b.Status)
	}
	for _, next := range st.activeBuilds {
		if next.app == run.app {
			st.beginBuild(next)
			return
		}
	}
}

// dropBuilds forgets the builds of an app that is no more.
func (st *state) dropBuilds(a *app) {
	for _, run := range st.activeBuilds {
		if run.app == a && run.errand != nil {
			run.errand.cancel()
		}
	}
	st.activeBuilds = slices.DeleteFunc(st.activeBuilds, func(run *buildRun) bool { return run.app == a })
}

// build is the run's record, or nil when someone has edited it away.
func (run *buildRun) build() *Build {
	at := slices.IndexFunc(run.app.Builds, func(b Build) bool { return b.ID == run.id })
	if at < 0 {
		return nil
	}
	return &run.app.Builds[at]
}

// commit is the newest commit of a branch: the same until someone pushes.
func (st *state) commit(repo, branch string) string {
	key := repo + "@" + branch
	sum := sha256.Sum256(fmt.Appendf(nil, "%s#%d", key, st.pushes[key]))
	return hex.EncodeToString(sum[:20])
}

func (st *state) listBuilds(c *call) response {
	a, err := st.readApp(c)
	if err != nil {
		return fail(err)
	}
	views := make([]map[string]any, 0, len(a.Builds))
	for _, b := range a.Builds {
		views = append(views, map[string]any{
			"id": b.ID, "status": b.Status, "commit": textOrNull(b.Commit), "created_at": b.CreatedAt,
			"finished_at": timeOrNull(b.FinishedAt), "error": textOrNull(b.Error),
		})
	}
	return answer(http.StatusOK, map[string]any{"builds": views})
}
