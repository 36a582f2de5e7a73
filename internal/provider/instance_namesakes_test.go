package provider_test

import (
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

const plainRequest = `{"name":"test","plan":"free","region":"eu-central","engines":{"postgres":true,"apps":false,"auth":false},"tags":[]}`

// After a kill nothing is in the state. The plan finds what the killed apply made:
// an error while nobody can know whose it is, a warning afterwards.
func TestPlanTellsOfAnOrphan(t *testing.T) {
	fake := startFake(t)
	release := fake.HoldJobs(fakeservice.JobMatch{Operation: "create"})
	behind(t, fake, http.MethodPost, "/instances", plainRequest)
	id := onlyInstance(t, fake)
	block := "import { to = hosting_instance.NAME id = \"" + id + "\" }"
	w := newWorkspace(t, fake, instanceHCL(plainInstance))
	w.says(1, []string{"An instance with the same name is being created", block}, "plan")
	release()
	machine.Until(t, "the instance runs", func() bool { return fake.Instances()[0].Status == "running" })
	w.says(0, []string{"An instance with the same name exists", block}, "plan")
	must(t, fake.Count("POST", "/instances") == 1, "%d creations", fake.Count("POST", "/instances"))

	w.configure("import {\n  to = hosting_instance.test\n  id = \"" + id + "\"\n}\n" + instanceHCL(plainInstance))
	w.apply()
	w.mustBeSettled()
	must(t, len(fake.Instances()) == 1, "%d instances", len(fake.Instances()))
}

// Instances of one name in one configuration are no orphans of each other, be
// they running or still being created.
func TestSiblingsOfOneNameAreNoOrphans(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, instanceHCL("count = 1\n"+plainInstance))
	w.apply()
	w.configure(instanceHCL("count = 2\n" + plainInstance))
	quiet := func(args ...string) {
		t.Helper()
		r := w.run(append(args, "-no-color")...)
		must(t, r.exit == 0 && !strings.Contains(r.output, "same name"), "exit %d:\n%s", r.exit, r.output)
	}
	quiet("plan")
	quiet("plan", "-refresh=false")
	release := fake.HoldJobs(fakeservice.JobMatch{Operation: "create"})
	apply := w.start("apply", "-auto-approve", "-no-color")
	apply.until("the second creation is polled", func() bool { return fake.Count("GET", "/jobs/*") > 2 && len(fake.Instances()) == 2 })
	apply.signal(syscall.SIGINT)
	apply.wait()
	w.configure(instanceHCL("count = 3\n" + plainInstance))
	quiet("plan")
	release()
	w.apply()
	w.mustBeSettled()
	must(t, len(fake.Instances()) == 3, "%d instances", len(fake.Instances()))
}
