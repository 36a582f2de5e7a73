package acceptance

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/cliversion"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

// bareInstance returns an instance with the given arguments and no others.
func bareInstance(arguments string) string {
	return "resource \"hosting_instance\" \"test\" {\n " + arguments + "\n}\n"
}

// A costly change that an interrupted apply has requested is not requested again: the next
// apply waits for its job and sees that the change is made.
func TestInterruptedChangesAreNotRepeated(t *testing.T) {
	t.Parallel()
	instance := "name = \"test\"\n region = \"eu-central\"\n deletion_protection = false\n"
	for name, row := range map[string]struct {
		start         func(*testing.T) *fakeservicetest.Server
		before, after string
		operation     string // of the job that is interrupted
		method, path  string
	}{
		"a resize": {
			startFake, bareInstance(instance + "plan = \"free\"\n engines = { postgres = {} }"), bareInstance(instance + "plan = \"large\"\n engines = { postgres = {} }"),
			"resize", "POST", "/instances/*/actions/resize",
		},
		"engines": {
			startFake, bareInstance(instance + "plan = \"free\"\n engines = { postgres = {} }"), bareInstance(instance + "plan = \"free\"\n engines = { postgres = {}, redis = {} }"),
			"engines", "PUT", "/instances/*/engines",
		},
		"an app, built": {
			seededApps, oneApp("env = { A = \"1\" }"), oneApp("env = { A = \"2\" }"), "app_update", "PATCH", "/instances/*/apps/guestbook",
		},
		"an app, triggered": {
			seededApps, oneApp("redeploy_triggers = { v = \"1\" }"), oneApp("redeploy_triggers = { v = \"2\" }"), "app_redeploy", "POST", "/instances/*/apps/guestbook/actions/redeploy",
		},
	} {
		for _, flag := range []string{"-refresh=true", "-refresh=false"} {
			t.Run(name+" "+flag, func(t *testing.T) {
				fake := row.start(t)
				w := newWorkspace(t, fake, row.before)
				w.apply()
				w.configure(row.after)
				release := fake.HoldJobs(fakeservice.JobMatch{Operation: row.operation})
				apply := w.start("apply", "-auto-approve", "-no-color")
				apply.until("the job is polled", func() bool {
					for _, job := range fake.Jobs() {
						if job.Operation == row.operation && fake.Count("GET", "/jobs/"+job.ID) > 0 {
							return true
						}
					}
					return false
				})
				apply.signal(syscall.SIGINT)
				r := apply.wait()
				must(t, r.exit == 1, "the interrupted apply: got exit %d, want 1:\n%s", r.exit, r.output)
				release()
				w.says(0, nil, "apply", "-auto-approve", flag)
				must(t, fake.Count(row.method, row.path) == 1, "requests of the change: got %d, want 1", fake.Count(row.method, row.path))
				w.mustBeSettled()
			})
		}
	}
}

// A redeploy that reaches the service after its apply has ended counts for the triggers
// that requested it, but not for later triggers.
func TestRedeployOfUnknownOutcome(t *testing.T) {
	t.Parallel()
	const redeploy = "/instances/*/apps/guestbook/actions/redeploy"
	for _, row := range []struct {
		triggers, flag string
		asked          int
	}{
		{"2", "-refresh=true", 1}, {"2", "-refresh=false", 1}, {"3", "-refresh=true", 2}, {"3", "-refresh=false", 2},
	} {
		t.Run(row.triggers+" "+row.flag, func(t *testing.T) {
			fake := seededApps(t)
			w := newWorkspace(t, fake, oneApp("redeploy_triggers = { v = \"1\" }"))
			w.apply()
			w.configure(oneApp("redeploy_triggers = { v = \"2\" }"))
			fake.Inject(fakeservice.Fault{Method: "POST", Path: redeploy, Drop: true, Times: 1})
			apply := w.start("apply", "-auto-approve", "-no-color")
			apply.until("the redeploy is sent", func() bool { return fake.Count("POST", redeploy) == 1 })
			apply.signal(syscall.SIGINT)
			r := apply.wait()
			must(t, r.exit == 1, "the interrupted apply: got exit %d, want 1:\n%s", r.exit, r.output)

			status, _ := fake.Send(t, "POST", "/instances/i-one/apps/guestbook/actions/redeploy", map[string]any{})
			must(t, status == http.StatusAccepted, "the late request: got %d, want 202", status)
			machine.Until(t, "it is built", func() bool {
				app := theSeededApp(t, fake)
				return len(app.Builds) == 2 && app.Status == "running" && !slices.ContainsFunc(app.Builds, func(b fakeservice.Build) bool { return b.InProgress() })
			})
			w.configure(oneApp("redeploy_triggers = { v = \"" + row.triggers + "\" }"))
			w.says(0, nil, "apply", "-auto-approve", row.flag)
			builds := len(theSeededApp(t, fake).Builds)
			must(t, builds == 1+row.asked, "builds: got %d, want %d", builds, 1+row.asked)
			w.mustBeSettled()
		})
	}
}

