package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// Operations that jobs carry out (SERVICE.md#jobs).
const (
	OpCreate         = "create"
	OpUpdate         = "update"
	OpDelete         = "delete"
	OpEngines        = "engines"
	OpAllowlist      = "allowlist"
	OpConsole        = "console"
	OpAuthSettings   = "auth_settings"
	OpRotate         = "rotate"
	OpResize         = "resize"
	OpReset          = "reset"
	OpRestore        = "restore"
	OpDatabaseCreate = "database_create"
	OpDatabaseDrop   = "database_drop"
	OpExtensionSet   = "extension_set"
	OpExtensionDrop  = "extension_drop"
	OpAppImport      = "app_import"
	OpAppUpdate      = "app_update"
	OpAppDelete      = "app_delete"
	OpAppRedeploy    = "app_redeploy"
	OpAppRestart     = "app_restart"
	OpEngineRestart  = "engine_restart"
)

// A Job is a queued change of an instance (SERVICE.md#jobs).
type Job struct {
	ID         string        `json:"id"`
	InstanceID string        `json:"instance_id"`
	Operation  string        `json:"operation"`
	Target     string        `json:"target"`   // the path under the instance, or ""
	Status     Word          `json:"status"`   // queued, running, done, failed; an unknown word counts as in progress
	Progress   Informal[int] `json:"progress"` // 0 to 100
	Error      JobFault      `json:"error"`
	CreatedAt  Time          `json:"created_at"`
	FinishedAt Time          `json:"finished_at"`
}

// Identifier returns the job's id.
func (j Job) Identifier() string { return j.ID }

// A JobFault is the reason why a job failed. It is empty if the service gave none.
type JobFault struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// Done reports whether the job succeeded.
func (j Job) Done() bool { return j.Status == "done" }

// Failed reports whether the job failed.
func (j Job) Failed() bool { return j.Status.failed() }

// name returns the job's id, operation and target for messages.
func (j Job) name() string {
	switch {
	case j.ID == "":
		return "for " + j.Operation
	case j.Operation == "":
		return j.ID
	case j.Target == "":
		return fmt.Sprintf("%s (%s)", j.ID, j.Operation)
	}
	return fmt.Sprintf("%s (%s of %s)", j.ID, j.Operation, j.Target)
}

// reason returns the service's reason why the job failed, or "".
func (j Job) reason() string {
	if j.Error.Code == "" {
		return j.Error.Detail
	}
	return fmt.Sprintf("%s (%s)", j.Error.Detail, j.Error.Code)
}

// Pending is the work that a mutation started. The zero value means that the pending work
// is unknown; NothingPending is a different value.
type Pending struct {
	JobID   string
	BuildID string // of a mutation that queues a build, else ""

	nothing  bool // see NothingPending
	deletion bool // the instance is being deleted by a job that is not named
}

// NothingPending is the result of a mutation that is already in effect.
func NothingPending() Pending { return Pending{nothing: true} }

// Job reads a job.
func (c *Client) Job(ctx context.Context, id string) (Job, error) {
	return c.job(ctx, id, false)
}

func (c *Client) job(ctx context.Context, id string, poll bool) (Job, error) {
	job, err := getRecord[Job](ctx, c, transport.Request{Path: []string{"jobs", id}, Poll: poll}, id)
	job.Error.Detail = c.secrets.Hide(job.Error.Detail)
	return job, err
}

// missingJobGrace is the time that a job may be missing, because reads that lag do not
// show it yet.
const missingJobGrace = time.Minute

// WaitJob waits until the record of a job shows that it is done. The error is a *JobError
// if the job failed, a *MissingJobError if the service does not know the job, and an
// *InterruptedError if the context ended. operation is the job's, "" if unknown.
// progress, if non-nil, is called with each state of the job.
//
// The job of a deletion may disappear together with its instance. It then counts as done
// once the instance is confirmed gone.
func (c *Client) WaitJob(ctx context.Context, instanceID string, p Pending, operation string, progress func(Job)) error {
	return c.watchJob(ctx, instanceID, p, operation, func(_ context.Context, job Job) error {
		if progress != nil {
			progress(job)
		}
		return nil
	})
}

