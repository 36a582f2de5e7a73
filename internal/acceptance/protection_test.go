package acceptance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

// The tests below check what deletion_protection refuses, and in which step.

// guarded is an instance with one object of each type that has data, all of them
// protected.
const guarded = `
resource "hosting_instance" "test" {
  name    = "test"
  plan    = "free"
  region  = "eu-central"
  engines = { postgres = {}, apps = {}, auth = {} }
  lifecycle {
    %s
  }
}
resource "hosting_app" "test" {
  instance_id = hosting_instance.test.id
  name        = "guestbook"
  repo        = "octo/guestbook"
}
resource "hosting_postgres_database" "test" {
  instance_id = hosting_instance.test.id
  name        = "orders"
}
`

// unruled is guarded without a lifecycle block.
var unruled = strings.Replace(guarded, "  lifecycle {\n    %s\n  }\n", "", 1)

// isRefused checks that a command ends with an error, first without a refresh, then with
// one.
func (w *workspace) isRefused(texts []string, args ...string) {
	w.t.Helper()
	w.says(1, texts, append(args, "-refresh=false")...)
	w.says(1, texts, args...)
}

// A replacement is refused in the plan, before anything that depends on the object is
// destroyed and before a second object is created.
func TestReplacementOfWhatIsProtectedIsRefusedInThePlan(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"destroy first":         fmt.Sprintf(guarded, ""),
		"instance create first": fmt.Sprintf(guarded, "create_before_destroy = true"),
		"all create first":      createsFirst(unruled),
	} {
		t.Run(name, func(t *testing.T) {
			fake := startFake(t)
			w := newWorkspace(t, fake, body)
			w.apply()
			before := len(fake.Requests())
			for address, text := range map[string]string{
				"hosting_instance.test":          "Instance test is protected from deletion",
				"hosting_app.test":               "App guestbook is protected from deletion",
				"hosting_postgres_database.test": "Database orders is protected from deletion",
			} {
				w.isRefused([]string{text}, "plan", "-replace="+address)
				w.isRefused([]string{text}, "apply", "-auto-approve", "-replace="+address)
			}
			for _, request := range fake.Requests()[before:] {
				must(t, request.Method == "GET", "requests: got %s %s, want only GET", request.Method, request.Path)
			}
			w.mustBeSettled()
		})
	}
}

func TestTriggeredReplacementOfWhatIsProtectedIsRefusedInThePlan(t *testing.T) {
	t.Parallel()
	for kind, text := range map[string]string{
		"hosting_instance":          "Instance test is protected from deletion",
		"hosting_app":               "App guestbook is protected from deletion",
		"hosting_postgres_database": "Database orders is protected from deletion",
	} {
		for _, order := range []string{"", "create_before_destroy = true"} {
			t.Run(kind+" "+order, func(t *testing.T) {
				fake := startFake(t)
				body := func(version int) string {
					head := fmt.Sprintf("resource %q \"test\" {\n", kind)
					return fmt.Sprintf("resource \"terraform_data\" \"version\" {\n input = %d\n}\n", version) +
						strings.Replace(unruled, head, head+"  lifecycle {\n    replace_triggered_by = [terraform_data.version]\n    "+order+"\n  }\n", 1)
				}
				w := newWorkspace(t, fake, body(1))
				w.apply()
				before := len(fake.Requests())
				w.configure(body(2))
				w.isRefused([]string{text}, "apply", "-auto-approve")
				for _, request := range fake.Requests()[before:] {
					must(t, request.Method == "GET", "requests: got %s %s, want only GET", request.Method, request.Path)
				}
				w.configure(body(1))
				w.mustBeSettled()
			})
		}
	}
}

