package hostingtest

import "github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"

type (
	// Job is one operation on an instance.
	Job = fakeservice.Job
	// JobMatch picks jobs. An empty field matches anything.
	JobMatch = fakeservice.JobMatch
	// BuildMatch picks builds of apps. An empty field matches anything.
	BuildMatch = fakeservice.BuildMatch
	// AppMatch picks apps. An empty field matches anything.
	AppMatch = fakeservice.AppMatch
	// AppFailure is why an app that was deployed does not run.
	AppFailure = fakeservice.AppFailure
)

// Jobs are all jobs so far, in order of creation.
func (s *Service) Jobs() []Job { return s.fake.Jobs() }

// HoldJobs keeps matching jobs in progress, present and future ones, until release is
// called; then they end at once.
func (s *Service) HoldJobs(m JobMatch) (release func()) { return s.fake.HoldJobs(m) }

// FinishJob ends a job now, whether it is held or waits for a checkout.
func (s *Service) FinishJob(id string) error { return s.fake.FinishJob(id) }

// FailJobs makes the next matching jobs to end fail, as many as times says or all of them
// when it is negative. Nothing of a failed job is done. The function that it returns lets
// those that are left end well.
func (s *Service) FailJobs(m JobMatch, times int, code, detail string) (remove func()) {
	return s.fake.FailJobs(m, times, code, detail)
}

// HoldBuilds is HoldJobs for builds.
func (s *Service) HoldBuilds(m BuildMatch) (release func()) { return s.fake.HoldBuilds(m) }

// FailBuilds makes the next matching builds fail with a log, as FailJobs does jobs.
func (s *Service) FailBuilds(m BuildMatch, times int, log string) (remove func()) {
	return s.fake.FailBuilds(m, times, log)
}

// FailApps makes matching apps fail when they are deployed or restarted next, as
// FailJobs does jobs.
func (s *Service) FailApps(m AppMatch, times int, why AppFailure) (remove func()) {
	return s.fake.FailStarts(m, times, why)
}
