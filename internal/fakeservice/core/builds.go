package core

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"
)

// buildRun is a build that has not ended. A build is not a job: the instance accepts
// mutations while a build runs.
type buildRun struct {
	InstanceID, App, ID string
	// Sequence orders builds.
	Sequence int
	Length   time.Duration
	// Due is zero while a different build of the same app runs.
	Due time.Time
	// Hurried makes the build end as soon as it begins. It is set when a hold on the
	// build is released while the build still waits for a different one.
	Hurried bool

	// work is the data plane's build, or nil without a data plane.
	work *workInProgress
}

// queueBuild adds a build to an app. It starts the build unless one is running: an app
// builds one commit at a time.
func (st *state) queueBuild(in *instance, a *app, id string) {
	run := &buildRun{InstanceID: in.ID, App: a.Name, ID: id, Sequence: st.next(), Length: st.Durations.build(len(a.Builds))}
	a.Builds = slices.Insert(a.Builds, 0, Build{ID: id, Status: StatusQueued, CreatedAt: st.Now})
	if !a.Deployed {
		a.Status = StatusBuilding
	}
	busy := slices.ContainsFunc(st.Builds, func(other *buildRun) bool { return other.of(in, a) })
	st.Builds = add(st, st.Builds, run)
	if !busy {
		st.beginBuild(run)
	}
}

func (st *state) beginBuild(run *buildRun) {
	st.touch(run)
	run.Due = st.Now.Add(run.Length)
	if run.Hurried {
		run.Due = st.Now
	}
	a, b := st.build(run)
	if b != nil {
		b.Status = StatusRunning
		b.StartedAt = st.Now
		if st.plane == nil {
			b.Commit = st.commit(a.Repo, a.Branch)
		}
	}
	if a != nil && st.plane != nil {
		st.buildForReal(run, a)
	}
}

// endBuild deploys a successful build. After a failed one, the running version stays.
func (st *state) endBuild(run *buildRun) {
	st.Builds = remove(st, st.Builds, func(other *buildRun) bool { return other == run })
	if a, b := st.build(run); b != nil {
		b.FinishedAt = st.Now
		if log, fails := st.buildFailure(run); fails {
			b.Status, b.Error = StatusFailed, log
			if !a.Deployed {
				a.Status = StatusFailed
			}
		} else {
			b.Status = StatusSuccessful
			a.Deployed = true
			st.deploy(st.find(run.InstanceID), a, run.ID)
		}
		st.log.Info("build ended", "build", run.ID, "instance", run.InstanceID, "app", run.App, "status", b.Status)
	}
	for _, next := range st.Builds {
		if next.InstanceID == run.InstanceID && next.App == run.App {
			st.beginBuild(next)
			return
		}
	}
}

// giveUpBuild fails a build because of an internal error in the fake.
func (st *state) giveUpBuild(run *buildRun) {
	st.Builds = remove(st, st.Builds, func(other *buildRun) bool { return other == run })
	if _, b := st.build(run); b != nil {
		b.Status, b.Error, b.FinishedAt = StatusFailed, mistake, st.Now
	}
}

// endBuilds fails the builds of apps that are about to be removed, before anything of the
// apps is removed.
func (st *state) endBuilds(in *instance, apps []*app, why string) {
	for _, a := range apps {
		for _, run := range st.Builds {
			if _, b := st.build(run); run.of(in, a) && b != nil {
				b.Status, b.Error, b.FinishedAt = StatusFailed, why, st.Now
			}
		}
		st.dropBuilds(in, a)
	}
}

// dropBuilds cancels and forgets the builds of a removed app.
func (st *state) dropBuilds(in *instance, a *app) {
	for _, run := range st.Builds {
		if run.of(in, a) && run.work != nil {
			run.work.cancel()
		}
	}
	st.Builds = remove(st, st.Builds, func(run *buildRun) bool { return run.of(in, a) })
}

// of reports whether run is a build of the app a of the instance in.
func (run *buildRun) of(in *instance, a *app) bool {
	return run.InstanceID == in.ID && run.App == a.Name
}

// build returns the app of a build and the build's record. Either is nil if a test has
// removed it.
func (st *state) build(run *buildRun) (*app, *Build) {
	in := st.find(run.InstanceID)
	if in == nil {
		return nil, nil
	}
	a := in.app(run.App)
	if a == nil {
		return nil, nil
	}
	at := slices.IndexFunc(a.Builds, func(b Build) bool { return b.ID == run.ID })
	if at < 0 {
		return a, nil
	}
	return a, &a.Builds[at]
}

// commit returns the newest commit of a branch. It stays the same until the next push.
func (st *state) commit(repo, branch string) string {
	key := repo + "@" + branch
	sum := sha256.Sum256(fmt.Appendf(nil, "%s#%d", key, st.Pushes[key]))
	return hex.EncodeToString(sum[:20])
}

// BuildList lists the builds of an app, the newest first.
type BuildList struct {
	Builds     []BuildRecord `json:"builds"`
	NextCursor string        `json:"next_cursor,omitempty"`
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
			list.Builds = append(list.Builds, BuildRecordOf(b))
		}
		return list, nil
	})
}

// BuildPage returns a page of at most limit builds of an app, up to PageLimit, after a
// cursor. The cursor is the number of older builds, which later builds do not change.
func (s *Service) BuildPage(ctx context.Context, id, name, cursor string, limit int) (BuildList, error) {
	list, err := s.Builds(ctx, id, name)
	if err != nil {
		return BuildList{}, err
	}
	list.Builds, list.NextCursor, err = pageOf(list.Builds, cursor, limit)
	return list, err
}

// BuildRecordOf returns a build as the API shows it.
func BuildRecordOf(b Build) (record BuildRecord) {
	show(&record, &b)
	return record
}