// watchJob is like WaitJob, but calls watch with each state of the job in progress. An
// error from watch counts as a failed poll.
func (c *Client) watchJob(ctx context.Context, instanceID string, p Pending, operation string, watch func(context.Context, Job) error) error {
	switch {
	case p.nothing:
		return nil
	case p.deletion:
		return c.waitGone(ctx, instanceID)
	case p.JobID == "":
		return &NoProofError{InstanceID: instanceID, Operation: operation}
	}
	defer c.reads.changed(instanceID)
	last := Job{ID: p.JobID, InstanceID: instanceID, Operation: operation, Status: "queued"}
	defer c.reads.jobs.drop(p.JobID)
	polled := c.reads.sequence.now()
	tell := c.progressOf(Progress{InstanceID: instanceID, JobID: p.JobID, Operation: operation})
	var missingSince time.Time
	err := c.wait(ctx, FirstPoll, func(ctx context.Context) (observation, error) {
		asked := time.Now()
		job, err := c.reads.jobs.get(ctx, p.JobID, since(polled), func(ctx context.Context) (Job, error) { return c.job(ctx, p.JobID, true) })
		polled = c.reads.sequence.now()
		if errors.Is(err, ErrNotFound) {
			if missingSince.IsZero() {
				missingSince = time.Now()
			}
			return c.missingJob(ctx, last, asked.Sub(missingSince))
		}
		if err != nil {
			return observation{}, err
		}
		missingSince = time.Time{}
		if job.InstanceID == "" {
			job.InstanceID = instanceID
		}
		if job.Operation == "" {
			job.Operation = operation
		}
		last = job
		tell(ctx, job.Status, job.Progress.Value, func(p *Progress) { p.Target, p.Operation, p.Done = job.Target, job.Operation, job.Done() })
		if job.Failed() {
			return observation{}, permanent(&JobError{Job: job})
		}
		return observation{done: job.Done(), progress: job.Progress.Value}, watch(ctx, job)
	})
	if err == nil && !last.Done() {
		// The job is missing, and the instance's record shows that it is over.
		tell(ctx, last.Status, last.Progress.Value, func(p *Progress) { p.Target, p.Operation, p.Done = last.Target, last.Operation, true })
	}
	what := "job " + last.name()
	if last.Status != "" {
		what += fmt.Sprintf(", %s at %d %%", last.Status, last.Progress.Value)
	}
	return interrupted(ctx, err, what, p.JobID)
}

// interrupted returns an *InterruptedError for a wait that the context ended, and err
// otherwise.
func interrupted(ctx context.Context, err error, what, jobID string) error {
	if err != nil && lifetime.Ended(ctx) && errors.Is(err, ctx.Err()) {
		return &InterruptedError{What: what, JobID: jobID, Err: lifetime.CauseOf(ctx)}
	}
	return err
}

// missingJob decides about a job that the service does not know yet or no longer knows.
// missing is the time between the first and the last read of the job that did not find
// it; slow answers to other requests in between do not count. A missing job proves
// nothing. For a creation or a deletion, the instance's record shows the end: the
// instance runs, or is gone.
func (c *Client) missingJob(ctx context.Context, job Job, missing time.Duration) (observation, error) {
	switch job.Operation {
	case OpDelete:
		gone, err := c.instanceGone(ctx, job.InstanceID)
		if gone || err != nil {
			return observation{done: gone}, err
		}
	case OpCreate:
		instance, err := c.pollInstance(ctx, job.InstanceID)
		if err == nil && instance.Status == StatusRunning {
			return observation{done: true}, nil
		}
	}
	if missing >= missingJobGrace {
		return observation{}, permanent(&MissingJobError{InstanceID: job.InstanceID, JobID: job.ID})
	}
	return observation{}, nil
}

