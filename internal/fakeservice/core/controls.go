package core

import "slices"

// JobMatch picks jobs. An empty field matches anything.
type JobMatch struct{ InstanceID, Operation, Target string }

func (m JobMatch) matches(j Job) bool {
	return matches(m.InstanceID, j.InstanceID) && matches(m.Operation, j.Operation) && matches(m.Target, j.Target)
}

// BuildMatch picks builds. An empty field matches anything.
type BuildMatch struct{ InstanceID, App string }

func (m BuildMatch) matches(run *buildRun) bool {
	return matches(m.InstanceID, run.InstanceID) && matches(m.App, run.App)
}

// AppMatch picks apps. An empty field matches anything.
type AppMatch struct{ InstanceID, App string }

func matches(want, have string) bool { return want == "" || want == have }

// controls is what tests have asked of jobs, builds and apps.
type controls struct {
	jobHolds   []*JobMatch
	buildHolds []*BuildMatch
	jobFails   []*jobFailure
	buildFails []*buildFailure
	startFails []*startFailure
}

type jobFailure struct {
	match        JobMatch
	left         int // negative: always
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

// failsJob tells whether a job that begins its work now, or ends without any, is
// to fail, and counts it.
func (c *controls) failsJob(j Job) (code, detail string, fails bool) {
	for _, f := range c.jobFails {
		if f.left != 0 && f.match.matches(j) {
			f.left--
			return f.code, f.detail, true
		}
	}
	return "", "", false
}

// failsBuild tells whether a build that ends now is to fail, and counts it.
func (c *controls) failsBuild(run *buildRun) (log string, fails bool) {
	for _, f := range c.buildFails {
		if f.left != 0 && f.match.matches(run) {
			f.left--
			return f.log, true
		}
	}
	return "", false
}

// failsStart tells whether an app that is deployed or restarted now is to fail,
// and counts it.
func (c *controls) failsStart(instanceID, name string) (why AppFailure, fails bool) {
	for _, f := range c.startFails {
		if f.left != 0 && matches(f.match.InstanceID, instanceID) && matches(f.match.App, name) {
			f.left--
			return f.why, true
		}
	}
	return AppFailure{}, false
}

// releaseJobs takes one hold away. Jobs that nothing else holds end at once.
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

// releaseBuilds takes one hold away. Builds that nothing else holds end at
// once, and those that wait behind them as soon as they begin.
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

// HoldJobs keeps matching jobs in progress, present and future ones, until
// release is called; then they end at once. A job that waits for its checkout
// goes on waiting for it.
func (s *Service) HoldJobs(m JobMatch) (release func()) {
	hold := &m
	s.store.do(func(st *state) { st.control.jobHolds = append(st.control.jobHolds, hold) })
	return func() { s.store.do(func(st *state) { st.releaseJobs(hold) }) }
}

// FailJobs makes the next matching jobs to end fail, as many as times says or
// all of them when it is negative. Nothing of a failed job is applied; a failed
// creation leaves the instance failed.
//
// With a data plane, a job whose real work has begun by now is not among them:
// it ends as its work does, because the record would contradict what runs
// otherwise. Such a job is made to fail before it is asked for.
//
// The function that it returns lets those that are left end well.
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

// FailBuilds makes the next matching builds to end fail with a log, as many as
// times says or all of them when it is negative. The function that it returns lets
// those that are left end well.
func (s *Service) FailBuilds(m BuildMatch, times int, log string) (remove func()) {
	failure := &buildFailure{m, times, log}
	s.store.do(func(st *state) { st.control.buildFails = append(st.control.buildFails, failure) })
	return func() { s.store.do(func(*state) { failure.left = 0 }) }
}

// FailStarts makes matching apps fail when they are deployed or restarted next,
// as many times as times says or each time when it is negative. Each then waits
// for nobody: it is failed at once, where a real one has a minute to answer. With
// a data plane it is the app itself that decides, and FailStarts does nothing.
// The function that it returns lets those that are left run.
func (s *Service) FailStarts(m AppMatch, times int, why AppFailure) (remove func()) {
	failure := &startFailure{m, times, why}
	s.store.do(func(st *state) { st.control.startFails = append(st.control.startFails, failure) })
	return func() { s.store.do(func(*state) { failure.left = 0 }) }
}
