package core

import (
	"context"
	"maps"
	"slices"
	"time"
)

// job is a job with what it does when it ends.
type job struct {
	Job
	// Sequence orders jobs.
	Sequence int
	// Kind is what the job does.
	Kind storedKind
	// Due is when the job ends by itself; zero while it waits for a checkout.
	Due    time.Time
	Length time.Duration
	// Failure is how the job is to fail, where that is known before it ends.
	Failure *Failure
	// Hurried makes the job end as soon as its work allows, whatever holds it.
	Hurried bool

	// spec is what the kind says of the instance; it is empty of a job that has ended
	// before the fake was started.
	spec jobSpec
	// errand is the job's real work, once it has begun; nil where it has none.
	errand *errand
}

// jobKind is what a job does, as data: it is kept with the job, so that a fake that is
// started again goes on with it.
type jobKind interface {
	spec(st *state, in *instance) jobSpec
}

// jobSpec says what a job is and what its end means.
type jobSpec struct {
	operation, target string
	// waits keeps the job queued until someone runs it.
	waits bool
	// begin is what the job does to the records when its work begins.
	begin func()
	// change is what the job makes of the machine. Whoever looks at how the machine
	// is to be sees it from the beginning of the work on, and no more when the job
	// fails.
	change func(*Machine)
	// work is what the job does for real, where there is a data plane. The job
	// ends when its time has come and its work has returned.
	work work
	// apply is what the job does to the records. It happens when the job ends,
	// all at once.
	apply func()
	// undo puts back what was marked when the job was accepted. It happens
	// when the job fails.
	undo func()
	// event is what goes out when the job is done, with data that holds what
	// changed and never a secret.
	event string
	data  func() map[string]any
}

// startJob is the one place that starts jobs. An instance has one job at most.
func (st *state) startJob(in *instance, kind jobKind) (*job, error) {
	if err := st.checkIdle(in); err != nil {
		return nil, err
	}
	spec := kind.spec(st, in)
	j := &job{
		Job: Job{
			ID: newID("job"), InstanceID: in.ID, Operation: spec.operation, Target: spec.target,
			Status: StatusQueued, CreatedAt: st.Now,
		},
		Sequence: st.next(),
		Kind:     storedKind{kind},
		Length:   st.Durations.job(spec.operation),
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

// forgetJobs lets the oldest jobs go that have ended, once there are too many.
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

// runJob lets a queued job begin.
func (st *state) runJob(j *job) {
	st.touch(j)
	j.Status = StatusRunning
	j.StartedAt = st.Now
	j.Due = st.Now.Add(j.Length)
	st.beginWork(j)
}

// holds tells whether a test keeps the job in progress.
func (st *state) holds(j *job) bool { return !j.Hurried && st.control.holdsJob(j.Job) }

// endJob ends a job as its time comes: done, or failed when its work did or a
// test asked for that.
func (st *state) endJob(j *job) {
	if j.Failure == nil {
		j.Failure = j.workFailure()
	}
	if j.Failure != nil {
		st.failJob(j, j.Failure.Code, j.Failure.Detail)
		return
	}
	// What was done for real is not taken back, so the job cannot have failed.
	if j.errand == nil {
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
}

// failJob ends a job with nothing of its work applied.
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

// giveUpJob ends a job whose end is a mistake of the fake's: as failed, and without
// what its failure would undo, which may be the mistake.
func (st *state) giveUpJob(j *job) {
	j.ErrorCode, j.ErrorDetail = string(Internal), mistake
	st.closeJob(j, StatusFailed)
}

// abandon tells the job's work to stop. Work that has returned takes no notice.
func (j *job) abandon() {
	if j.errand != nil {
		j.errand.cancel()
	}
}

// closeJob frees the instance for the next job.
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

// progress is counted from the clock. Only a job that has ended is at 100.
func (j *job) progress(now time.Time) int {
	switch {
	case !j.InProgress():
		return j.Progress
	case j.Status == StatusQueued || j.Length <= 0:
		return 0
	}
	return min(99, int(100*now.Sub(j.StartedAt)/j.Length))
}

// snapshot is a copy of the job as it is now.
func (st *state) snapshot(j *job) Job {
	copied := j.Job
	copied.Progress = j.progress(st.Now)
	return copied
}

// findJob returns a job, or nil. Whoever finds it may change it.
func (st *state) findJob(id string) *job {
	j := st.jobsByID[id]
	if j != nil {
		st.touch(j)
	}
	return j
}

// Job is a job as the API shows it.
func (s *Service) Job(ctx context.Context, id string) (JobRecord, error) {
	return look(ctx, s, func(st *state) (JobRecord, error) {
		j := st.findJob(id)
		if j == nil {
			return JobRecord{}, notFound("there is no job %q", id)
		}
		return st.snapshot(j).Record(), nil
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

// JobError is why a job has failed.
type JobError struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// Record is the job as the API shows it.
func (j Job) Record() JobRecord {
	record := JobRecord{
		ID: j.ID, InstanceID: j.InstanceID, Operation: j.Operation, Target: textOrNil(j.Target),
		Status: j.Status, Progress: j.Progress, CreatedAt: j.CreatedAt, FinishedAt: timeOrNil(j.FinishedAt),
	}
	if j.Status == StatusFailed {
		record.Error = &JobError{j.ErrorCode, j.ErrorDetail}
	}
	return record
}

// textOrNull is a text in the data of an event.
func textOrNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// textOrNil and timeOrNil give the one representation of absence that records have.
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
