package fakeservice_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// stubPlane is a data plane whose work does nothing by default.
type stubPlane struct {
	fakeservice.DataPlane // the methods that no test here calls
	control               fakeservice.ControlPlane

	// apply, if non-nil, is called by Apply.
	apply func(ctx context.Context, m fakeservice.DesiredMachine) error

	mu      sync.Mutex
	applied []fakeservice.DesiredMachine
	calls   []string
	failing []fakeservice.Finding
}

// fail sets the findings of later verifications.
func (p *stubPlane) fail(found ...fakeservice.Finding) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failing = found
}

func (p *stubPlane) Verify(context.Context, string) ([]fakeservice.Finding, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failing, nil
}

func (p *stubPlane) Restart(context.Context, string, string) error { return nil }

func (p *stubPlane) note(call string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, call)
}

func (p *stubPlane) called() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.calls...)
}

func (p *stubPlane) Apply(ctx context.Context, instanceID string) error {
	m, err := p.control.DesiredMachine(instanceID)
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.applied = append(p.applied, m)
	p.calls = append(p.calls, "apply")
	p.mu.Unlock()
	if p.apply == nil {
		return nil
	}
	return p.apply(ctx, m)
}

func (p *stubPlane) Attach(c fakeservice.ControlPlane) {
	p.control = c
	p.note("attach")
}
func (p *stubPlane) Close() error                           { p.note("close"); return nil }
func (p *stubPlane) Remove(context.Context, string) error   { p.note("remove"); return nil }
func (p *stubPlane) Resume(context.Context, []string) error { return nil }
func (p *stubPlane) Endpoints(string) fakeservice.Endpoints {
	return fakeservice.Endpoints{Host: "127.64.0.1", PostgresDirectPort: 15432}
}

func (p *stubPlane) Backup(context.Context, string, string) (int64, error) {
	p.note("backup")
	return 42, nil
}

func (p *stubPlane) DropBackup(context.Context, string, string) error {
	p.note("drop backup")
	return nil
}

func (p *stubPlane) Restore(context.Context, string, string) error {
	return errors.New("the disk is full")
}

func startWith(t *testing.T, plane *stubPlane) *api {
	t.Helper()
	return start(t, func(o *fakeservice.Options) { o.DataPlane = plane })
}

// status returns the status of a job.
func (a *api) status(job string) string {
	a.t.Helper()
	return a.call("GET", "/jobs/"+job, nil).string("status")
}

// A job ends when its time has come and its work has returned, whichever is later.
func TestJobsWaitForTheirWork(t *testing.T) {
	t.Parallel()
	begun, finish := make(chan struct{}), make(chan struct{})
	plane := &stubPlane{}
	a := startWith(t, plane)
	id := a.running()
	plane.apply = func(context.Context, fakeservice.DesiredMachine) error {
		close(begun)
		<-finish
		return nil
	}
	path := "/instances/" + id
	job := a.accepted("PUT", path+"/allowlist", object{"allowlist": []string{"192.0.2.1"}}).string("job_id")
	<-begun
	equal(t, "before its time", a.status(job), "running")
	ended := make(chan struct{})
	go func() {
		a.Advance(time.Hour)
		close(ended)
	}()
	machine.Until(t, "the job's time is over", func() bool { return a.call("GET", "/jobs/"+job, nil).body["progress"] == 99.0 })
	equal(t, "after its time, with work to do", a.status(job), "running")
	a.want(409, "job_running", "PATCH", path, object{"name": "n"})
	close(finish)
	<-ended // Advance waits for everything that it makes due
	equal(t, "after its work", a.status(job), "done")
	equal(t, "allowlist", a.call("GET", path+"/allowlist", nil).body["allowlist"], any([]any{"192.0.2.1"}))

	// Work that returns early waits for the job's time.
	plane.apply = nil
	job = a.accepted("PUT", path+"/allowlist", object{"allowlist": []string{}}).string("job_id")
	// The calls are attach and three others.
	machine.Until(t, "the work is done", func() bool { return len(plane.called()) >= 4 })
	equal(t, "work done early", a.status(job), "running")
	a.Advance(20 * time.Second)
	equal(t, "at its time", a.status(job), "done")
}

