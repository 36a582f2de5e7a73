package acceptance

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/acctest"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
)

// The tests whose names begin with TestAcc and a capital letter do not depend on the fake. `make testacc` runs
// them against the real service, with the account in HOSTING_BASE_URL and
// HOSTING_API_KEY. They use the free plan and the first location that the service offers.
// `make test` runs them on a fake.

// accConfig adds a provider block to a configuration: for the real service if
// HOSTING_BASE_URL is set, and for a fake otherwise.
func accConfig(t *testing.T, body string) string {
	t.Helper()
	if os.Getenv("HOSTING_BASE_URL") != "" {
		return "provider \"hosting\" {}\n" + body
	}
	return config(startFake(t), "%s", body)
}

// accInstance returns an instance with a random name. Tests run in parallel, and the
// provider would warn of instances with the same name.
func accInstance() string {
	return fmt.Sprintf(`
data "hosting_plans" "free" { max_price_cents = 0 }
data "hosting_locations" "all" {}

resource "hosting_instance" "test" {
  name                = %q
  plan                = data.hosting_plans.free.plans[0].id
  region              = data.hosting_locations.all.locations[0].id
  engines             = { postgres = {}, apps = {}, auth = {} }
  tags                = [%q]
  deletion_protection = false
}
`, acctest.RandomWithPrefix(strings.TrimSuffix(acceptancePrefix, "-")), acceptanceTag)
}

func TestAccInstance(t *testing.T) {
	configuration := accConfig(t, accInstance())
	run(t,
		resource.TestStep{
			Config:           configuration,
			ConfigPlanChecks: emptyPlan,
			ConfigStateChecks: []statecheck.StateCheck{
				instanceHas("status", knownvalue.StringExact("running")),
				instanceHas("host", knownvalue.NotNull()),
				instanceHas("auth_url", knownvalue.NotNull()),
			},
		},
		resource.TestStep{ResourceName: instanceAddress, ImportState: true, ImportStateVerify: true, ImportStateVerifyIgnore: []string{"deletion_protection"}},
	)
}

func TestAccSettingsAndDatabases(t *testing.T) {
	run(t, resource.TestStep{
		Config: accConfig(t, accInstance()+`
resource "hosting_allowlist" "test" {
  instance_id = hosting_instance.test.id
  cidrs       = ["203.0.113.0/24"]
}
resource "hosting_console_mode" "test" {
  instance_id = hosting_instance.test.id
  mode        = "off"
}
resource "hosting_auth_settings" "test" {
  instance_id   = hosting_instance.test.id
  site_url      = "https://app.example.com"
  redirect_urls = ["https://app.example.com/**"]
}
resource "hosting_postgres_database" "test" {
  instance_id         = hosting_instance.test.id
  name                = "acceptance"
  deletion_protection = false
}
resource "hosting_postgres_extension" "test" {
  instance_id = hosting_instance.test.id
  database    = hosting_postgres_database.test.name
  name        = "pgcrypto"
}
data "hosting_connection" "test" {
  instance_id = hosting_instance.test.id
}
`),
		ConfigPlanChecks:  emptyPlan,
		ConfigStateChecks: []statecheck.StateCheck{shows("data.hosting_connection.test", knownvalue.NotNull(), "ca_certificate")},
	})
}

func TestAccWebhookEndpoint(t *testing.T) {
	run(t, resource.TestStep{
		Config:            accConfig(t, fmt.Sprintf("resource \"hosting_webhook_endpoint\" \"test\" {\n  url     = %q\n  enabled = false\n}\n", acceptanceURL+acctest.RandString(10))),
		ConfigPlanChecks:  emptyPlan,
		ConfigStateChecks: []statecheck.StateCheck{webhookHas("enabled", knownvalue.Bool(false))},
	})
}
