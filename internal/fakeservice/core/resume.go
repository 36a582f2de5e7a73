package core

// resume goes on with what was in progress when the program that kept the records
// ended. Nothing of it has to have been done, and all of it may have been: whatever
// begins again can be done twice.
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

// makeMissing makes the machines of instances that were records alone until now.
func (s *Service) makeMissing() {
	for _, in := range s.Instances() {
		if in.Status == StatusRunning && s.plane.Endpoints(in.ID).Host == "" {
			s.machineAdded(in.ID, s.plane.Apply(s.store.life, in.ID))
		}
	}
}

// specifyJobs gives jobs in progress, of which only the kind is written down, what that
// means.
func (st *state) specifyJobs() {
	for _, j := range st.activeJobs {
		in := st.find(j.InstanceID)
		j.spec = j.Kind.spec(st, in)
		if j.Status == StatusRunning {
			in.change = j.spec.change
		}
	}
}

// resumeWork begins again what was at work.
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
			in.Status = StatusFailed // it was being added for real, behind the client's back
			st.touch(in)
		}
		for _, a := range in.Apps {
			// One that runs by now has been deployed.
			if a.Deployed && a.Status == StatusBuilding && st.plane != nil {
				st.deployForReal(in, a, a.lastBuilt())
			}
		}
	}
}

// lastBuilt is the id of the newest build that succeeded.
func (a *app) lastBuilt() string {
	for _, b := range a.Builds {
		if b.Status == StatusSuccessful {
			return b.ID
		}
	}
	return ""
}