// After the protection is lifted, the replacement is possible. Private state contains
// nothing that would still refuse it.
func TestReplacementOnceTheProtectionIsLifted(t *testing.T) {
	fake := seededApps(t)
	body := instanceHCL(plainInstance) + oneApp("deletion_protection = false")
	w := newWorkspace(t, fake, strings.ReplaceAll(body, "deletion_protection = false", ""))
	w.apply()
	w.configure(body)
	w.apply()
	r := w.run("apply", "-auto-approve", "-no-color", "-replace=hosting_instance.test", "-replace=hosting_app.test")
	must(t, r.exit == 0 && strings.Contains(r.output, "2 added, 0 changed, 2 destroyed"), "the apply: got exit %d, want 0 and two replacements:\n%s", r.exit, r.output)
	w.mustBeSettled()
}

func TestAppProtection(t *testing.T) {
	fake := seededApps(t)
	w := newWorkspace(t, fake, oneApp(""))
	w.apply()
	const text = "App guestbook is protected from deletion"
	w.isRefused([]string{text, "Set deletion_protection = false, apply, then destroy."}, "destroy", "-auto-approve")
	for _, change := range []string{"repo = \"octo/other\"", "deletion_protection = false\nrepo = \"octo/other\""} {
		w.configure("resource \"hosting_app\" \"test\" {\n instance_id = \"i-one\"\n name = \"guestbook\"\n" + change + "\n}\n")
		w.isRefused([]string{text}, "apply", "-auto-approve")
	}
	w.configure("")
	w.isRefused([]string{text}, "apply", "-auto-approve")
	w.configure(oneApp(""))
	w.says(0, nil, "taint", "hosting_app.test")
	w.isRefused([]string{text}, "apply", "-auto-approve")
	w.says(0, nil, "untaint", "hosting_app.test")
	w.mustBeSettled()
	must(t, fake.Count("DELETE", "**") == 0, "deletions that were sent: got %d, want none", fake.Count("DELETE", "**"))

	w.configure(oneApp("deletion_protection = false"))
	w.apply()
	must(t, fake.Count("PATCH", "**") == 0, "lifting the protection sent something")
	w.says(0, []string{"The data of an app will be lost", "app guestbook of instance"}, "plan", "-destroy")
	r := w.run("destroy", "-auto-approve", "-no-color")
	must(t, r.exit == 0 && len(fake.Apps("i-one")) == 0, "the destroy: got exit %d, want 0 and no app:\n%s", r.exit, r.output)
}

// An update that fails has nevertheless turned the protection on, because that needs no
// request, but it has not lifted the protection.
func TestProtectionAfterAnUpdateThatFailed(t *testing.T) {
	t.Parallel()
	const bare = "resource \"hosting_instance\" \"test\" {\n name = \"test\"\n region = \"eu-central\"\n engines = { postgres = {} }\n%s\n}\n"
	for name, c := range map[string]struct {
		body, before, after, operation string
	}{
		"instance": {bare, "plan = \"free\"", "plan = \"small\"", "resize"},
		"app":      {strings.Replace(oneApp("X"), "X", "%s", 1), "port = 80", "port = 81", "app_update"},
	} {
		for _, from := range []string{"false", "true"} {
			t.Run(name+" from "+from, func(t *testing.T) {
				fake := seededApps(t)
				to := map[string]string{"false": "true", "true": "false"}[from]
				w := newWorkspace(t, fake, fmt.Sprintf(c.body, c.before+"\ndeletion_protection = "+from))
				w.apply()
				fake.FailJobs(fakeservice.JobMatch{Operation: c.operation}, 1, "trouble", "the machine is on fire")
				w.configure(fmt.Sprintf(c.body, c.after+"\ndeletion_protection = "+to))
				w.says(1, []string{"The machine is on fire"}, "apply", "-auto-approve")
				w.says(1, []string{"is protected from deletion"}, "destroy", "-auto-approve")
				w.apply()
				w.mustBeSettled()
			})
		}
	}
}

func TestAppProtectionAfterAnImport(t *testing.T) {
	fake := appWithVariables(t)
	w := newWorkspace(t, fake, importApp+oneApp(""))
	r := w.apply()
	must(t, strings.Contains(r.output, "1 imported, 0 added, 0 changed, 0 destroyed"), "the apply: got\n%s\nwant one import and nothing else", r.output)
	w.isRefused([]string{"App guestbook is protected from deletion"}, "destroy", "-auto-approve")
}

