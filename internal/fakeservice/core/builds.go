package core

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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

// giveUpBuild ends a build whose end is a mistake of the fake's.
func (st *state) giveUpBuild(run *buildRun) {
	st.activeBuilds = slices.DeleteFunc(st.activeBuilds, func(other *buildRun) bool { return other == run })
	if b := run.build(); b != nil {
		b.Status, b.Error, b.FinishedAt = StatusFailed, mistake, st.now
	}
}

// endBuilds ends the builds of apps that are going, before anything of them goes.
func (st *state) endBuilds(apps []*app, why string) {
	for _, a := range apps {
		for _, run := range st.activeBuilds {
			if b := run.build(); run.app == a && b != nil {
				b.Status, b.Error, b.FinishedAt = StatusFailed, why, st.now
			}
		}
		st.dropBuilds(a)
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

// BuildList is the builds of an app, the newest first.
type BuildList struct {
	Builds []BuildRecord `json:"builds"`
}

// BuildRecord is a build as the API shows it.
type BuildRecord struct {
	ID         string     `json:"id"`
	Status     string     `json:"status"`
	Commit     *string    `json:"commit"`
	CreatedAt  time.Time  `json:"created_at"`
	FinishedAt *time.Time `json:"finished_at"`
	Error      *string    `json:"error"`
}

// Builds lists the builds of an app.
func (s *Service) Builds(ctx context.Context, id, name string) (BuildList, error) {
	return lookAt(ctx, s, id, func(_ *state, in *instance) (BuildList, error) {
		a, err := in.appOrNotFound(name)
		if err != nil {
			return BuildList{}, err
		}
		list := BuildList{Builds: []BuildRecord{}}
		for _, b := range a.Builds {
			list.Builds = append(list.Builds, b.Record())
		}
		return list, nil
	})
}

// Record is the build as the API shows it.
func (b Build) Record() BuildRecord {
	return BuildRecord{b.ID, b.Status, textOrNil(b.Commit), b.CreatedAt, timeOrNil(b.FinishedAt), textOrNil(b.Error)}
}
