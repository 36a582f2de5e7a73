package acceptance

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// Faults of the number and the rate of requests.
var paceFaults = []faultRow{
	{51, "20 requests per second for an apply of 40 resources", func(t *testing.T) string {
		fake := startFake(t)
		fake.SetConditions(fakeservice.Conditions{RateLimit: fakeservice.RateLimit{PerSecond: 20, Burst: 10}})
		refuseOnce(fake)
		w := newWorkspaceBeside(t, keyless(t, fake), `
resource "hosting_instance" "test" {
  count               = 10
  name                = "test-${count.index}"
  plan                = "free"
  region              = "eu-central"
  engines             = { postgres = {} }
  deletion_protection = false
}
resource "hosting_allowlist" "test" {
  count       = 10
  instance_id = hosting_instance.test[count.index].id
  cidrs       = ["203.0.113.0/24"]
}
resource "hosting_postgres_database" "test" {
  count               = 10
  instance_id         = hosting_instance.test[count.index].id
  name                = "orders"
  deletion_protection = false
}
resource "hosting_webhook_endpoint" "test" {
  count = 10
  url   = "https://hooks.example/${count.index}"
}`)
		r := w.run("apply", "-auto-approve", "-no-color", "-parallelism=40")
		must(t, r.exit == 0 && strings.Contains(r.output, "40 added"), "the apply: got exit %d, want 0 and 40 additions:\n%s", r.exit, r.output)
		refusedApplying := refusals(fake)
		must(t, len(fake.Instances()) == 10 && len(fake.Webhooks()) == 10 && jobsOf(fake, "database_create") == 10 && jobsOf(fake, "allowlist") == 10,
			"got %d instances, %d endpoints, %d databases and %d allowlists, want 10 of each", len(fake.Instances()), len(fake.Webhooks()), jobsOf(fake, "database_create"), jobsOf(fake, "allowlist"))
		w.mustBeSettled()
		w.mustBeDestroyed(fake, w.start("destroy", "-auto-approve", "-no-color", "-parallelism=40"))
		// All requests wait for the time that one refusal asked for.
		must(t, refusedApplying > 0 && refusals(fake)*10 < len(fake.Requests())*3, "refused requests: got %d of %d, want some, and less than 30 %%", refusals(fake), len(fake.Requests()))
		return fmt.Sprintf("40 made and destroyed, 0 lost, %d requests, %d times 429 (%d in the apply)", len(fake.Requests()), refusals(fake), refusedApplying)
	}},
	{52, "four applies share 50 requests per second", func(t *testing.T) string {
		fake := startFake(t)
		fake.SetConditions(fakeservice.Conditions{RateLimit: fakeservice.RateLimit{PerSecond: 50, Burst: 10}})
		refuseOnce(fake)
		before := keyless(t, fake)
		var spaces []*workspace
		var applies []*started
		for n := range 4 {
			w := newWorkspaceBeside(t, before, fmt.Sprintf("resource \"hosting_webhook_endpoint\" \"test\" {\n count = 25\n url = \"https://hooks.example/%d/${count.index}\"\n}", n))
			spaces = append(spaces, w)
			applies = append(applies, w.start("apply", "-auto-approve", "-no-color", "-parallelism=25"))
		}
		for _, apply := range applies {
			r := apply.wait()
			must(t, r.exit == 0, "an apply: got exit %d, want 0:\n%s", r.exit, r.output)
		}
		for _, w := range spaces {
			w.mustBeSettled()
		}
		must(t, len(fake.Webhooks()) == 100 && refusals(fake) > 0, "got %d endpoints and %d times 429, want 100 and some", len(fake.Webhooks()), refusals(fake))
		return fmt.Sprintf("100 made once, 0 errors, %d requests, %d times 429", len(fake.Requests()), refusals(fake))
	}},
}

// refuseOnce refuses one creation, as a busy machine may send too few requests per second
// to reach the limit.
func refuseOnce(fake *fakeservicetest.Server) {
	fake.Inject(fakeservice.Fault{Method: "POST", Path: "/webhooks", Status: http.StatusTooManyRequests, RetryAfter: "1"})
}

// refusals counts the requests that were answered 429.
func refusals(fake *fakeservicetest.Server) int {
	n := 0
	for _, request := range fake.Requests() {
		if request.Status == http.StatusTooManyRequests {
			n++
		}
	}
	return n
}