// An app that was never deployed has no data.
func TestAppThatNeverRanIsNotProtected(t *testing.T) {
	t.Parallel()
	t.Run("its first build fails", func(t *testing.T) {
		fake := seededApps(t)
		fake.FailBuilds(fakeservice.BuildMatch{}, 1, "error: no such file")
		w := newWorkspace(t, fake, oneApp(""))
		w.fails("error: no such file")
		w.apply() // replaced
		w.mustBeSettled()
	})
	t.Run("its first build is not over", func(t *testing.T) {
		fake := seededApps(t)
		release := fake.HoldBuilds(fakeservice.BuildMatch{})
		defer release()
		w := newWorkspace(t, fake, oneApp("timeouts = { create = \""+soonOver+"\" }"))
		w.apply()
		r := w.run("destroy", "-auto-approve", "-no-color")
		must(t, r.exit == 0 && len(fake.Apps("i-one")) == 0, "the destroy: got exit %d, want 0 and no app:\n%s", r.exit, r.output)
	})
	t.Run("it never answers", func(t *testing.T) {
		fake := seededApps(t)
		remove := fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/*/apps/**", Times: -1, Rewrite: func(app map[string]any) {
			if _, ok := app["status"]; ok {
				app["status"] = "failed"
			}
		}})
		w := newWorkspace(t, fake, oneApp(""))
		w.fails("does not run")
		remove()
		fake.EditApp("i-one", "guestbook", func(a *fakeservice.App) { a.Status = "failed" })
		w.apply() // replaced
		w.mustBeSettled()
	})
	t.Run("it ran since its creation was interrupted", func(t *testing.T) {
		fake := seededApps(t)
		release := fake.HoldBuilds(fakeservice.BuildMatch{})
		w := newWorkspace(t, fake, oneApp("timeouts = { create = \""+soonOver+"\" }"))
		w.apply()
		release()
		machine.Until(t, "it runs", func() bool { return theSeededApp(t, fake).Status == "running" })
		w.says(1, []string{"App guestbook is protected from deletion"}, "destroy", "-auto-approve", "-refresh=false")
		fake.EditApp("i-one", "guestbook", func(a *fakeservice.App) { a.Status = "failed" })
		w.says(1, []string{"App guestbook is protected from deletion"}, "destroy", "-auto-approve")
		w.apply() // builds again, in place
		w.mustBeSettled()
		must(t, fake.Count("DELETE", "**") == 0 && theSeededApp(t, fake).Status == "running", "the app: got %s, want it running and not deleted", theSeededApp(t, fake).Status)
	})
}

// Replacing the instance would also delete its app. The plan therefore refuses because of
// the app, although the instance is no longer protected.
func TestInstanceIsNotReplacedUnderAProtectedApp(t *testing.T) {
	fake := startFake(t)
	body := strings.Replace(fmt.Sprintf(guarded, ""), "engines =", "deletion_protection = false\n  engines =", 1)
	w := newWorkspace(t, fake, body)
	w.apply()
	w.isRefused([]string{"App guestbook is protected from deletion"}, "apply", "-auto-approve", "-replace=hosting_instance.test")
	must(t, fake.Count("DELETE", "**") == 0, "deletions that were sent: got %d, want none", fake.Count("DELETE", "**"))
}

// Turning an engine off deletes what is protected, too.
func TestEngineIsNotTurnedOffUnderAProtectedObject(t *testing.T) {
	t.Parallel()
	for engine, object := range map[string]string{"postgres": oneDatabase(""), "apps": oneApp("")} {
		t.Run(engine, func(t *testing.T) {
			fake := startFake(t)
			object := strings.Replace(object, `"i-one"`, "hosting_instance.test.id", 1)
			w := newWorkspace(t, fake, instanceHCL("engines = { postgres = {}, apps = {} }")+object)
			w.apply()
			w.mustBeSettled()
			w.configure(instanceHCL("engines = { "+strings.Trim(strings.Replace("postgres = {}, apps = {}", engine+" = {}", "", 1), ", ")+" }") + object)
			w.isRefused([]string{"The engine " + engine + " is off", "the plan leaves it off"}, "apply", "-auto-approve")
			must(t, jobsOf(fake, "engines") == 0, "jobs: got %+v, want no change of engines", fake.Jobs())
		})
	}
}

// A deletion waits for the creation to end. By then the machine runs and is protected. It
// used to be destroyed as soon as it ran.
func TestDestructionDuringACreationStopsAtAMachineThatRuns(t *testing.T) {
	fake := startFake(t)
	release := fake.HoldJobs(fakeservice.JobMatch{Operation: "create"})
	w := newWorkspace(t, fake, strings.Replace(instanceHCL(plainInstance+"\n  timeouts = { create = \""+soonOver+"\" }"), "deletion_protection = false", "", 1))
	w.apply()
	polls := fake.Count("GET", "/jobs/*")
	destroy := w.start("destroy", "-auto-approve", "-refresh=false", "-no-color")
	destroy.until("the creation is waited for", func() bool { return fake.Count("GET", "/jobs/*") > polls+1 })
	release()
	r := destroy.wait()
	must(t, r.exit == 1 && strings.Contains(r.output, "Instance test is protected from deletion"), "the destroy: got exit %d, want 1 and the protection:\n%s", r.exit, r.output)
	must(t, len(fake.Instances()) == 1 && fake.Count("DELETE", "**") == 0, "got %d instances after %d deletions, want 1 after none", len(fake.Instances()), fake.Count("DELETE", "**"))
}

// A machine whose record says that it is being created, while the service does not know the
// job, has nothing to protect, and no wait could end. One with another status may have run.
func TestMachineWhoseCreationHasNoJob(t *testing.T) {
	t.Parallel()
	for status, row := range map[string]struct{ exit, left int }{"creating": {0, 0}, "active": {1, 1}} {
		t.Run(status, func(t *testing.T) {
			fake := startFake(t)
			release := fake.HoldJobs(fakeservice.JobMatch{Operation: "create"})
			w := newWorkspace(t, fake, strings.Replace(instanceHCL(plainInstance+"\n  timeouts = { create = \""+soonOver+"\" }"), "deletion_protection = false", "", 1))
			w.apply()
			id := onlyInstance(t, fake)
			creation, _ := fake.Instance(id)
			release()
			machine.Until(t, "it runs", func() bool { i, _ := fake.Instance(id); return i.Status == "running" })
			fake.Inject(fakeservice.Fault{Method: "GET", Path: "/jobs/" + creation.JobID, Status: 404, Code: "not_found", Detail: "no such job", Times: -1})
			fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/*", Times: -1, Rewrite: func(m map[string]any) {
				delete(m, "host")
				m["status"] = status
			}})
			w.says(row.exit, nil, "destroy", "-auto-approve")
			must(t, len(fake.Instances()) == row.left, "instances that are left: got %d, want %d", len(fake.Instances()), row.left)
		})
	}
}

// The protection of an app whose last build has failed can be removed, even if the build
// fails again.
func TestProtectionOfAnAppWhoseBuildFails(t *testing.T) {
	fake := seededApps(t)
	w := newWorkspace(t, fake, oneApp(""))
	w.apply()
	fake.FailBuilds(fakeservice.BuildMatch{}, -1, "error: no such file")
	w.configure(oneApp(`env = { A = "1" }`))
	w.fails("error: no such file")
	w.isRefused([]string{"App guestbook is protected from deletion"}, "destroy", "-auto-approve")

	w.configure(oneApp("env = { A = \"1\" }\n deletion_protection = false"))
	w.fails("error: no such file")
	w.says(0, []string{"1 destroyed"}, "destroy", "-auto-approve")
}
