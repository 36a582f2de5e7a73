package acceptance

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
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
