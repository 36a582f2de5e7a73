package control

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// jobControl is the body of the requests that hold or fail jobs or builds. Each route
// reads the fields that apply to it.
type jobControl struct {
	InstanceID string `json:"instance_id"`
	Operation  string `json:"operation"`
	Target     string `json:"target"`
	App        string `json:"app"`
	Times      int    `json:"times"`
	Code       string `json:"code"`
	Detail     string `json:"detail"`
	Log        string `json:"log"`
}

func (j jobControl) jobs() core.JobMatch {
	return core.JobMatch{InstanceID: j.InstanceID, Operation: j.Operation, Target: j.Target}
}
func (j jobControl) builds() core.BuildMatch {
	return core.BuildMatch{InstanceID: j.InstanceID, App: j.App}
}

func (c *control) holdJobs(r *http.Request) (any, error) {
	var wanted jobControl
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	id, err := c.HoldJobs(wanted.jobs())
	return object{"hold_id": id}, err
}

func (c *control) holdBuilds(r *http.Request) (any, error) {
	var wanted jobControl
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	return object{"hold_id": c.HoldBuilds(wanted.builds())}, nil
}

func (c *control) failJobs(r *http.Request) (any, error) {
	var wanted jobControl
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	times := cmp.Or(wanted.Times, 1)
	err := c.FailJobs(wanted.jobs(), times, cmp.Or(wanted.Code, "injected"), cmp.Or(wanted.Detail, "The job was made to fail."))
	return object{"times": times}, err
}

func (c *control) failBuilds(r *http.Request) (any, error) {
	var wanted jobControl
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	times := cmp.Or(wanted.Times, 1)
	c.Core.FailBuilds(wanted.builds(), times, cmp.Or(wanted.Log, "The build was made to fail."))
	return object{"times": times}, nil
}

// failApps makes apps fail at their next deployment or restart.
func (c *control) failApps(r *http.Request) (any, error) {
	var wanted struct {
		InstanceID string `json:"instance_id"`
		App        string `json:"app"`
		Times      int    `json:"times"`
		Status     int    `json:"status"`
		Exited     bool   `json:"exited"`
		Log        string `json:"log"`
	}
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	times := cmp.Or(wanted.Times, 1)
	c.Core.FailStarts(core.AppMatch{InstanceID: wanted.InstanceID, App: wanted.App}, times, core.AppFailure{Status: wanted.Status, Exited: wanted.Exited, Log: wanted.Log})
	return object{"times": times}, nil
}

func (c *control) finishJob(r *http.Request) (any, error) {
	var wanted struct {
		ID string `json:"id"`
	}
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	return object{"finished": wanted.ID}, c.Core.FinishJob(wanted.ID)
}

func (c *control) startJob(r *http.Request) (any, error) {
	var wanted jobControl
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	if err := core.CheckOperation(wanted.Operation); err != nil {
		return nil, err
	}
	j, err := c.Core.StartJob(wanted.InstanceID, wanted.Operation, wanted.Target)
	return object{"id": j.ID}, err
}

func (c *control) payCheckout(r *http.Request) (any, error) {
	id := r.PathValue("instance")
	return object{"paid": id}, c.Core.PayCheckout(id)
}

func (c *control) removeInstance(r *http.Request) (any, error) {
	id := r.PathValue("instance")
	if !c.Core.RemoveInstance(id) {
		return nil, fmt.Errorf("there is no instance %q", id)
	}
	return object{"removed": id}, nil
}

// advance moves the fake's clock forward. by is a duration such as 90s or 24h.
func (c *control) advance(r *http.Request) (any, error) {
	var wanted struct {
		By string `json:"by"`
	}
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	if err := c.Advance(wanted.By); err != nil {
		return nil, err
	}
	return object{"now": c.Core.Now()}, nil
}

// release releases one hold, or all of them if the request names none.
func (c *control) release(r *http.Request) (any, error) {
	var wanted struct {
		HoldID string `json:"hold_id"`
	}
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	released, err := c.Release(wanted.HoldID)
	return object{"released": released}, err
}

// times has times of a job or a build, in addition to those of its record, by the fake's
// clock and by the real one.
type times struct {
	StartedAt      *time.Time `json:"started_at"`
	RealCreatedAt  *time.Time `json:"real_created_at"`
	RealStartedAt  *time.Time `json:"real_started_at"`
	RealFinishedAt *time.Time `json:"real_finished_at"`
}

func (c *control) times(created, started, finished time.Time) times {
	real := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		at := c.Core.RealTime(t).UTC()
		return &at
	}
	t := times{RealCreatedAt: real(created), RealStartedAt: real(started), RealFinishedAt: real(finished)}
	if !started.IsZero() {
		t.StartedAt = &started
	}
	return t
}

// timedJob and timedBuild are a job and a build with the times of both clocks.
type timedJob struct {
	core.JobRecord
	times
}

type timedBuild struct {
	InstanceID string `json:"instance_id"`
	App        string `json:"app"`
	core.BuildRecord
	times
}

// getJobs lists jobs and builds with the times of both clocks, so that a program can find
// out how long an apply took and why.
func (c *control) getJobs(*http.Request) (any, error) {
	jobs, builds := []timedJob{}, []timedBuild{}
	for _, j := range c.Core.Jobs() {
		jobs = append(jobs, timedJob{core.JobRecordOf(j), c.times(j.CreatedAt, j.StartedAt, j.FinishedAt)})
	}
	for _, in := range c.Core.Instances() {
		for _, a := range c.Core.Apps(in.ID) {
			for _, b := range a.Builds {
				builds = append(builds, timedBuild{in.ID, a.Name, core.BuildRecordOf(b), c.times(b.CreatedAt, b.StartedAt, b.FinishedAt)})
			}
		}
	}
	return object{"speed": c.Core.Speed(), "jobs": jobs, "builds": builds}, nil
}
