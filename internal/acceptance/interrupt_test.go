package acceptance

import (
	"strings"
	"syscall"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
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

func TestCreationDoneMeanwhileIsCompletedByTheRefresh(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, instanceHCL(`engines = { postgres = {} }`))
	release := fake.HoldJobs(fakeservice.JobMatch{Operation: "create"})
	apply := w.start("apply", "-auto-approve", "-no-color")
	apply.until("the creation's job is polled", func() bool { return fake.Count("GET", "/jobs/*") > 0 })
	apply.signal(syscall.SIGINT)
	apply.wait()
	release()
	machine.Until(t, "the instance runs", func() bool { return fake.Instances()[0].Status == "running" })
	if r := w.apply(); !strings.Contains(r.output, "0 added, 0 changed, 0 destroyed") {
		t.Errorf("the next apply: got\n%s\nwant nothing changed", r.output)
	}
	if object := w.mustBeKept("hosting_instance", "test"); object.Attributes["ca_certificate"] == nil || object.Attributes["status"] != "running" {
		t.Errorf("the instance after the refresh: got %v, want it running with a CA certificate", object.Attributes)
	}
}

func TestInterruptedFirstBuildResumes(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, appHCL("name = \"guestbook\"\nrepo = \"octo/guestbook\"\nlinks = [\"auth\"]"))
	release := fake.HoldBuilds(fakeservice.BuildMatch{})
	apply := w.start("apply", "-auto-approve", "-no-color")
	apply.until("the build is polled", func() bool { return fake.Count("GET", "/instances/*/apps/guestbook/builds") > 0 })
	apply.signal(syscall.SIGINT)
	if r := apply.wait(); r.exit == 0 || !strings.Contains(r.output, "App guestbook is not deployed yet") {
		t.Fatalf("the interrupted apply: got exit %d, want another than 0 and the warning about the deployment:\n%s", r.exit, r.output)
	}
	w.mustBeKept("hosting_app", "test")
	release()
	w.apply()
	w.mustBeSettled()
	mustBeOnce(t, fake)
	if n := len(theApp(t, fake).Builds); n != 1 {
		t.Errorf("builds: got %d, want 1", n)
	}
}

func TestInterruptedImportResumes(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, appHCL("name = \"guestbook\"\nrepo = \"octo/guestbook\"\nlinks = [\"auth\"]"))
	release := fake.HoldJobs(fakeservice.JobMatch{Operation: "app_import"})
	apply := w.start("apply", "-auto-approve", "-no-color")
	apply.until("the import is sent", func() bool { return fake.Count("POST", "/instances/*/apps/import") > 0 })
	apply.signal(syscall.SIGINT)
	apply.wait()
	w.mustBeKept("hosting_app", "test")
	// The service does not show an app before its import has ended.
	jobs := fake.Jobs()
	w.mustResume(fake, jobs[len(jobs)-1].ID, release)
	mustBeOnce(t, fake)
}

// mustResume checks that the next apply waits for the same job, and succeeds once the job
// is released.
func (w *workspace) mustResume(fake *fakeservicetest.Server, job string, release func()) {
	w.t.Helper()
	polls := fake.Count("GET", "/jobs/"+job)
	next := w.start("apply", "-auto-approve", "-no-color")
	machine.Until(w.t, "the same job is polled again", func() bool { return fake.Count("GET", "/jobs/"+job) > polls+1 })
	release()
	if r := next.wait(); r.exit != 0 {
		w.t.Fatalf("the next apply: got exit %d, want 0:\n%s", r.exit, r.output)
	}
	w.mustBeSettled()
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

func TestInterruptedDatabaseResumes(t *testing.T) {
	fake := seededApps(t)
	w := newWorkspace(t, fake, "resource \"hosting_postgres_database\" \"test\" {\n instance_id = \"i-one\"\n name = \"orders\"\n}")
	release := fake.HoldJobs(fakeservice.JobMatch{Operation: "database_create"})
	apply := w.start("apply", "-auto-approve", "-no-color")
	apply.until("the creation's job is polled", func() bool { return fake.Count("GET", "/jobs/*") > 0 })
	apply.signal(syscall.SIGINT)
	if r := apply.wait(); r.exit == 0 || !strings.Contains(r.output, "Database orders is still being created") {
		t.Fatalf("the interrupted apply: got exit %d, want another than 0 and the warning about the database:\n%s", r.exit, r.output)
	}
	w.mustBeKept("hosting_postgres_database", "test")
	job := fake.Jobs()[0].ID
	w.mustResume(fake, job, release)
	if n := fake.Count("POST", "/instances/*/postgres/databases"); n != 1 {
		t.Errorf("creations of databases: got %d, want 1", n)
	}
	if object := w.mustBeKept("hosting_postgres_database", "test"); object.Attributes["created_at"] == nil {
		t.Errorf("the database in the state: got %v, want a created_at", object.Attributes)
	}
}

func TestInterruptedSettingIsSetAgain(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, appsInstance+`
resource "hosting_allowlist" "test" {
  instance_id = hosting_instance.test.id
  cidrs       = ["203.0.113.0/24"]
}`)
	release := fake.HoldJobs(fakeservice.JobMatch{Operation: "allowlist"})
	apply := w.start("apply", "-auto-approve", "-no-color")
	apply.until("the allowlist is put", func() bool { return fake.Count("PUT", "/instances/*/allowlist") > 0 })
	apply.signal(syscall.SIGINT)
	if r := apply.wait(); r.exit == 0 {
		t.Fatalf("the interrupted apply: got exit 0, want another:\n%s", r.output)
	}
	if w.saved("hosting_allowlist", "test") != nil {
		t.Error("the state: got hosting_allowlist.test although it was not seen in effect, want no such resource")
	}
	release()
	w.apply()
	w.mustBeSettled()
	mustHaveList(t, fake)
}

func mustHaveList(t *testing.T, fake *fakeservicetest.Server) {
	t.Helper()
	if list := fake.Instances()[0].Allowlist; len(list) != 1 {
		t.Errorf("the allowlist: got %v, want one range", list)
	}
}
