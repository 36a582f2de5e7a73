package acceptance

import (
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// conflicts counts the requests that the fake answered with 409.
func conflicts(fake *fakeservicetest.Server) int {
	n := 0
	for _, request := range fake.Requests() {
		if request.Status == http.StatusConflict {
			n++
		}
	}
	return n
}

func TestTenChildrenOfOneInstanceMeetNoConflict(t *testing.T) {
	fake := startFake(t)
	fake.EditCatalog(func(c *fakeservice.Catalog) {
		for i := range c.Plans {
			c.Plans[i].MemoryMB *= 4
		}
	})
	run(t, resource.TestStep{
		Config: config(fake, `%s
resource "hosting_app" "many" {
  count               = 7
  instance_id         = hosting_instance.test.id
  name                = "app-${count.index}"
  repo                = "octo/app"
  links               = ["auth"]
  deletion_protection = false
}

resource "hosting_allowlist" "test" {
  instance_id = hosting_instance.test.id
  cidrs       = ["203.0.113.0/24"]
}

resource "hosting_console_mode" "test" {
  instance_id = hosting_instance.test.id
  mode        = "ro"
}

resource "hosting_auth_settings" "test" {
  instance_id = hosting_instance.test.id
  site_url    = "https://app.example"
}
`, strings.Replace(appsInstance, "640", "3584", 1)),
		ConfigPlanChecks: emptyPlan,
	})
	if n := conflicts(fake); n != 0 {
		t.Errorf("requests that were answered 409: got %d, want 0", n)
	}
	if n := jobsOf(fake, "app_import"); n != 7 {
		t.Errorf("imports of apps: got %d, want 7", n)
	}
}

func TestForeignJobIsWaitedFor(t *testing.T) {
	fake := startFake(t)
	var foreign string
	run(t,
		resource.TestStep{Config: config(fake, "%s", appsInstance)},
		resource.TestStep{
			PreConfig: func() {
				release := fake.HoldJobs(fakeservice.JobMatch{Operation: "rotate"})
				job, err := fake.StartJob(onlyInstance(t, fake), "rotate", "")
				if err != nil {
					t.Fatal(err)
				}
				foreign = job.ID
				whenever(t, func() bool { return fake.Count("GET", "/jobs/"+foreign) > 0 }, release)
			},
			Config: config(fake, `%s
resource "hosting_console_mode" "test" {
  instance_id = hosting_instance.test.id
  mode        = "ro"
}`, appsInstance),
			ConfigPlanChecks: emptyPlan,
		},
	)
	if n := conflicts(fake); n != 0 {
		t.Errorf("requests that were answered 409: got %d, want none", n)
	}
	puts := fake.Count("PUT", "/instances/*/sql-console")
	if puts != 2 { // one from the apply, and one from the destroy, which resets the mode
		t.Errorf("PUTs of the console's mode: got %d, want 2", puts)
	}
}
