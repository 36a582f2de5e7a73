package acceptance

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/signed"
)

const webhookAddress = "hosting_webhook_endpoint.test"

const webhookBody = `
resource "hosting_webhook_endpoint" "test" {
  %s
}`

func webhookHas(attribute string, value knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(webhookAddress, tfjsonpath.New(attribute), value)
}

func TestWebhookEndpointLifecycle(t *testing.T) {
	fake := startFake(t)
	var made string // the secret that the provider generated
	with := func(arguments string) string { return config(fake, webhookBody, arguments) }
	secretIs := func(want func() string) resource.TestCheckFunc {
		return func(*terraformState) error {
			if got := fake.Webhooks()[0].Secret; got != want() {
				t.Errorf("the secret at the service: got %q, want %q", got, want())
			}
			return nil
		}
	}
	updates := plans(webhookAddress, plancheck.ResourceActionUpdate)
	run(t,
		resource.TestStep{
			Config:            with(`url = "https://hooks.example/in"`),
			ConfigStateChecks: []statecheck.StateCheck{webhookHas("enabled", knownvalue.Bool(true)), webhookHas("created_at", knownvalue.NotNull())},
			ConfigPlanChecks:  emptyPlan,
			Check: resource.ComposeTestCheckFunc(
				func(*terraformState) error { made = fake.Webhooks()[0].Secret; return nil },
				resource.TestCheckResourceAttrWith(webhookAddress, "secret", func(value string) error {
					if value != made || len(value) != 64 {
						t.Errorf("the secret in the state: got %q, want the service's %q, of 64 characters", value, made)
					}
					return nil
				}),
			),
		},
		resource.TestStep{ResourceName: webhookAddress, ImportState: true, ImportStateVerify: true, ImportStateVerifyIgnore: []string{"secret"}},
		resource.TestStep{Config: with(`url = "https://HOOKS.example/in"`), ConfigPlanChecks: plans(webhookAddress, plancheck.ResourceActionNoop)},
		resource.TestStep{Config: with(`url = "https://hooks.example/other"`), ConfigPlanChecks: updates, Check: secretIs(func() string { return made })},
		resource.TestStep{Config: with(`url = "https://hooks.example/other"` + "\nenabled = false"), ConfigPlanChecks: updates},
		resource.TestStep{
			Config:           with(`url = "https://hooks.example/other"` + "\n" + `secret = "a secret of one's own"`),
			ConfigPlanChecks: updates,
			Check:            secretIs(func() string { return "a secret of one's own" }),
		},
		resource.TestStep{
			Config:            with(`url = "https://hooks.example/other"` + "\n" + `secret_wo = "a secret never kept"` + "\nsecret_wo_version = 1"),
			ConfigPlanChecks:  updates,
			ConfigStateChecks: []statecheck.StateCheck{webhookHas("secret", knownvalue.Null()), webhookHas("secret_wo", knownvalue.Null())},
			Check:             secretIs(func() string { return "a secret never kept" }),
		},
		resource.TestStep{ // the change is not noticed without a new version
			Config:           with(`url = "https://hooks.example/other"` + "\n" + `secret_wo = "another, never kept"` + "\nsecret_wo_version = 1"),
			ConfigPlanChecks: plans(webhookAddress, plancheck.ResourceActionNoop),
		},
		resource.TestStep{
			Config:           with(`url = "https://hooks.example/other"` + "\n" + `secret_wo = "another, never kept"` + "\nsecret_wo_version = 2"),
			ConfigPlanChecks: updates,
			Check:            secretIs(func() string { return "another, never kept" }),
		},
	)
	if n := fake.Count("POST", "/webhooks"); n != 1 {
		t.Errorf("endpoints that were made: got %d, want 1", n)
	}
	if n := len(fake.Webhooks()); n != 0 {
		t.Errorf("endpoints after the destroy: got %d, want none", n)
	}
}

func TestWebhookEndpointDisabledByTheServiceIsDrift(t *testing.T) {
	fake := startFake(t)
	configuration := config(fake, webhookBody, `url = "https://hooks.example/in"`)
	run(t,
		resource.TestStep{Config: configuration},
		resource.TestStep{
			PreConfig: func() {
				fake.EditWebhook(fake.Webhooks()[0].ID, func(w *fakeservice.Webhook) { w.Enabled, w.ConsecutiveFailures = false, 20 })
			},
			Config:           configuration,
			ConfigPlanChecks: plans(webhookAddress, plancheck.ResourceActionUpdate),
			Check: func(*terraformState) error {
				if w := fake.Webhooks()[0]; !w.Enabled || w.ConsecutiveFailures != 0 {
					t.Errorf("the endpoint: got %+v, want it enabled and its failures forgotten", w)
				}
				return nil
			},
		},
		resource.TestStep{
			PreConfig: func() {
				fake.EditWebhook(fake.Webhooks()[0].ID, func(w *fakeservice.Webhook) { w.URL = "https://elsewhere.example" })
			},
			Config:           configuration,
			ConfigPlanChecks: plans(webhookAddress, plancheck.ResourceActionUpdate),
		},
		resource.TestStep{
			PreConfig:        func() { fake.RemoveWebhook(fake.Webhooks()[0].ID) },
			Config:           configuration,
			ConfigPlanChecks: plans(webhookAddress, plancheck.ResourceActionCreate),
		},
	)
}