// A change that another user makes between the plan and the apply stays, unless the plan
// changes the same value.
func TestWhatThePlanDoesNotChangeIsLeftAlone(t *testing.T) {
	fake := startFake(t)
	body := func(name string) string {
		return bareInstance("name = \"" + name + "\"\n region = \"eu-central\"\n plan = \"free\"\n engines = { postgres = {} }\n deletion_protection = false")
	}
	w := newWorkspace(t, fake, body("one"))
	w.apply()
	w.configure(body("two"))
	w.says(0, nil, "plan", "-out=saved")
	id := onlyInstance(t, fake)
	fake.EditInstance(id, func(i *fakeservice.Instance) { i.Plan, i.Tags = "medium", []string{"portal"} })
	w.says(0, nil, "apply", "saved")
	i, _ := fake.Instance(id)
	must(t, i.Name == "two" && i.Plan == "medium" && len(i.Tags) == 1, "the instance: got %s on %s with %v, want two on medium with one tag", i.Name, i.Plan, i.Tags)
	must(t, fake.Count("POST", "/instances/*/actions/resize") == 0, "the instance was resized back")
}

// A deletion whose job failed is requested again.
func TestFailedDeletionIsRequestedAgain(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]string{"the status comes back": "running", "the status stays": "deleting"} {
		t.Run(name, func(t *testing.T) {
			fake := startFake(t)
			w := newWorkspace(t, fake, instanceHCL(plainInstance))
			w.apply()
			fake.FailJobs(fakeservice.JobMatch{Operation: "delete"}, 1, "trouble", "the machine is on fire")
			w.says(1, []string{"The machine is on fire"}, "destroy", "-auto-approve")
			fake.EditInstance(onlyInstance(t, fake), func(i *fakeservice.Instance) { i.Status = status })
			w.says(0, nil, "destroy", "-auto-approve")
			must(t, len(fake.Instances()) == 0 && fake.Count("DELETE", "/instances/*") == 2, "got %d instances after %d deletions, want none after 2", len(fake.Instances()), fake.Count("DELETE", "/instances/*"))
		})
	}
}

// A failed machine is destroyed together with the settings on it.
func TestFailedMachineIsDestroyedWithItsSettings(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]*fakeservice.Fault{
		"409": nil, // as the fake answers
		"422": {Method: "**", Path: "/instances/*/**", Times: -1, Status: http.StatusUnprocessableEntity, Code: "validation_failed", Detail: "the machine has failed"},
	} {
		t.Run(name, func(t *testing.T) {
			fake := startFake(t)
			body := bareInstance("name = \"test\"\n plan = \"free\"\n region = \"eu-central\"\n engines = { postgres = {}, apps = {}, auth = {} }\n deletion_protection = false")
			body += settingHCL("hosting_console_mode", "test", "hosting_instance.test.id", "mode = \"ro\"") +
				settingHCL("hosting_auth_settings", "test", "hosting_instance.test.id", "site_url = \"https://a.example\"") +
				settingHCL("hosting_allowlist", "test", "hosting_instance.test.id", "cidrs = [\"203.0.113.0/24\"]\n on_destroy = \"open\"")
			w := newWorkspace(t, fake, body)
			w.apply()
			fake.EditInstance(onlyInstance(t, fake), func(i *fakeservice.Instance) { i.Status = fakeservice.StatusFailed })
			if fault != nil {
				for _, method := range []string{http.MethodPut, http.MethodPatch} {
					refusal := *fault
					refusal.Method = method
					fake.Inject(refusal)
				}
			}
			w.says(0, []string{"was not reset"}, "destroy", "-auto-approve")
			must(t, len(fake.Instances()) == 0 && w.managed() == nil, "got %d instances and the state %v, want neither", len(fake.Instances()), w.managed())
		})
	}
}

