package hostingtest

// JobMatch selects jobs. An empty field matches anything.
type JobMatch struct{ InstanceID, Operation, Target string }

// BuildMatch selects builds of apps. An empty field matches anything.
type BuildMatch struct{ InstanceID, App string }

// AppMatch selects apps. An empty field matches anything.
type AppMatch struct{ InstanceID, App string }

// Jobs returns all jobs, in order of creation.
func (s *Service) Jobs() []Job { return s.fake.Jobs() }

// HoldJobs keeps present and future jobs that match in progress, until release is called.
// They then end immediately. HoldJobs panics if the operation does not exist.
func (s *Service) HoldJobs(m JobMatch) (release func()) {
	must(m.internal().Check())
	return s.fake.HoldJobs(m.internal())
}

// FinishJob ends a job now, also if it is held or waits for a checkout.
func (s *Service) FinishJob(id string) error { return s.fake.FinishJob(id) }

// FailJobs fails the next jobs that match: as many as times, or all if times is negative.
// A failed job changes nothing. remove ends the effect. FailJobs panics if the operation
// does not exist.
func (s *Service) FailJobs(m JobMatch, times int, code, detail string) (remove func()) {
	must(m.internal().Check())
	return s.fake.FailJobs(m.internal(), times, code, detail)
}

// HoldBuilds is like HoldJobs for builds.
func (s *Service) HoldBuilds(m BuildMatch) (release func()) { return s.fake.HoldBuilds(m.internal()) }

// FailBuilds is like FailJobs for builds, which fail with a log.
func (s *Service) FailBuilds(m BuildMatch, times int, log string) (remove func()) {
	return s.fake.FailBuilds(m.internal(), times, log)
}

// FailApps is like FailJobs for apps, which fail when they are deployed or restarted.
func (s *Service) FailApps(m AppMatch, times int, why AppFailure) (remove func()) {
	return s.fake.FailStarts(m.internal(), times, why)
}