// The service disables an endpoint whose receiver fails twenty times. The plan shows
// this, and the apply enables the endpoint. The receiver works again, and gets the next
// event, signed with the secret in the state.
func TestWebhookEndpointThatFailsIsEnabledAgain(t *testing.T) {
	const secret = "the secret of the configuration"
	var well atomic.Bool
	var came atomic.Value
	receiver := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		d, err := signed.Verify(body, r.Header, secret)
		if err != nil || !well.Load() {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		came.Store(d.Event.Type)
	})
	fake := fakeservicetest.Start(t, fakeservicetest.Delivering(receiver))
	configuration := config(fake, webhookBody, fmt.Sprintf("url = \"https://hooks.example/in\"\n  secret = %q", secret))
	run(t,
		resource.TestStep{Config: configuration},
		resource.TestStep{
			PreConfig: func() {
				for range 4 {
					fake.Emit("health_alert", "", nil)
				}
				fake.Advance(24 * time.Hour)
				if w := fake.Webhooks()[0]; w.Enabled || w.ConsecutiveFailures != 20 {
					t.Errorf("the endpoint after twenty failures: got %+v, want it disabled with 20 failures", w)
				}
			},
			Config:           configuration,
			ConfigPlanChecks: plans(webhookAddress, plancheck.ResourceActionUpdate),
		},
		resource.TestStep{
			PreConfig: func() {
				if w := fake.Webhooks()[0]; !w.Enabled || w.ConsecutiveFailures != 0 {
					t.Errorf("the endpoint after the apply: got %+v, want it enabled without failures", w)
				}
				well.Store(true)
				fake.Emit("health_reset", "", nil)
				fake.Advance(0)
				if kind := came.Load(); kind != "health_reset" {
					t.Errorf("the delivered event: got %v, want health_reset", kind)
				}
			},
			Config:           configuration,
			ConfigPlanChecks: emptyPlan,
		},
	)
}

func TestWebhookEndpointUnknownAtPlan(t *testing.T) {
	fake := startFake(t)
	run(t, resource.TestStep{
		Config: config(fake, `
resource "terraform_data" "later" { input = "later" }
`+webhookBody, `
  url     = "https://${terraform_data.later.output}.example"
  enabled = terraform_data.later.output == "later"
  secret  = "${terraform_data.later.output} and long enough"`),
		ConfigPlanChecks: emptyPlan,
	})
}

func TestWebhookEndpointInvalid(t *testing.T) {
	fake := startFake(t)
	with := func(arguments string) string { return config(fake, webhookBody, arguments) }
	const url = `url = "https://hooks.example"` + "\n"
	run(t,
		refuses(with(`url = "http://hooks.example"`), `url must be an absolute https URL, like https://example.com/hook, not "http://hooks.example".`),
		refuses(with(`url = "hooks"`), `url must be an absolute https URL, like https://example.com/hook.`),
		refuses(with(url+`secret = "short"`), `secret must have at least 16 characters.`),
		refuses(with(url+`secret_wo = "long enough for this"`), `secret_wo_version`),
		refuses(with(url+`secret_wo_version = 1`), `secret_wo`),
		refuses(with(url+`secret_wo = "long enough for this"`+"\nsecret_wo_version = 1\n"+`secret = "long enough for that"`), `Set one of secret and secret_wo, and not the other.`),
	)
}

// A killed apply leaves nothing in the state. The plan finds the endpoint that it
// created, but does not report endpoints that Terraform manages.
func TestPlanTellsOfAnOrphanedEndpoint(t *testing.T) {
	const endpoint = "resource \"hosting_webhook_endpoint\" \"test\" {\n  count = 1\n  url   = \"https://hooks.example/a\"\n}\n"
	fake := startFake(t)
	w := newWorkspace(t, fake, endpoint)
	w.apply()
	must(t, os.Remove(filepath.Join(w.folder, "terraform.tfstate")) == nil, "the state file cannot be removed")
	id := fake.Webhooks()[0].ID
	w.says(0, []string{"has the same URL", "import { to = hosting_webhook_endpoint.NAME id = \"" + id + "\" }"}, "plan")

	w.write("import.tf", "import {\n  to = hosting_webhook_endpoint.test[0]\n  id = \""+id+"\"\n}\n")
	w.apply()
	w.mustBeSettled()
	must(t, len(fake.Webhooks()) == 1, "endpoints: got %d, want 1", len(fake.Webhooks()))

	// The managed endpoint is not reported as an orphan. The second resource depends on the
	// first, so that it is planned later.
	w.configure(endpoint + "resource \"hosting_webhook_endpoint\" \"second\" {\n  url        = \"https://hooks.example/a\"\n  depends_on = [hosting_webhook_endpoint.test]\n}\n")
	for _, args := range [][]string{{"plan"}, {"plan", "-refresh=false"}, {"plan", "-replace=hosting_webhook_endpoint.test[0]"}} {
		r := w.run(append(args, "-no-color")...)
		must(t, r.exit == 0 && !strings.Contains(r.output, "has the same URL"), "%v: got exit %d, want 0 and no warning:\n%s", args, r.exit, r.output)
	}
}

// An update that changes nothing at the service sends no empty request.
func TestEmptyChangesAreNotSent(t *testing.T) {
	fake := startFake(t)
	profile := "resource \"hosting_account_profile\" \"test\" {\n %s\n}\n"
	endpoint := "resource \"hosting_webhook_endpoint\" \"test\" {\n url = \"https://hooks.example/in\"\n %s\n}\n"
	w := newWorkspace(t, fake, fmt.Sprintf(profile, "")+fmt.Sprintf(endpoint, "secret_wo = \"a secret never kept\"\n secret_wo_version = 1"))
	w.apply()
	w.configure(fmt.Sprintf(profile, "company = \"\"") + fmt.Sprintf(endpoint, ""))
	w.says(0, []string{"2 changed"}, "apply", "-auto-approve")
	must(t, fake.Count("PATCH", "**") == 0, "changes that were sent: got %d, want none", fake.Count("PATCH", "**"))
	w.mustBeSettled()
}
