package acceptance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// A provider whose key is not known yet cannot read the objects that it imports, and must
// not lose anything that it does not know.

// unknownKey configures the provider with a key that another resource creates.
func unknownKey(fake *fakeservicetest.Server) string {
	return fmt.Sprintf("resource \"terraform_data\" \"key\" {\n input = %q\n}\nprovider \"hosting\" {\n base_url = %q\n api_key = terraform_data.key.output\n}\n",
		fakeservicetest.APIKey, fake.BaseURL)
}

func TestImportUnderAKeyThatIsNotKnownYet(t *testing.T) {
	fake := seededApps(t)
	fake.AddApp("i-one", fakeservice.App{Name: "guestbook", Repo: "octo/guestbook", Branch: "main", Port: 3000, HealthPath: "/healthz"})
	w := newWorkspace(t, fake, unknownKey(fake)+`
resource "hosting_instance" "test" {
  name    = "one"
  plan    = "medium"
  region  = "eu-central"
  engines = { postgres = {}, apps = {}, auth = {} }
}
import {
  to = hosting_instance.test
  id = "i-one"
}
`+oneApp("")+`
import {
  to = hosting_app.test
  id = "i-one/guestbook"
}
`)
	w.fails("The provider is not configured yet", "-target")
	must(t, len(fake.Requests()) == 0, "requests: got %d, want none", len(fake.Requests()))
	must(t, w.saved("hosting_instance", "test") == nil && w.saved("hosting_app", "test") == nil, "something was imported")

	// Follow the advice in the error.
	r := w.run("apply", "-auto-approve", "-no-color", "-target=terraform_data.key")
	must(t, r.exit == 0, "the targeted apply: got exit %d, want 0:\n%s", r.exit, r.output)
	r = w.apply()
	must(t, strings.Contains(r.output, "2 imported, 0 added, 0 changed, 0 destroyed"), "the apply: got\n%s\nwant two imports and nothing else", r.output)
	w.mustBeSettled()
	must(t, len(fake.Jobs()) == 0, "jobs: got %+v, want none", fake.Jobs())
}

// An instance whose creation is the job that the import waits for has never run. If that
// creation fails, the instance is created again, although it was imported.
func TestImportedCreationThatFails(t *testing.T) {
	fake := startFake(t)
	release := fake.HoldJobs(fakeservice.JobMatch{Operation: "create"})
	first := newWorkspace(t, fake, protectedInstance)
	apply := first.start("apply", "-auto-approve", "-no-color")
	apply.until("the creation is polled", func() bool { return fake.Count("GET", "/jobs/*") > 0 })
	apply.signalGroup(9)
	apply.wait()
	id := onlyInstance(t, fake)
	w := newWorkspaceBeside(t, fake, protectedInstance+"import {\n to = hosting_instance.test\n id = \""+id+"\"\n}\n")
	polls := fake.Count("GET", "/jobs/*")
	second := w.start("apply", "-auto-approve", "-no-color")
	second.until("the import waits for the creation", func() bool { return fake.Count("GET", "/jobs/*") > polls+1 })
	fake.FailJobs(fakeservice.JobMatch{Operation: "create"}, 1, "no_capacity", "no machine is free")
	release()
	r := second.wait()
	must(t, r.exit == 1 && strings.Contains(r.output, "No machine is free"), "the second apply: got exit %d, want 1 and the job's error:\n%s", r.exit, r.output)
	w.configure(protectedInstance)
	w.apply()
	w.mustBeSettled()
	must(t, jobsOf(fake, "create") == 2 && len(fake.Instances()) == 1, "got %d creations and %d instances, want 2 and 1", jobsOf(fake, "create"), len(fake.Instances()))
}
