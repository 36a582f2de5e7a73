package fakeservice_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/operations"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// Only a running instance can be changed. During its creation or deletion it is busy, and
// after a failure it can only be deleted. This does not depend on whether a job is in
// progress or a test has set the status.
func TestOnlyARunningInstanceIsChanged(t *testing.T) {
	t.Parallel()
	a := start(t)
	release := a.HoldJobs(fakeservice.JobMatch{})
	defer release()
	create := func(plan string) string {
		return a.accepted("POST", "/instances", object{"name": "a", "plan": plan, "region": "eu-central", "engines": object{"postgres": true}}).string("id")
	}
	being := func(status string) string {
		id := a.running("postgres", "apps", "auth")
		a.EditInstance(id, func(in *fakeservice.Instance) { in.Status = status })
		return id
	}
	deleted := a.running("postgres")
	a.accepted("DELETE", "/instances/"+deleted+"?confirm="+deleted, nil)
	for what, test := range map[string]struct{ id, code string }{
		"created by a job":         {create("free"), "job_running"},
		"waiting for its checkout": {create("small"), "job_running"},
		"creating without a job":   {being("creating"), "job_running"},
		"deleted by a job":         {deleted, "job_running"},
		"deleting without a job":   {being("deleting"), "job_running"},
		"failed in its creation":   {a.AddInstance(fakeservice.Instance{Status: "failed"}).ID, "not_running"},
		"failed later":             {being("failed"), "not_running"},
	} {
		known := object{"instance_id": test.id, "confirm": test.id, "backup_id": "nothing", "repo": "acme/shop"}
		changes := 0
		for _, o := range operations.All {
			for _, address := range o.REST {
				if o.Effect.Reads || !strings.Contains(address, " /instances/{id}") || address == "DELETE /instances/{id}" {
					continue
				}
				changes++
				method, path, body := fakeservicetest.Request(address, fakeservicetest.Arguments(o, known))
				got := a.call(method, path, body)
				if got.status != http.StatusConflict || got.code() != test.code {
					t.Errorf("%s of an instance that is %s: got %d %s, want 409 %s", address, what, got.status, got.text, test.code)
				}
			}
		}
		if changes < 20 {
			t.Errorf("got %d changes of an instance in the table, want 20 or more", changes)
		}
	}
}

// An instance can be deleted in any state, unless another job is in progress.
func TestInstanceIsDeletedInAnyState(t *testing.T) {
	t.Parallel()
	a := start(t)
	for _, status := range []string{"creating", "running", "deleting", "failed"} {
		id := a.running("postgres")
		a.EditInstance(id, func(in *fakeservice.Instance) { in.Status = status })
		a.done("DELETE", "/instances/"+id+"?confirm="+id, nil)
		a.want(404, "not_found", "GET", "/instances/"+id, nil)
	}
	id := a.running("postgres")
	a.HoldJobs(fakeservice.JobMatch{Operation: "rotate"}) // or a busy machine could ask after its end
	must.Get(a.StartJob(id, "rotate", ""))(t)
	a.want(409, "job_running", "DELETE", "/instances/"+id+"?confirm="+id, nil)
}
