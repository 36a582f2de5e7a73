package acceptance

import (
	"net/http"
	"syscall"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

const plainRequest = `{"name":"test","plan":"free","region":"eu-central","engines":{"postgres":true,"apps":false,"auth":false},"tags":[]}`

// After a kill, the state is empty. The plan warns of the instance that the killed apply
// created. Until that instance runs, the apply refuses to create a second one.
func TestPlanTellsOfAnOrphan(t *testing.T) {
	fake := startFake(t)
	release := fake.HoldJobs(fakeservice.JobMatch{Operation: "create"})
	behind(t, fake, http.MethodPost, "/instances", plainRequest)
	id := onlyInstance(t, fake)
	block := "import { to = hosting_instance.NAME id = \"" + id + "\" }"
	w := newWorkspace(t, fake, instanceHCL(plainInstance))
	w.says(0, []string{" with the same name is being created", block}, "plan")
	w.says(1, []string{"is already being created", block}, "apply", "-auto-approve")
	must(t, len(fake.Instances()) == 1, "instances: got %d, want 1", len(fake.Instances()))
	release()
	machine.Until(t, "the instance runs", func() bool { return fake.Instances()[0].Status == "running" })
	w.says(0, []string{" has the same name", block}, "plan")
	must(t, fake.Count("POST", "/instances") == 1, "creations: got %d, want 1", fake.Count("POST", "/instances"))

	w.configure("import {\n  to = hosting_instance.test\n  id = \"" + id + "\"\n}\n" + instanceHCL(plainInstance))
	w.apply()
	w.mustBeSettled()
	must(t, len(fake.Instances()) == 1, "instances: got %d, want 1", len(fake.Instances()))
}

// After a kill, several objects may be in no state. A CLI shows one of several warnings with
// the same summary, and the plan names each object.
func TestPlanNamesEachOrphan(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, `
resource "hosting_instance" "each" {
  for_each = toset(["one", "two"])
  name     = each.key
  plan     = "free"
  region   = "eu-central"
  engines  = { postgres = {} }
}
resource "hosting_webhook_endpoint" "each" {
  for_each = toset(["one", "two"])
  url      = "https://hooks.example.com/${each.key}"
}
`)
	var blocks []string
	for _, name := range []string{"one", "two"} {
		i := fake.AddInstance(fakeservice.Instance{Name: name, Plan: "free", Region: "eu-central"})
		e := fake.AddWebhook(fakeservice.Webhook{URL: "https://hooks.example.com/" + name, Enabled: true})
		blocks = append(blocks, "import { to = hosting_instance.NAME id = \""+i.ID+"\" }", "import { to = hosting_webhook_endpoint.NAME id = \""+e.ID+"\" }")
	}
	w.says(0, blocks, "plan")
}

// Two instances with the same name in one configuration are not orphans, whether running
// or still being created. A plan may warn, because it may not have read the whole state
// yet.
func TestSiblingsOfOneNameAreNoOrphans(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, instanceHCL("count = 1\n"+plainInstance))
	w.apply()
	w.configure(instanceHCL("count = 2\n" + plainInstance))
	w.says(0, nil, "plan")
	w.says(0, nil, "plan", "-refresh=false")
	release := fake.HoldJobs(fakeservice.JobMatch{Operation: "create"})
	apply := w.start("apply", "-auto-approve", "-no-color")
	apply.until("the second creation is polled", func() bool { return fake.Count("GET", "/jobs/*") > 2 && len(fake.Instances()) == 2 })
	apply.signal(syscall.SIGINT)
	apply.wait()
	w.configure(instanceHCL("count = 3\n" + plainInstance))
	w.says(0, nil, "plan")
	w.says(0, nil, "plan", "-target=hosting_instance.test[2]")
	release()
	w.apply()
	w.mustBeSettled()
	must(t, len(fake.Instances()) == 3, "instances: got %d, want 3", len(fake.Instances()))
}