func TestFailedWorkFailsTheJob(t *testing.T) {
	t.Parallel()
	plane := &stubPlane{}
	a := startWith(t, plane)
	id := a.running("postgres")
	plane.apply = func(_ context.Context, m fakeservice.DesiredMachine) error {
		if len(m.Allowlist) > 0 {
			return &fakeservice.Failure{Code: "no_route", Detail: "There is no route."}
		}
		return nil
	}
	path := "/instances/" + id
	job := a.done("PUT", path+"/allowlist", object{"allowlist": []string{"192.0.2.1"}}).string("job_id")
	failure := a.call("GET", "/jobs/"+job, nil).body["error"]
	equal(t, "error", failure, any(object{"code": "no_route", "detail": "There is no route."}))
	equal(t, "allowlist", a.call("GET", path+"/allowlist", nil).body["allowlist"], any([]any{}))
	// The machine is as its record says again.
	last := plane.applied[len(plane.applied)-1]
	equal(t, "calls", plane.called(), []string{"attach", "apply", "apply", "apply"})
	equal(t, "allowlist of the machine", len(last.Allowlist), 0)
	events := a.Events()
	equal(t, "event", events[len(events)-1].Type, "job_failed")

	// Any other error is reported too, and the undo snapshot of failed work stays.
	backup := newBackup(a, id)
	job = a.done("POST", path+"/actions/restore", object{"confirm": id, "backup_id": backup}).string("job_id")
	failure = a.call("GET", "/jobs/"+job, nil).body["error"]
	equal(t, "error", failure, any(object{"code": "internal", "detail": "the disk is full"}))
	equal(t, "last calls", plane.called()[4:], []string{"backup"})
	in, _ := a.Instance(id)
	equal(t, "newest backup", in.Backups[0].Kind, "undo")
}

// The work of a job that a test makes fail does not begin, so nothing of it is real.
func TestJobsMadeToFailDoNoWork(t *testing.T) {
	t.Parallel()
	plane := &stubPlane{}
	a := startWith(t, plane)
	id := a.running()
	before := len(plane.called())
	a.FailJobs(fakeservice.JobMatch{Operation: "rotate"}, 1, "c", "d")
	job := a.done("POST", "/instances/"+id+"/actions/rotate", object{}).string("job_id")
	equal(t, "status", a.status(job), "failed")
	equal(t, "calls", len(plane.called()), before)
	job = a.done("POST", "/instances/"+id+"/actions/rotate", object{}).string("job_id")
	equal(t, "the next one", a.status(job), "done")
	equal(t, "calls", len(plane.called()), before+1)
}

// FailJobs has no effect on a job whose work has begun, but on the next one. So passwords
// that were changed for real are in the record.
func TestJobsAtWorkAreNotMadeToFail(t *testing.T) {
	t.Parallel()
	plane := &stubPlane{}
	a := startWith(t, plane)
	id := a.running("postgres")
	owner := func() string {
		return a.call("GET", "/instances/"+id+"/connection", nil).body["engines"].(object)["postgres"].(object)["owner_url"].(string)
	}
	begun := make(chan struct{})
	plane.apply = func(context.Context, fakeservice.DesiredMachine) error {
		close(begun)
		return nil
	}
	before := owner()
	job := a.accepted("POST", "/instances/"+id+"/actions/rotate", object{}).string("job_id")
	<-begun
	a.FailJobs(fakeservice.JobMatch{Operation: "rotate"}, 1, "c", "d")
	must.Do(t, a.FinishJob(job))
	equal(t, "the one at work", a.status(job), "done")
	if owner() == before {
		t.Error("the password of the record after the rotation: got the old one, want a new one")
	}
	job = a.done("POST", "/instances/"+id+"/actions/rotate", object{}).string("job_id")
	equal(t, "the next one", a.status(job), "failed")
}

// The work of a held job runs, and the job ends when it is released or finished.
func TestHeldJobsWork(t *testing.T) {
	t.Parallel()
	plane := &stubPlane{}
	a := startWith(t, plane)
	id := a.running()
	release := a.HoldJobs(fakeservice.JobMatch{})
	job := a.accepted("POST", "/instances/"+id+"/actions/rotate", object{}).string("job_id")
	a.Advance(time.Hour)
	equal(t, "held", a.status(job), "running")
	must.Do(t, a.FinishJob(job))
	equal(t, "finished", a.status(job), "done")
	release()
}

