package acceptance

import (
	"fmt"
	"net/http"
	"slices"
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
