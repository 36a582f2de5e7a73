package acceptance

import (
	"strings"
	"syscall"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

func TestPaidPlanResumesAfterItsCheckout(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, `
resource "hosting_instance" "test" {
  name    = "paid"
  plan    = "small"
  region  = "eu-central"
  engines = { postgres = {}, redis = {} }
  deletion_protection = false
}`)
	first := w.apply()
	checkout := fake.Instances()[0].CheckoutURL
	if checkout == "" || !strings.Contains(first.output, checkout) || !strings.Contains(first.output, "Warning: Instance paid waits for its checkout") {
		t.Fatalf("the output of the apply: got\n%s\nwant a warning with the checkout's address %q", first.output, checkout)
	}
	w.mustBeKept("hosting_instance", "test")

	if r := w.run("apply", "-auto-approve", "-no-color"); r.exit != 1 || !strings.Contains(r.output, checkout) {
		t.Fatalf("an apply before the checkout: got exit %d, want 1 and the checkout's address:\n%s", r.exit, r.output)
	}
	id := onlyInstance(t, fake)
	if err := fake.PayCheckout(id); err != nil {
		t.Fatal(err)
	}
	w.apply()
	w.mustBeSettled()
	object := w.mustBeKept("hosting_instance", "test")
	if object.Attributes["id"] != id || object.Attributes["status"] != "running" || object.Attributes["checkout_url"] != nil {
		t.Errorf("the instance in the state: got %v, want %s running without a checkout", object.Attributes, id)
	}
	if n := fake.Count("POST", "/instances"); n != 1 {
		t.Errorf("creations: got %d, want 1", n)
	}
}

// interruptions are the ways to ask an apply to stop.
var interruptions = map[string]func(*started){
	"Ctrl-C":               func(s *started) { s.signal(syscall.SIGINT) },
	"SIGTERM to the group": func(s *started) { s.signalGroup(syscall.SIGTERM) },
}

func TestInterruptedCreationResumes(t *testing.T) {
	t.Parallel()
	for name, interrupt := range interruptions {
		t.Run(name, func(t *testing.T) {
			fake := startFake(t)
			w := newWorkspace(t, fake, instanceHCL(`engines = { postgres = {}, redis = {} }`))
			release := fake.HoldJobs(fakeservice.JobMatch{Operation: "create"})
			apply := w.start("apply", "-auto-approve", "-no-color")
			apply.until("the creation's job is polled", func() bool { return fake.Count("GET", "/jobs/*") > 0 })
			interrupt(apply)
			r := apply.wait()
			if r.exit == 0 {
				t.Fatalf("an interrupted apply: got exit 0, want another:\n%s", r.output)
			}
			job := fake.Jobs()[0].ID
			if !strings.Contains(r.output, job) || !strings.Contains(r.output, ": interrupted.") || strings.Contains(r.output, "context canceled") {
				t.Errorf("the warning: got\n%s\nwant job %s and the interruption in it", r.output, job)
			}
			w.mustBeKept("hosting_instance", "test")

			next := w.start("apply", "-auto-approve", "-no-color")
			polls := fake.Count("GET", "/jobs/"+job)
			next.until("the same job is polled again", func() bool { return fake.Count("GET", "/jobs/"+job) > polls })
			release()
			if r := next.wait(); r.exit != 0 {
				t.Fatalf("the next apply: got exit %d, want 0:\n%s", r.exit, r.output)
			}
			w.mustBeSettled()
			if n := fake.Count("POST", "/instances"); n != 1 {
				t.Errorf("creations: got %d, want 1", n)
			}
			if object := w.mustBeKept("hosting_instance", "test"); object.Attributes["status"] != "running" {
				t.Errorf("the instance: got status %v, want running", object.Attributes["status"])
			}
		})
	}
}

// mustBeOnce checks that one instance and one app were requested, once each.
func mustBeOnce(t *testing.T, fake *fakeservicetest.Server) {
	t.Helper()
	if n := fake.Count("POST", "/instances"); n != 1 {
		t.Errorf("creations of instances: got %d, want 1", n)
	}
	if n := fake.Count("POST", "/instances/*/apps/import"); n != 1 {
		t.Errorf("imports of apps: got %d, want 1", n)
	}
}
