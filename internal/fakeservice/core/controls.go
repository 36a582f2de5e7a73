package core

import "slices"

// JobMatch selects jobs. An empty field matches anything.
type JobMatch struct{ InstanceID, Operation, Target string }

func (m JobMatch) matches(j Job) bool {
	return matches(m.InstanceID, j.InstanceID) && matches(m.Operation, j.Operation) && matches(m.Target, j.Target)
}

// BuildMatch selects builds. An empty field matches anything.
type BuildMatch struct{ InstanceID, App string }

func (m BuildMatch) matches(run *buildRun) bool {
	return matches(m.InstanceID, run.InstanceID) && matches(m.App, run.App)
}

// AppMatch selects apps. An empty field matches anything.
type AppMatch struct{ InstanceID, App string }

func matches(want, have string) bool { return want == "" || want == have }

// controls has the holds and failures that tests have set for jobs, builds and apps.
type controls struct {
	jobHolds   []*JobMatch
	buildHolds []*BuildMatch
	jobFails   []*jobFailure
	buildFails []*buildFailure
	startFails []*startFailure
}

type jobFailure struct {
	match        JobMatch
	left         int // negative: every time
	code, detail string
}

type buildFailure struct {
	match BuildMatch
	left  int
	log   string
}

type startFailure struct {
	match AppMatch
	left  int
	why   AppFailure
}

func (c *controls) holdsJob(j Job) bool {
	return slices.ContainsFunc(c.jobHolds, func(m *JobMatch) bool { return m.matches(j) })
}

func (c *controls) holdsBuild(run *buildRun) bool {
	return slices.ContainsFunc(c.buildHolds, func(m *BuildMatch) bool { return m.matches(run) })
}

// failsJob reports whether a job must fail that begins its work now, or ends without any.
// It counts the failure.
func (c *controls) failsJob(j Job) (code, detail string, fails bool) {
	for _, f := range c.jobFails {
		if f.left != 0 && f.match.matches(j) {
			f.left--
			return f.code, f.detail, true
		}
	}
	return "", "", false
}

// failsBuild reports whether a build that ends now must fail, and counts the failure.
func (c *controls) failsBuild(run *buildRun) (log string, fails bool) {
	for _, f := range c.buildFails {
		if f.left != 0 && f.match.matches(run) {
			f.left--
			return f.log, true
		}
	}
	return "", false
}

// failsStart reports whether an app that is deployed or restarted now must fail, and
// counts the failure.
func (c *controls) failsStart(instanceID, name string) (why AppFailure, fails bool) {
	for _, f := range c.startFails {
		if f.left != 0 && matches(f.match.InstanceID, instanceID) && matches(f.match.App, name) {
			f.left--
			return f.why, true
		}
	}
	return AppFailure{}, false
}

// releaseJobs removes one hold. Jobs without another hold end immediately.
func (st *state) releaseJobs(hold *JobMatch) {
	before := len(st.control.jobHolds)
	st.control.jobHolds = slices.DeleteFunc(st.control.jobHolds, func(m *JobMatch) bool { return m == hold })
	if len(st.control.jobHolds) == before {
		return
	}
	for _, j := range st.activeJobs {
		if hold.matches(j.Job) && !j.Due.IsZero() && j.Due.After(st.Now) {
			j.Due = st.Now
			st.touch(j)
		}
	}
}

// releaseBuilds removes one hold. Builds without another hold end immediately, and the
// builds that wait for them end as soon as they begin.
func (st *state) releaseBuilds(hold *BuildMatch) {
	before := len(st.control.buildHolds)
	st.control.buildHolds = slices.DeleteFunc(st.control.buildHolds, func(m *BuildMatch) bool { return m == hold })
	if len(st.control.buildHolds) == before {
		return
	}
	for _, run := range st.Builds {
		if !hold.matches(run) {
			continue
		}
		st.touch(run)
		run.Hurried = true
		if !run.Due.IsZero() && run.Due.After(st.Now) {
			run.Due = st.Now
		}
	}
}

// HoldJobs keeps current and future matching jobs in progress until release is called.
// Then they end immediately. A job that waits for its checkout keeps waiting for it.
func (s *Service) HoldJobs(m JobMatch) (release func()) {
	hold := &m
	s.store.do(func(st *state) { st.control.jobHolds = append(st.control.jobHolds, hold) })
	return func() { s.store.do(func(st *state) { st.releaseJobs(hold) }) }
}

// FailJobs makes matching jobs fail when they end: the next ones, as many as times says,
// or all if times is negative. Nothing of a failed job is applied. A failed creation
// leaves the instance failed.
//
// With a data plane, FailJobs does not affect a job whose real work has begun: it ends as
// its work does, because otherwise the record would contradict what runs. To make the job
// fail, call FailJobs before the request.
//
// The returned function cancels the failures that are left.
func (s *Service) FailJobs(m JobMatch, times int, code, detail string) (remove func()) {
	failure := &jobFailure{m, times, code, detail}
	s.store.do(func(st *state) { st.control.jobFails = append(st.control.jobFails, failure) })
	return func() { s.store.do(func(*state) { failure.left = 0 }) }
}

// HoldBuilds is HoldJobs for builds.
func (s *Service) HoldBuilds(m BuildMatch) (release func()) {
	hold := &m
	s.store.do(func(st *state) { st.control.buildHolds = append(st.control.buildHolds, hold) })
	return func() { s.store.do(func(st *state) { st.releaseBuilds(hold) }) }
}

// FailBuilds makes matching builds fail with a log when they end: the next ones, as many
// as times says, or all if times is negative. The returned function cancels the failures
// that are left.
func (s *Service) FailBuilds(m BuildMatch, times int, log string) (remove func()) {
	failure := &buildFailure{m, times, log}
	s.store.do(func(st *state) { st.control.buildFails = append(st.control.buildFails, failure) })
	return func() { s.store.do(func(*state) { failure.left = 0 }) }
}

// FailStarts makes deployments and restarts of matching apps fail: the next ones, as many
// as times says, or all if times is negative. The app fails immediately, whereas a real
// one has a minute to answer. With a data plane FailStarts has no effect, because the app
// itself decides. The returned function cancels the failures that are left.
func (s *Service) FailStarts(m AppMatch, times int, why AppFailure) (remove func()) {
	failure := &startFailure{m, times, why}
	s.store.do(func(st *state) { st.control.startFails = append(st.control.startFails, failure) })
	return func() { s.store.do(func(*state) { failure.left = 0 }) }
}