// After a failed creation, nothing of the machine is left.
func TestCreationWhoseWorkFails(t *testing.T) {
	t.Parallel()
	plane := &stubPlane{apply: func(context.Context, fakeservice.DesiredMachine) error { return errors.New("no room") }}
	a := startWith(t, plane)
	made := a.done("POST", "/instances", object{"name": "a", "plan": "free", "region": "us-east"})
	equal(t, "status", a.call("GET", "/instances/"+made.string("id"), nil).string("status"), "failed")
	equal(t, "calls", plane.called(), []string{"attach", "apply", "remove"})
	added := a.AddInstance(fakeservice.Instance{})
	equal(t, "status of one that was added", added.Status, fakeservice.StatusFailed)
}

// Close cancels work and waits for it. It closes the data plane last.
func TestCloseStopsWork(t *testing.T) {
	t.Parallel()
	plane := &stubPlane{}
	a := startWith(t, plane)
	id := a.running()
	begun := make(chan struct{})
	plane.apply = func(ctx context.Context, _ fakeservice.DesiredMachine) error {
		close(begun)
		<-ctx.Done()
		plane.note("stopped")
		return ctx.Err()
	}
	a.accepted("PUT", "/instances/"+id+"/allowlist", object{"allowlist": []string{"192.0.2.1"}})
	<-begun
	must.Do(t, a.Close())
	calls := plane.called()
	equal(t, "the end", calls[len(calls)-2:], []string{"stopped", "close"})
	// A later request cannot be written down, and its work does not begin.
	a.want(500, "", "POST", "/instances", object{"name": "a", "plan": "free", "region": "us-east", "engines": object{}, "tags": []string{}})
	equal(t, "calls", len(plane.called()), len(calls))
}

// If an instance is removed during a job, its machine is removed once the work has
// stopped.
func TestRemovalStopsWork(t *testing.T) {
	t.Parallel()
	plane := &stubPlane{}
	a := startWith(t, plane)
	id := a.running()
	begun := make(chan struct{})
	plane.apply = func(ctx context.Context, _ fakeservice.DesiredMachine) error {
		close(begun)
		<-ctx.Done()
		return ctx.Err()
	}
	job := a.accepted("PUT", "/instances/"+id+"/allowlist", object{"allowlist": []string{"192.0.2.1"}}).string("job_id")
	<-begun
	a.RemoveInstance(id)
	equal(t, "job", a.status(job), "failed")
	calls := plane.called()
	equal(t, "last call", calls[len(calls)-1], "remove")
}

// Daily backups are made by the data plane, may run during jobs, and the oldest are
// deleted.
func TestDailyBackupsAreReal(t *testing.T) {
	t.Parallel()
	plane := &stubPlane{}
	a := startWith(t, plane)
	made := a.done("POST", "/instances", object{"name": "a", "plan": "free", "region": "us-east"})
	for range 9 {
		a.Advance(24 * time.Hour)
	}
	record, _ := a.Instance(made.string("id"))
	equal(t, "backups", len(record.Backups), 7)
	equal(t, "size", record.Backups[0].SizeBytes, int64(42))
	for i, b := range record.Backups[1:] {
		if newer := record.Backups[i]; newer.CreatedAt.Sub(b.CreatedAt) != 24*time.Hour {
			t.Errorf("the times of two backups: got %s and %s, want a day between them", newer.CreatedAt, b.CreatedAt)
		}
	}
	dropped := 0
	for _, call := range plane.called() {
		if call == "drop backup" {
			dropped++
		}
	}
	equal(t, "dropped", dropped, 3)
}

// If days pass faster than a backup is made, only one backup is made for all of them.
func TestBackupsThatAreOverdueAreOne(t *testing.T) {
	t.Parallel()
	plane := &stubPlane{}
	a := startWith(t, plane)
	a.done("POST", "/instances", object{"name": "a", "plan": "free", "region": "us-east"})
	before := len(plane.called())
	a.Advance(60 * 24 * time.Hour)
	calls := plane.called()[before:]
	equal(t, "calls for sixty days at once", calls, []string{"backup"})
	a.Advance(24 * time.Hour)
	equal(t, "calls for one more", plane.called()[before+1:], []string{"backup"})
}