// Objects on a failed machine can only be deleted together with it. The error's advice
// removes both.
func TestFailedMachineIsDestroyedWithItsDatabase(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status string
		advice []string
		result string
	}{
		"failed":                 {fakeservice.StatusFailed, []string{"apply", "-target=hosting_instance.test", "-replace=hosting_instance.test"}, "1 added, 0 changed, 1 destroyed"},
		"deleting":               {fakeservice.StatusDeleting, []string{"apply", "-target=hosting_instance.test", "-replace=hosting_instance.test"}, "1 added, 0 changed, 1 destroyed"},
		"failed and destroyed":   {fakeservice.StatusFailed, []string{"destroy", "-target=hosting_instance.test"}, "1 destroyed"},
		"deleting and destroyed": {fakeservice.StatusDeleting, []string{"destroy", "-target=hosting_instance.test"}, "1 destroyed"},
	} {
		t.Run(name, func(t *testing.T) {
			fake := startFake(t)
			instance := bareInstance("name = \"test\"\n plan = \"free\"\n region = \"eu-central\"\n engines = { postgres = {} }\n deletion_protection = false")
			w := newWorkspace(t, fake, instance)
			fake.FailJobs(fakeservice.JobMatch{Operation: "create"}, 1, "no_capacity", "no machine is free")
			w.says(1, []string{"No machine is free"}, "apply", "-auto-approve")
			id := onlyInstance(t, fake)
			fake.EditInstance(id, func(i *fakeservice.Instance) { i.Status = c.status })
			w.configure(instance + "ephemeral \"hosting_connection\" \"db\" {\n  instance_id = \"" + id + "\"\n}\n")
			w.says(1, []string{"Instance " + id + " has never run", "its status is " + c.status, "terraform apply -target=ADDRESS -replace=ADDRESS", "terraform destroy -target=ADDRESS"}, "plan")

			w.says(0, []string{c.result}, append(c.advice, "-auto-approve")...)
			for _, i := range fake.Instances() {
				must(t, i.ID != id, "the instance is still there")
			}
			w.configure(instance + "ephemeral \"hosting_connection\" \"db\" {\n  instance_id = hosting_instance.test.id\n}\n")
			w.apply()
			w.mustBeSettled()
		})
	}
}

// An instance whose creation failed is not protected. If a user has repaired it since, it
// is protected again, and the error's advice works.
func TestRepairedMachineIsProtected(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"-refresh=true", "-refresh=false"} {
		t.Run(flag, func(t *testing.T) {
			fake := startFake(t)
			w := newWorkspace(t, fake, strings.Replace(instanceHCL(plainInstance), "deletion_protection = false", "", 1))
			fake.FailJobs(fakeservice.JobMatch{Operation: "create"}, 1, "trouble", "the region is full")
			w.says(1, []string{"The region is full"}, "apply", "-auto-approve")
			id := onlyInstance(t, fake)
			fake.EditInstance(id, func(i *fakeservice.Instance) { i.Status = fakeservice.StatusRunning })
			w.says(1, []string{"Instance test is protected from deletion", "terraform untaint"}, "apply", "-auto-approve", flag)
			must(t, onlyInstance(t, fake) == id && fake.Count("DELETE", "**") == 0, "the machine is gone")
			w.says(0, nil, "untaint", "hosting_instance.test")
			w.apply()
			w.mustBeSettled()
			must(t, onlyInstance(t, fake) == id, "another machine was made")
			must(t, w.mustBeKept("hosting_instance", "test").Attributes["deletion_protection"] == true, "the instance is not protected in the state")
		})
		t.Run("not repaired "+flag, func(t *testing.T) {
			fake := startFake(t)
			w := newWorkspace(t, fake, strings.Replace(instanceHCL(plainInstance), "deletion_protection = false", "", 1))
			fake.FailJobs(fakeservice.JobMatch{Operation: "create"}, 1, "trouble", "the region is full")
			w.says(1, []string{"The region is full"}, "apply", "-auto-approve")
			w.says(0, []string{"1 added"}, "apply", "-auto-approve", flag)
			w.mustBeSettled()
			must(t, len(fake.Instances()) == 1, "instances: got %d, want 1", len(fake.Instances()))
		})
	}
}