// waitGone waits until an instance that is being deleted is confirmed gone. If it
// has another status for missingJobGrace, waitGone returns a *NoProofError.
func (c *Client) waitGone(ctx context.Context, id string) error {
	defer c.reads.changed(id)
	var notDeletingSince time.Time
	err := c.wait(ctx, FirstPoll, func(ctx context.Context) (observation, error) {
		instance, err := c.pollInstance(ctx, id)
		switch {
		case errors.Is(err, ErrNotFound):
			gone, err := c.instanceGone(ctx, id)
			return observation{done: gone}, err
		case err != nil:
			return observation{}, err
		case instance.Status == StatusDeleting:
			notDeletingSince = time.Time{}
		case notDeletingSince.IsZero():
			notDeletingSince = time.Now()
		case time.Since(notDeletingSince) >= missingJobGrace:
			return observation{}, permanent(&NoProofError{InstanceID: id, Operation: OpDelete})
		}
		return observation{}, nil
	})
	return interrupted(ctx, err, "the deletion of instance "+id, "")
}

// UnmarshalJSON reads the reason of a failed job: an object with code and detail, or a
// string with the detail. Anything else is dropped, because it is only informative.
func (f *JobFault) UnmarshalJSON(raw []byte) error {
	*f = JobFault{}
	if json.Unmarshal(raw, &f.Detail) == nil {
		return nil
	}
	var fields struct{ Code, Detail Informal[string] }
	if json.Unmarshal(raw, &fields) == nil {
		*f = JobFault{Code: fields.Code.Value, Detail: fields.Detail.Value}
	}
	return nil
}

// UnmarshalJSON reads the job's id from job_id, from job.id or from a string job, or
// takes the answer itself for the job's record. If it finds no job, it leaves a Pending
// whose work is unknown.
func (p *Pending) UnmarshalJSON(raw []byte) error {
	var fields struct {
		ID        string           `json:"id"`
		Operation Informal[string] `json:"operation"`
		Progress  json.RawMessage  `json:"progress"`
		JobID     string           `json:"job_id"`
		Job       json.RawMessage  `json:"job"`
		BuildID   identifier       `json:"build_id"`
	}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return err
	}
	*p = Pending{JobID: fields.JobID, BuildID: string(fields.BuildID)}
	var job struct {
		ID string `json:"id"`
	}
	switch {
	case p.JobID != "":
	case len(fields.Job) > 0 && json.Unmarshal(fields.Job, &p.JobID) == nil:
	case len(fields.Job) > 0:
		if err := json.Unmarshal(fields.Job, &job); err != nil {
			return fmt.Errorf("job: %w", err)
		}
		p.JobID = job.ID
	case fields.Operation.Value != "" || fields.Progress != nil:
		p.JobID = fields.ID
	}
	return nil
}

// A NoProofError reports a change that the service accepted without naming its job or
// build, and that its records do not show.
type NoProofError struct {
	InstanceID string
	Operation  string // the operation in the job's record
	Target     string // the target in the job's record, or ""
}

func (e *NoProofError) Error() string {
	what := e.Operation
	if e.Target != "" {
		what += " of " + e.Target
	}
	return fmt.Sprintf("the service accepted %s on instance %s, but named neither a job nor a build for it, and its records do not show the change", what, e.InstanceID)
}

// A MissingJobError reports a job that the service does not know, or no longer knows. Its
// outcome is unknown.
type MissingJobError struct {
	InstanceID string
	JobID      string
}

func (e *MissingJobError) Error() string {
	return fmt.Sprintf("the service does not know job %s of instance %s, so what became of it is unknown", e.JobID, e.InstanceID)
}

// A JobError reports a failed job.
type JobError struct{ Job Job }

func (e *JobError) Error() string {
	failed := fmt.Sprintf("job %s failed at %d %%", e.Job.name(), e.Job.Progress.Value)
	if reason := e.Job.reason(); reason != "" {
		return reason + ": " + failed
	}
	return failed + ", and the service gave no reason"
}

// An InterruptedError reports that cancellation or a deadline ended a wait while the job
// or build was still in progress.
type InterruptedError struct {
	What  string // "job j-1 (create), running at 40 %"
	JobID string // "" if it waited for a build
	Err   error  // why the context ended: a *TimeoutError or ErrInterrupted
}

func (e *InterruptedError) Error() string {
	return fmt.Sprintf("stopped waiting for %s: %s", e.What, e.Err)
}

func (e *InterruptedError) Unwrap() error { return e.Err }
