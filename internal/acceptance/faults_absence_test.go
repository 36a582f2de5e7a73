package acceptance

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// Faults that make an object look gone, or a job look done.
var absenceFaults = []faultRow{
	{40, "a foreign 404 at a refresh, until it passes", func(t *testing.T) string {
		fake, _ := startRecorded(t)
		w := newWorkspaceBeside(t, fake, "")
		w.write("main.tf", everyType(t, "after"))
		w.apply()
		before := w.read("terraform.tfstate")
		passes := fake.Inject(fakeservice.Fault{Page: http.StatusNotFound, Times: -1})
		r := w.fails("which is not an answer of the service at "+fake.BaseURL, "Check the base URL")
		must(t, !strings.Contains(r.output, "is gone"), "the output: got\n%s\nwant nothing taken for gone", r.output)
		// The refresh does not wait until the fault passes: each object is read once,
		// with the usual retries.
		asked := map[string]int{}
		for _, request := range fake.Requests() {
			if request.Fault {
				asked[request.Path]++
			}
		}
		for path, n := range asked {
			most := 1 + client.DefaultMaxRetries
			if path == "/me" {
				most++ // read for the profile, and for the account notes
			}
			must(t, n <= most, "requests GET %s: got %d, want at most %d", path, n, most)
		}
		must(t, w.read("terraform.tfstate") == before, "the state changed")
		passes()
		w.mustBeSettled()
		must(t, len(fake.Instances()) == 2 && fake.Count("DELETE", "**") == 0, "instances: got %d, want 2 and no deletion", len(fake.Instances()))
		return fmt.Sprintf("1 error that names the base URL, %d resources kept to the byte, then an empty plan", len(managedTypes(t)))
	}},
	{42, "the job of a deletion is missing", func(t *testing.T) string {
		fake := startFake(t)
		w := newWorkspaceBeside(t, fake, instanceHCL(plainInstance))
		w.apply()
		release := fake.HoldJobs(fakeservice.JobMatch{Operation: "delete"})
		fake.Inject(fakeservice.Fault{Method: "GET", Path: "/jobs/*", Times: -1, Status: http.StatusNotFound, Code: "not_found"})
		polls := fake.Count("GET", "/jobs/*")
		destroy := w.start("destroy", "-auto-approve", "-no-color")
		destroy.until("the job is looked for", func() bool { return fake.Count("GET", "/jobs/*") > polls+3 })
		destroy.mustRun()
		released := time.Now()
		release()
		w.mustBeDestroyed(fake, destroy)
		must(t, time.Since(released) > 14*time.Second, "the confirmation of the absence: got it after %s, want it after 14s", time.Since(released))
		return fmt.Sprintf("%d polls found no job; done once the instance was confirmed gone, after %d s", fake.Count("GET", "/jobs/*")-polls, int(time.Since(released).Seconds()))
	}},
	{44, "reads lag by 10 s: a failed job, an apply, a destroy", func(t *testing.T) string {
		fake := startFake(t)
		fake.SetConditions(fakeservice.Conditions{Lag: 10 * time.Second})
		fake.FailJobs(fakeservice.JobMatch{Operation: "allowlist"}, 1, "trouble", "the wall burns")
		w := newWorkspaceBeside(t, keyless(t, fake), instanceHCL(plainInstance)+`
resource "hosting_allowlist" "test" {
  instance_id = hosting_instance.test.id
  cidrs       = ["203.0.113.0/24"]
}
resource "hosting_postgres_database" "test" {
  instance_id         = hosting_allowlist.test.instance_id
  name                = "orders"
  deletion_protection = false
}
resource "hosting_webhook_endpoint" "test" {
  url = "https://hooks.example"
}`)
		r := w.fails("The wall burns (trouble)")
		must(t, strings.Count(r.output, "Error:") == 1, "the apply: got\n%s\nwant only the error of the job", r.output)
		w.mustBeKept("hosting_instance", "test")
		w.apply()
		w.mustBeSettled()
		w.mustBeDestroyed(fake, w.start("destroy", "-auto-approve", "-no-color"))
		for request, want := range map[string]int{"POST /instances": 1, "POST /webhooks": 1, "POST /instances/*/postgres/databases": 1, "DELETE /instances/*": 1} {
			method, path, _ := strings.Cut(request, " ")
			must(t, fake.Count(method, path) == want, "%s: got %d, want %d", request, fake.Count(method, path), want)
		}
		must(t, len(fake.Webhooks()) == 0, "endpoints that are left: got %d, want none", len(fake.Webhooks()))
		return "1 failed job seen, 4 made once and destroyed, plan empty, " + counts(fake, "POST /instances", "DELETE /instances/*")
	}},
}

// mustBeDestroyed waits for a destroy that must leave nothing.
func (w *workspace) mustBeDestroyed(fake *fakeservicetest.Server, destroy *started) {
	w.t.Helper()
	r := destroy.wait()
	must(w.t, r.exit == 0, "the destroy ended with exit %d:\n%s", r.exit, r.output)
	must(w.t, len(fake.Instances()) == 0, "%d instances are left", len(fake.Instances()))
	must(w.t, w.saved("hosting_instance", "test") == nil, "the instance is in the state")
}
