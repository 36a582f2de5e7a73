package acceptance

import (
	"fmt"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/cliversion"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// bareInstance returns an instance with the given arguments and no others.
func bareInstance(arguments string) string {
	return "resource \"hosting_instance\" \"test\" {\n " + arguments + "\n}\n"
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
