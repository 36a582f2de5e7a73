package core

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"
)

// job is a job with its kind and its internal state.
type job struct {
	Job
	// Sequence orders jobs.
	Sequence int
	// Kind is the kind of the job, with the request.
	Kind storedKind
	// Due is the time at which the job ends by itself. It is zero while the job waits for
	// a checkout.
	Due    time.Time
	Length time.Duration
	// Failure is the reason that the job will fail, if that is known before it ends.
	Failure *Failure
	// Hurried makes the job end as soon as its work allows, despite any hold of a test.
	Hurried bool

	// spec is the kind's jobSpec for the instance. It is empty for a job that had ended
	// before the fake was started.
	spec jobSpec
	// work is the job's real work once it has begun, or nil if the job has none.
	work *workInProgress
}

// jobKind is the work of a job, as data. It is stored with the job, so that a fake that
// is started again can resume the job.
type jobKind interface {
	spec(st *state, in *instance) jobSpec
}

// jobSpec defines what a job does when it begins, works and ends.
type jobSpec struct {
	target string
	// operation and event are those of the kind in jobTable, if they are empty.
	operation, event string
	// waits keeps the job queued until runJob is called.
	waits bool
	// begin, if non-nil, changes the records when the job's work begins.
	begin func()
	// change, if non-nil, applies the job's changes to the desired machine. They are
	// visible to the data plane from the beginning of the work on, and no longer if the
	// job fails.
	change func(*DesiredMachine)
	// work, if non-nil, is the job's real work with a data plane. The job ends when its
	// time has come and its work has returned.
	work work
	// apply, if non-nil, changes the records when the job ends successfully, in one step.
	apply func()
	// undo, if non-nil, reverts the marks that were set when the job was accepted. It is
	// called if the job fails.
	undo func()
	// data, if non-nil, returns the changes for the event, and never a secret.
	data func() map[string]any
}

// specify returns the jobSpec of a kind for an instance.
func (st *state) specify(in *instance, kind jobKind) jobSpec {
	spec, row := kind.spec(st, in), rowOfKind(kindName(kind))
	spec.operation, spec.event = cmp.Or(spec.operation, row.operation), cmp.Or(spec.event, row.event)
	return spec
}

// startJob is the only function that starts jobs. An instance has at most one job in
// progress.
func (st *state) startJob(in *instance, kind jobKind) (*job, error) {
	if err := st.checkIdle(in); err != nil {
		return nil, err
	}
	spec := st.specify(in, kind)
	j := &job{
		Job: Job{
			ID: newID("job"), InstanceID: in.ID, Operation: spec.operation, Target: spec.target,
			Status: StatusQueued, CreatedAt: st.Now,
		},
		Sequence: st.next(),
		Kind:     storedKind{kind},
		Length:   st.Durations.Jobs[spec.operation],
		spec:     spec,
	}
	st.forgetJobs()
	st.Jobs = add(st, st.Jobs, j)
	st.jobsByID[j.ID] = j
	st.activeJobs = append(st.activeJobs, j)
	in.JobID = j.ID
	in.JobCount++
	if !spec.waits {
		st.runJob(j)
	}
	st.log.Info("job accepted", "job", j.ID, "instance", in.ID, "operation", spec.operation, "target", spec.target)
	return j, nil
}

// forgetJobs removes the oldest ended jobs if there are too many.
func (st *state) forgetJobs() {
	left := surplus(len(st.Jobs))
	if left == 0 {
		return
	}
	st.Jobs = remove(st, st.Jobs, func(j *job) bool {
		gone := left > 0 && !j.InProgress()
		if gone {
			left--
			delete(st.jobsByID, j.ID)
		}
		return gone
	})
}

// runJob starts a queued job.
func (st *state) runJob(j *job) {
	st.touch(j)
	j.Status = StatusRunning
	j.StartedAt = st.Now
	j.Due = st.Now.Add(j.Length)
	st.beginWork(j)
}

// holds reports whether a test keeps the job in progress.
func (st *state) holds(j *job) bool { return !j.Hurried && st.control.holdsJob(j.Job) }

