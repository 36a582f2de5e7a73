package dataplane_test

import (
	"net/http"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
)

// These tests cover the time between the end of a job's work and the end of the job, when
// its records have not changed yet. Builds may end in that time.

// during starts a job, waits until its work is done, calls between, and lets the job end.
func (b *box) during(operation, method, path string, body any, between func()) {
	b.t.Helper()
	release := b.HoldJobs(fakeservice.JobMatch{Operation: operation})
	job := b.begun(method, path, body)
	machine.Until(b.t, "the work of the job is done", func() bool { return b.WorkReturned(job) })
	between()
	release()
	machine.Until(b.t, "the job is done", func() bool {
		for _, j := range b.Jobs() {
			if j.ID == job {
				return j.Status == fakeservice.StatusDone
			}
		}
		return false
	})
}

// rebuilding returns a box whose app web runs and is being built again until release is
// called.
func rebuilding(t *testing.T) (b *box, release func()) {
	t.Helper()
	b = start(t, withRepositories(t)).fullBox()
	b.mustRun(b.importApp("octo/app", object{}))
	release = b.HoldBuilds(fakeservice.BuildMatch{})
	b.done("POST", b.path+"/apps/web/actions/redeploy", object{})
	return b, release
}

// begun sends a mutation and returns the id of its job.
func (b *box) begun(method, path string, body any) string {
	b.t.Helper()
	status, answer := b.call(method, path, body)
	if status != http.StatusAccepted {
		b.t.Fatalf("%s %s: got %d %v, want 202", method, path, status, answer)
	}
	return answer["job_id"].(string)
}

// A build that ends during a rotation is deployed with the new password.
func TestBuildThatEndsDuringARotation(t *testing.T) {
	tier.Night.Only(t)
	t.Parallel()
	b, release := rebuilding(t)
	b.during("rotate", "POST", b.path+"/actions/rotate", object{}, func() {
		// The connection record has the passwords that work now.
		conn := b.owner()
		b.exec(conn, "SELECT 1")
		release()
		b.mustRun(b.settled("web"))
	})
	a := b.mustRun(b.settled("web"))
	b.inside(variable(t, a.URL, "DATABASE_URL"))
}

// An app that is deployed during an update has the new settings.
func TestBuildThatEndsDuringAChange(t *testing.T) {
	tier.Night.Only(t)
	t.Parallel()
	b, release := rebuilding(t)
	b.during("app_update", "PATCH", b.path+"/apps/web", object{"public": false}, func() {
		release()
		machine.Until(t, "the build is deployed", func() bool {
			a, _ := b.App(b.id, "web")
			return !a.Builds[0].InProgress() && a.Status == fakeservice.StatusRunning
		})
	})
	if a := b.settled("web"); a.URL != "" {
		t.Errorf("the URL of an app that is not public: got %s, want none", a.URL)
	}
}

// After failed work the machine is as its record says, so that later deployments work.
func TestBuildAfterAFailedRotation(t *testing.T) {
	tier.Night.Only(t)
	t.Parallel()
	b := start(t, withRepositories(t)).fullBox()
	b.mustRun(b.importApp("octo/app", object{}))
	b.FailJobs(fakeservice.JobMatch{Operation: "rotate"}, 1, "trouble", "no")
	if job := b.job("POST", b.path+"/actions/rotate", object{}); job.Status != fakeservice.StatusFailed {
		t.Fatalf("the job: got %v, want status %s", job, fakeservice.StatusFailed)
	}
	b.done("POST", b.path+"/apps/web/actions/redeploy", object{})
	a := b.mustRun(b.settled("web"))
	b.inside(variable(t, a.URL, "DATABASE_URL"))
	b.exec(b.owner(), "SELECT 1")
}
