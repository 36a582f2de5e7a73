package core

// resume restarts the work that was in progress when the previous program ended. That
// work may be undone, partly done or complete, so any work must be safe to repeat.
func (s *Service) resume() {
	if s.plane != nil {
		var ids []string
		for _, in := range s.Instances() {
			ids = append(ids, in.ID)
		}
		if err := s.plane.Resume(s.store.life, ids); err != nil {
			s.log.Error("not every machine runs again", "error", err)
		}
		s.makeMissing()
	}
	s.store.do((*state).resumeWork)
}

// makeMissing makes the machines of instances that were only records until now.
func (s *Service) makeMissing() {
	for _, in := range s.Instances() {
		if in.Status == StatusRunning && s.plane.Endpoints(in.ID).Host == "" {
			s.machineAdded(in.ID, s.plane.Apply(s.store.life, in.ID))
		}
	}
}

// specifyJobs sets the jobSpec of each job in progress from its kind, because only the
// kind is stored.
func (st *state) specifyJobs() {
	for _, j := range st.activeJobs {
		in := st.find(j.InstanceID)
		j.spec = st.specify(in, j.Kind.jobKind)
		if j.Status == StatusRunning {
			in.change = j.spec.change
		}
	}
}

// resumeWork restarts the work that was in progress.
func (st *state) resumeWork() {
	st.resuming = false
	for _, j := range st.activeJobs {
		if j.Status == StatusRunning && j.Failure == nil {
			st.beginWork(j)
		}
	}
	for _, run := range st.Builds {
		if a, _ := st.build(run); a != nil && !run.Due.IsZero() && st.plane != nil {
			st.buildForReal(run, a)
		}
	}
	for _, in := range st.Instances {
		if in.Status == StatusCreating && in.JobID == "" {
			in.Status = StatusFailed // AddInstance was making its machine
			st.touch(in)
		}
		for _, a := range in.Apps {
			// An app that runs by now has been deployed.
			if a.Deployed && a.Status == StatusBuilding && st.plane != nil {
				st.deployForReal(in, a, a.lastBuilt())
			}
		}
	}
}

// lastBuilt returns the id of the newest successful build, or "".
func (a *app) lastBuilt() string {
	for _, b := range a.Builds {
		if b.Status == StatusSuccessful {
			return b.ID
		}
	}
	return ""
}