// endJob ends a job that is due. The job is done, or failed if its work failed or
// FailJobs applies to it.
func (st *state) endJob(j *job) {
	if j.Failure == nil {
		j.Failure = j.workFailure()
	}
	if j.Failure != nil {
		st.failJob(j, j.Failure.Code, j.Failure.Detail)
		return
	}
	// Real work cannot be undone, so FailJobs does not apply to this job.
	if j.work == nil {
		if code, detail, fails := st.control.failsJob(j.Job); fails {
			st.failJob(j, code, detail)
			return
		}
	}
	st.closeJob(j, StatusDone)
	j.Progress = 100
	if j.spec.apply != nil {
		j.spec.apply()
	}
	if j.spec.event != "" {
		data := map[string]any{"job_id": j.ID}
		if j.spec.data != nil {
			maps.Copy(data, j.spec.data())
		}
		st.emit(j.spec.event, j.InstanceID, data)
	}
	if in := st.find(j.InstanceID); in != nil && len(in.Findings) > 0 {
		st.verify(in) // the job may have repaired what failed
	}
}

// failJob ends a job as failed, without applying any of its changes.
func (st *state) failJob(j *job, code, detail string) {
	j.Progress = j.progress(st.Now)
	j.ErrorCode, j.ErrorDetail = code, detail
	st.closeJob(j, StatusFailed)
	if j.spec.undo != nil {
		j.spec.undo()
	}
	st.emit("job_failed", j.InstanceID, map[string]any{
		"job_id": j.ID, "operation": j.Operation, "target": textOrNull(j.Target), "code": code,
	})
}

// giveUpJob fails a job because of an internal error in the fake. It does not call undo,
// which may be the cause.
func (st *state) giveUpJob(j *job) {
	j.ErrorCode, j.ErrorDetail = string(Internal), mistake
	st.closeJob(j, StatusFailed)
}

// abandon cancels the job's work. Work that has returned is not affected.
func (j *job) abandon() {
	if j.work != nil {
		j.work.cancel()
	}
}

// closeJob ends a job, so that the instance accepts the next one.
func (st *state) closeJob(j *job, status string) {
	st.touch(j)
	j.abandon()
	j.Status = status
	j.FinishedAt = st.Now
	st.activeJobs = slices.DeleteFunc(st.activeJobs, func(other *job) bool { return other == j })
	if in := st.find(j.InstanceID); in != nil && in.JobID == j.ID {
		in.JobID, in.change = "", nil
	}
	st.log.Info("job ended", "job", j.ID, "instance", j.InstanceID, "operation", j.Operation, "status", status)
}

// progress is computed from the clock. Only an ended job can be at 100.
func (j *job) progress(now time.Time) int {
	switch {
	case !j.InProgress():
		return j.Progress
	case j.Status == StatusQueued || j.Length <= 0:
		return 0
	}
	return min(99, int(100*now.Sub(j.StartedAt)/j.Length))
}

// snapshot returns a copy of the job with its current progress.
func (st *state) snapshot(j *job) Job {
	copied := j.Job
	copied.Progress = j.progress(st.Now)
	return copied
}

// findJob returns a job, or nil. The caller may change it.
func (st *state) findJob(id string) *job {
	j := st.jobsByID[id]
	if j != nil {
		st.touch(j)
	}
	return j
}

// Job returns a job as the API shows it.
func (s *Service) Job(ctx context.Context, id string) (JobRecord, error) {
	return look(ctx, s, func(st *state) (JobRecord, error) {
		j := st.findJob(id)
		if j == nil {
			return JobRecord{}, notFound("there is no job %q", id)
		}
		return JobRecordOf(st.snapshot(j)), nil
	})
}

// JobRecord is a job as the API shows it.
type JobRecord struct {
	ID         string     `json:"id"`
	InstanceID string     `json:"instance_id"`
	Operation  string     `json:"operation"`
	Target     *string    `json:"target"`
	Status     string     `json:"status"`
	Progress   int        `json:"progress"`
	Error      *JobError  `json:"error"`
	CreatedAt  time.Time  `json:"created_at"`
	FinishedAt *time.Time `json:"finished_at"`
}

// JobError is the reason that a job failed.
type JobError struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// JobRecordOf returns a job as the API shows it.
func JobRecordOf(j Job) (record JobRecord) {
	show(&record, &j)
	if j.Status == StatusFailed {
		record.Error = &JobError{j.ErrorCode, j.ErrorDetail}
	}
	return record
}

// textOrNull returns a text for the data of an event, or nil if it is empty.
func textOrNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// textOrNil and timeOrNil return nil for an absent value, as records represent it.
func textOrNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