// A machine whose deletion failed accepts no change. The error's advice deletes it
// although it is protected.
func TestMachineWhoseDeletionFailedIsChanged(t *testing.T) {
	fake := startFake(t)
	body := strings.Replace(instanceHCL(plainInstance), "deletion_protection = false", "deletion_protection = true", 1)
	w := newWorkspace(t, fake, body)
	w.apply()
	fake.EditInstance(onlyInstance(t, fake), func(i *fakeservice.Instance) { i.Status = fakeservice.StatusDeleting })
	unprotected := strings.Replace(body, "deletion_protection = true", "deletion_protection = false", 1)
	w.configure(strings.Replace(unprotected, `"free"`, `"medium"`, 1))
	w.says(1, []string{"If there is no job, the deletion of the instance has failed", "undo all other changes"}, "apply", "-auto-approve")
	w.configure(strings.Replace(unprotected, plainInstance, "engines = {}", 1))
	w.says(1, []string{"is protected from losing its postgres data"}, "plan")
	w.configure(unprotected)
	w.says(0, nil, "apply", "-auto-approve")
	w.says(0, nil, "destroy", "-auto-approve")
	must(t, len(fake.Instances()) == 0 && w.managed() == nil, "got %d instances and the state %v, want neither", len(fake.Instances()), w.managed())
}

// A failed deletion in the portal leaves the status `deleting`. The machine is still
// protected here.
func TestMachineWhoseDeletionFailedIsProtected(t *testing.T) {
	fake := startFake(t)
	protected := strings.Replace(instanceHCL(plainInstance), "deletion_protection = false", "", 1)
	w := newWorkspace(t, fake, protected)
	w.apply()
	id := onlyInstance(t, fake)
	fake.EditInstance(id, func(i *fakeservice.Instance) { i.Status = fakeservice.StatusDeleting })
	w.isRefused([]string{"Instance test is protected from deletion"}, "destroy", "-auto-approve")
	w.says(1, []string{"Instance test is protected from deletion"}, "apply", "-auto-approve")
	must(t, onlyInstance(t, fake) == id && fake.Count("DELETE", "**") == 0, "the machine is gone")
	w.configure(instanceHCL(plainInstance))
	w.says(0, []string{"1 changed, 0 destroyed"}, "apply", "-auto-approve")
	w.says(0, []string{"1 added, 0 changed, 1 destroyed"}, "apply", "-auto-approve")
	must(t, onlyInstance(t, fake) != id, "the machine is there")
	w.mustBeSettled()
}

