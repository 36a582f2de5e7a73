package acceptance

import (
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

// An agent with MCP tools and a person in the portal change objects that Terraform
// manages. The next plan shows each change. The apply waits for the job that the agent
// has started and reverts all changes. A receiver gets every event exactly once.
func TestChangedBesideTerraform(t *testing.T) {
	const secret = "the secret of the receiver"
	inbox := fakeservicetest.NewInbox(t, secret)
	hosts := http.NewServeMux()
	hosts.Handle("receiver.example/", inbox)
	hosts.HandleFunc("/", func(http.ResponseWriter, *http.Request) {}) // the endpoint that Terraform manages
	fake := fakeservicetest.Start(t, fakeservicetest.Delivering(hosts), func(o *fakeservice.Options) { o.Speed = testSpeed })
	// This endpoint is not managed by Terraform, so it receives events from the first job
	// to the last.
	receiver, signedWith := "https://receiver.example/", secret
	if _, err := fake.CreateWebhook(core.WebhookChange{URL: &receiver, Secret: &signedWith}); err != nil {
		t.Fatal(err)
	}
	w := newWorkspace(t, fake, appsInstance+`
resource "hosting_allowlist" "test" {
  instance_id = hosting_instance.test.id
  cidrs       = ["203.0.113.0/24"]
}

resource "hosting_console_mode" "test" {
  instance_id = hosting_instance.test.id
  mode        = "ro"
}

resource "hosting_auth_settings" "test" {
  instance_id   = hosting_instance.test.id
  site_url      = "https://app.example"
  redirect_urls = ["https://app.example/**"]
}

resource "hosting_webhook_endpoint" "test" {
  url = "https://hooks.example/in"
}`)
	w.apply()
	w.mustBeSettled()

	id := onlyInstance(t, fake)
	agent, person := fake.Agent(t), fakeservicetest.SignIn(t, fake)
	agent.Done("update_instance", map[string]any{"instance_id": id, "name": "other"})
	agent.Done("set_allowlist", map[string]any{"instance_id": id, "allowlist": []string{"192.0.2.1"}})
	submit := func(path, form string, values map[string]string) {
		t.Helper()
		if page := person.Open(path).Submit(form, values); page.Status != http.StatusOK {
			t.Fatalf("the answer to the form %s: got %d, want 200: %s", form, page.Status, page.Text())
		}
		machine.Until(t, "the person's job has ended", func() bool {
			return !slices.ContainsFunc(fake.Jobs(), fakeservice.Job.InProgress)
		})
	}
	settings := "/portal/instances/" + id
	submit(settings+"/console", "mode", map[string]string{"mode": "rw"})
	submit(settings+"/auth", "auth", map[string]string{"site_url": "https://other.example", "redirect_urls": "https://app.example/**"})
	endpoint := fake.Webhooks()[1]
	submit("/portal/integrations/"+endpoint.ID, "endpoint", map[string]string{"url": endpoint.URL, "enabled": ""})

	plan := w.run("plan", "-detailed-exitcode", "-no-color")
	if plan.exit != 2 || !strings.Contains(plan.output, "0 to add, 5 to change, 0 to destroy") {
		t.Errorf("the plan: got exit %d, want 2 and five changes:\n%s", plan.exit, plan.output)
	}
	for _, drift := range []string{`"other" -> "test"`, `- "192.0.2.1",`, `"rw" -> "ro"`, `"https://other.example" -> "https://app.example"`, `false -> true`} {
		if !strings.Contains(plan.output, drift) {
			t.Errorf("the plan: got\n%s\nwant %s in it", plan.output, drift)
		}
	}

	release := fake.HoldJobs(fakeservice.JobMatch{Operation: "rotate"})
	job, _ := agent.Do("rotate_credentials", map[string]any{"instance_id": id})["job_id"].(string)
	apply := w.start("apply", "-auto-approve", "-no-color")
	apply.until("the agent's job is polled", func() bool { return fake.Count("GET", "/jobs/"+job) > 0 })
	apply.mustRun()
	release()
	if r := apply.wait(); r.exit != 0 || !strings.Contains(r.output, "0 added, 5 changed, 0 destroyed") {
		t.Fatalf("the apply: got exit %d, want 0 and five changes:\n%s", r.exit, r.output)
	}
	w.mustBeSettled()
	instance, _ := fake.Instance(id)
	auth := instance.Engines["auth"]
	if diff := cmp.Diff([]any{"test", []string{"203.0.113.0/24"}, "ro", "https://app.example", []string{"https://app.example/**"}, true},
		[]any{instance.Name, instance.Allowlist, instance.ConsoleMode, auth.SiteURL, auth.RedirectURLs, fake.Webhooks()[1].Enabled}); diff != "" {
		t.Errorf("restored settings (-want +got):\n%s", diff)
	}

	happened := fake.Events()
	machine.Until(t, "the receiver has heard of everything", func() bool { return len(inbox.Deliveries()) >= len(happened) })
	var told, heard []string
	for _, e := range happened {
		told = append(told, e.Type+" "+e.ID)
	}
	for _, d := range inbox.Deliveries() {
		heard = append(heard, d.Event.Type+" "+d.Event.ID)
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(told)), slices.Sorted(slices.Values(heard))); diff != "" {
		t.Errorf("events that were delivered (-want +got):\n%s", diff)
	}
}

// The fake's interfaces and engines are for tests: the provider depends on none of their
// libraries.
func TestProviderHasNothingOfTheFake(t *testing.T) {
	t.Parallel()
	list, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "../..").Output()
	if err != nil {
		t.Fatal(err)
	}
	for dependency := range strings.Lines(string(list)) {
		for _, foreign := range []string{"modelcontextprotocol", "nats-io", "redis", "pgx", "bbolt", "/internal/fakeservice"} {
			if strings.Contains(dependency, foreign) {
				t.Errorf("dependencies of the provider: got %s, want none of the fake", strings.TrimSpace(dependency))
			}
		}
	}
}
