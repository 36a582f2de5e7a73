package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Operations that jobs carry out (settled: contract.md, "Job").
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

// usualDuration is how long an operation takes as a rule. It only shapes the
// polling: a wrong one costs a few polls, never a wait.
var usualDuration = map[string]time.Duration{
	OpCreate:         480 * time.Second,
	OpUpdate:         5 * time.Second,
	OpDelete:         30 * time.Second,
	OpEngines:        30 * time.Second,
	OpAllowlist:      20 * time.Second,
	OpConsole:        5 * time.Second,
	OpAuthSettings:   5 * time.Second,
	OpRotate:         20 * time.Second,
	OpResize:         60 * time.Second,
	OpReset:          60 * time.Second,
	OpRestore:        120 * time.Second,
	OpDatabaseCreate: 5 * time.Second,
	OpDatabaseDrop:   5 * time.Second,
	OpExtensionSet:   5 * time.Second,
	OpExtensionDrop:  5 * time.Second,
	OpAppImport:      20 * time.Second,
	OpAppUpdate:      5 * time.Second,
	OpAppDelete:      10 * time.Second,
	OpAppRedeploy:    5 * time.Second,
	OpAppRestart:     10 * time.Second,
	OpEngineRestart:  20 * time.Second,
}

// A Job is a queued change of an instance (service.md, "Job"; its fields are
// settled).
type Job struct {
	ID         string    `json:"id"`
	InstanceID string    `json:"instance_id"`
	Operation  string    `json:"operation"`
	Target     string    `json:"target"`   // the path under the instance, or ""
	Status     string    `json:"status"`   // queued, running, done, failed; another counts as in progress
	Progress   int       `json:"progress"` // 0 to 100
	Error      *JobFault `json:"error"`
	CreatedAt  time.Time `json:"created_at"`
}

// A JobFault says why a job failed.
type JobFault struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// Done tells whether the job ended well.
func (j Job) Done() bool { return j.Status == "done" }

// Failed tells whether the job ended badly.
func (j Job) Failed() bool {
	switch j.Status {
	case "failed", "failure", "error", "cancelled", "canceled":
		return true
	}
	return false
}

// name is the job's id with what it does.
func (j Job) name() string {
	switch {
	case j.Operation == "":
		return j.ID
	case j.Target == "":
		return fmt.Sprintf("%s (%s)", j.ID, j.Operation)
	}
	return fmt.Sprintf("%s (%s of %s)", j.ID, j.Operation, j.Target)
}

func (j Job) reason() string {
	switch {
	case j.Error == nil || j.Error.Code == "" && j.Error.Detail == "":
		return "the service gave no reason"
	case j.Error.Code == "":
		return j.Error.Detail
	}
	return fmt.Sprintf("%s (%s)", j.Error.Detail, j.Error.Code)
}

// Pending is what a mutation set going.
type Pending struct {
	JobID   string // "" when there is nothing to wait for
	BuildID string // of an app's mutation that queues a build, else ""
}

// UnmarshalJSON finds the job at job_id, job.id or a string job (contract.md,
// "What the client reads tolerantly").
func (p *Pending) UnmarshalJSON(raw []byte) error {
	var answer struct {
		JobID   string          `json:"job_id"`
		Job     json.RawMessage `json:"job"`
		BuildID string          `json:"build_id"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return err
	}
	*p = Pending{JobID: answer.JobID, BuildID: answer.BuildID}
	if p.JobID != "" || len(answer.Job) == 0 {
		return nil
	}
	var job struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(answer.Job, &p.JobID) == nil {
		return nil
	}
	if err := json.Unmarshal(answer.Job, &job); err != nil {
		return fmt.Errorf("job: %w", err)
	}
	p.JobID = job.ID
	return nil
}

// Job reads a job.
func (c *Client) Job(ctx context.Context, id string) (Job, error) {
	return get[Job](ctx, c, "jobs", id)
}

// WaitJob waits until a job of an instance is done. A job that failed is a
// *JobError; a wait that the context ends is an *InterruptedError. operation
// shapes the polling and may be "" when it is not known. progress, which may be
// nil, is called with each state seen.
func (c *Client) WaitJob(ctx context.Context, instanceID, id, operation string, progress func(Job)) error {
	if id == "" {
		return nil
	}
	last := Job{ID: id, InstanceID: instanceID, Operation: operation, Status: "queued"}
	err := wait(ctx, usualDuration[operation], func(ctx context.Context) (observation, error) {
		job, err := do[Job](ctx, c, request{method: http.MethodGet, path: []string{"jobs", id}, once: true})
		if errors.Is(err, ErrNotFound) {
			return c.missingJob(ctx, instanceID, id)
		}
		if err != nil {
			return observation{}, err
		}
		last = job
		if job.Failed() {
			return observation{}, permanent(&JobError{Job: c.cleanJob(job)})
		}
		if progress != nil {
			progress(job)
		}
		return observation{done: job.Done(), progress: job.Progress}, nil
	})
	c.reads.changed(instanceID)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return &InterruptedError{What: fmt.Sprintf("job %s, %s at %d %%", last.name(), last.Status, last.Progress), JobID: id, Err: err}
	}
	return err
}

// cleanJob hides secrets in a failed job's words.
func (c *Client) cleanJob(job Job) Job {
	if job.Error != nil {
		job.Error = &JobFault{Code: job.Error.Code, Detail: c.secrets.hide(job.Error.Detail)}
	}
	return job
}

// missingJob decides about a job that the service does not know (any more) by
// the record of its instance, which names the job in progress.
func (c *Client) missingJob(ctx context.Context, instanceID, id string) (observation, error) {
	instance, err := do[Instance](ctx, c, request{method: http.MethodGet, path: []string{"instances", instanceID}, once: true})
	switch {
	case errors.Is(err, ErrNotFound):
		return observation{done: true}, nil // the job was its deletion
	case err != nil:
		return observation{}, err
	case instance.JobID == id, instance.Status == StatusCreating:
		return observation{}, nil
	case instance.Status == StatusFailed:
		return observation{}, permanent(&JobError{Job: Job{ID: id, InstanceID: instanceID, Status: StatusFailed}})
	}
	return observation{done: true}, nil
}
