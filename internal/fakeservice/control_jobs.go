package fakeservice

import (
	"cmp"
	"fmt"
	"net/http"
	"time"
)

// jobControl picks jobs or builds and says what is to become of them. Each
// route reads the fields that it knows.
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

func (j jobControl) jobs() JobMatch     { return JobMatch{j.InstanceID, j.Operation, j.Target} }
func (j jobControl) builds() BuildMatch { return BuildMatch{j.InstanceID, j.App} }

func (c *control) holdJobs(r *http.Request) (any, error) {
	var wanted jobControl
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	return c.keep(c.service.HoldJobs(wanted.jobs())), nil
}

func (c *control) holdBuilds(r *http.Request) (any, error) {
	var wanted jobControl
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	return c.keep(c.service.HoldBuilds(wanted.builds())), nil
}

func (c *control) failJobs(r *http.Request) (any, error) {
	var wanted jobControl
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	times := cmp.Or(wanted.Times, 1)
	c.service.FailJobs(wanted.jobs(), times, cmp.Or(wanted.Code, "injected"), cmp.Or(wanted.Detail, "The job was made to fail."))
	return object{"times": times}, nil
}

func (c *control) failBuilds(r *http.Request) (any, error) {
	var wanted jobControl
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	times := cmp.Or(wanted.Times, 1)
	c.service.FailBuilds(wanted.builds(), times, cmp.Or(wanted.Log, "The build was made to fail."))
	return object{"times": times}, nil
}

// failApps makes apps fail when they are deployed or restarted next.
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
	c.service.FailStarts(AppMatch{wanted.InstanceID, wanted.App}, times, AppFailure{wanted.Status, wanted.Exited, wanted.Log})
	return object{"times": times}, nil
}

func (c *control) finishJob(r *http.Request) (any, error) {
	var wanted struct {
		ID string `json:"id"`
	}
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	return object{"finished": wanted.ID}, c.service.FinishJob(wanted.ID)
}

func (c *control) startJob(r *http.Request) (any, error) {
	var wanted jobControl
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	if _, known := defaultDurations().jobs[wanted.Operation]; !known {
		return nil, fmt.Errorf("there is no operation %q", wanted.Operation)
	}
	j, err := c.service.StartJob(wanted.InstanceID, wanted.Operation, wanted.Target)
	return object{"id": j.ID}, err
}

func (c *control) payCheckout(r *http.Request) (any, error) {
	id := r.PathValue("instance")
	return object{"paid": id}, c.service.PayCheckout(id)
}

func (c *control) removeInstance(r *http.Request) (any, error) {
	id := r.PathValue("id")
	if !c.service.RemoveInstance(id) {
		return nil, fmt.Errorf("there is no instance %q", id)
	}
	return object{"removed": id}, nil
}

// advance moves the fake's clock; by is a duration such as 90s or 24h.
func (c *control) advance(r *http.Request) (any, error) {
	var wanted struct {
		By string `json:"by"`
	}
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	by, err := time.ParseDuration(wanted.By)
	if err != nil || by < 0 {
		return nil, fmt.Errorf("by must be a duration such as 90s, not %q", wanted.By)
	}
	c.service.Advance(by)
	return object{"now": c.service.Now()}, nil
}

// getJobs lists jobs and builds with the times of both clocks, from which a
// program can tell how long an apply took and why.
func (c *control) getJobs(*http.Request) (any, error) {
	real := func(t time.Time) any { return timeOrNull(c.service.clock.realTime(t).UTC()) }
	times := func(view object, created, started, finished time.Time) object {
		view["created_at"], view["real_created_at"] = created, real(created)
		view["started_at"], view["real_started_at"] = timeOrNull(started), real(started)
		view["finished_at"], view["real_finished_at"] = timeOrNull(finished), real(finished)
		return view
	}
	jobs, builds := []object{}, []object{}
	for _, j := range c.service.Jobs() {
		view := object(viewJob(j))
		jobs = append(jobs, times(view, j.CreatedAt, j.StartedAt, j.FinishedAt))
	}
	for _, in := range c.service.Instances() {
		for _, a := range c.service.Apps(in.ID) {
			for _, b := range a.Builds {
				view := object{
					"id": b.ID, "instance_id": in.ID, "app": a.Name, "status": b.Status,
					"commit": textOrNull(b.Commit), "error": textOrNull(b.Error),
				}
				builds = append(builds, times(view, b.CreatedAt, b.StartedAt, b.FinishedAt))
			}
		}
	}
	return object{"speed": c.service.clock.speed, "jobs": jobs, "builds": builds}, nil
}