// An ephemeral connection is known once the machine runs. Until then, each message
// explains how to continue.
func TestConnectionOfAnInstanceThatIsBeingCreated(t *testing.T) {
	fake := startFake(t)
	hook := "resource \"hosting_webhook_endpoint\" \"hook\" {\n  url = \"https://hooks.example.com/%s\"\n}\n"
	body := bareInstance("name = \"test\"\n plan = \"small\"\n region = \"eu-central\"\n engines = { postgres = {} }\n deletion_protection = false") + `
ephemeral "hosting_connection" "db" {
  instance_id = hosting_instance.test.id
}

resource "hosting_webhook_endpoint" "uses" {
  url               = "https://hooks.example.com/uses"
  secret_wo         = ephemeral.hosting_connection.db.postgres_owner_url
  secret_wo_version = 1
}
`
	w := newWorkspace(t, fake, body+fmt.Sprintf(hook, "one"))
	w.says(1, []string{"waits for its checkout", "terraform apply -target=ADDRESS", "terraform destroy -target=ADDRESS"}, "apply", "-auto-approve")
	checkout := fake.Instances()[0].CheckoutURL
	version, err := versionUnderTest()
	must(t, err == nil, "%v", err)
	if version.Product == cliversion.OpenTofu { // it does not open an ephemeral resource that depends on a changing instance
		w.says(0, []string{"Deferred due to pending dependencies"}, "plan")
	} else {
		w.says(1, []string{checkout, "terraform apply -target=ADDRESS"}, "plan")
	}
	w.configure(body + fmt.Sprintf(hook, "two"))
	w.says(0, nil, "apply", "-auto-approve", "-target=hosting_webhook_endpoint.hook")

	release := fake.HoldJobs(fakeservice.JobMatch{Operation: "create"})
	must(t, fake.PayCheckout(onlyInstance(t, fake)) == nil, "the checkout cannot be paid")
	// A record may have a host before the connection exists.
	fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/*", Times: -1, Rewrite: func(record map[string]any) {
		if record["status"] == "creating" {
			record["host"] = "early.hosting.example"
		}
	}})
	polls := fake.Count("GET", "/jobs/*")
	apply := w.start("apply", "-auto-approve", "-no-color")
	apply.until("the creation is waited for", func() bool { return fake.Count("GET", "/jobs/*") > polls+1 })
	release()
	r := apply.wait()
	must(t, r.exit == 0, "the apply: got exit %d, want 0:\n%s", r.exit, r.output)
	must(t, fake.Instances()[0].Status == "running", "the instance: got %s, want running", fake.Instances()[0].Status)
	w.mustBeSettled()
}

// An instance with an unlisted status and no host is being created (SERVICE.md#tolerance).
func TestConnectionOfAnInstanceOfAnUnlistedStatus(t *testing.T) {
	fake := startFake(t)
	status(fake, func(word string) string {
		if word == fakeservice.StatusCreating {
			return "provisioning"
		}
		return word
	})
	instance := bareInstance("name = \"test\"\n plan = \"free\"\n region = \"eu-central\"\n engines = { postgres = {} }\n timeouts = { create = \"" + soonOver + "\" }")
	w := newWorkspace(t, fake, instance)
	release := fake.HoldJobs(fakeservice.JobMatch{Operation: "create"})
	w.says(0, []string{"still being created"}, "apply", "-auto-approve")
	w.configure(instance + "ephemeral \"hosting_connection\" \"db\" {\n  instance_id = \"" + onlyInstance(t, fake) + "\"\n}\n")
	polls := fake.Count("GET", "/jobs/*")
	plan := w.start("plan", "-no-color")
	plan.until("the creation is waited for", func() bool { return fake.Count("GET", "/jobs/*") > polls+2 })
	release()
	if r := plan.wait(); r.exit != 0 {
		t.Errorf("the plan: got exit %d, want 0:\n%s", r.exit, r.output)
	}
}

// An instance that never ran has no connection to wait for. The error explains how to
// replace or destroy it.
func TestConnectionOfAnInstanceThatNeverRan(t *testing.T) {
	t.Parallel()
	for _, status := range []string{fakeservice.StatusFailed, fakeservice.StatusDeleting} {
		t.Run(status, func(t *testing.T) {
			fake := startFake(t)
			instance := bareInstance("name = \"test\"\n plan = \"free\"\n region = \"eu-central\"\n engines = { postgres = {} }\n deletion_protection = false")
			w := newWorkspace(t, fake, instance)
			fake.FailJobs(fakeservice.JobMatch{Operation: "create"}, 1, "no_capacity", "no machine is free")
			w.says(1, []string{"No machine is free"}, "apply", "-auto-approve")
			id := onlyInstance(t, fake)
			fake.EditInstance(id, func(i *fakeservice.Instance) { i.Status = status })
			w.configure(instance + "ephemeral \"hosting_connection\" \"db\" {\n  instance_id = \"" + id + "\"\n}\n")
			w.says(1, []string{"Instance " + id + " has never run", "its status is " + status, "terraform apply -target=ADDRESS -replace=ADDRESS", "terraform destroy -target=ADDRESS"}, "plan")

			w.says(0, []string{"1 added, 0 changed, 1 destroyed"}, "apply", "-auto-approve", "-target=hosting_instance.test", "-replace=hosting_instance.test")
			must(t, onlyInstance(t, fake) != id, "the instance is still there")
			w.configure(instance + "ephemeral \"hosting_connection\" \"db\" {\n  instance_id = hosting_instance.test.id\n}\n")
			w.apply()
			w.mustBeSettled()
		})
	}
}
