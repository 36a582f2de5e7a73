package acceptance

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/echoprovider"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

func TestFunctionsInAConfiguration(t *testing.T) {
	run(t,
		resource.TestStep{
			Config: `
output "env" { value = provider::hosting::libpq_env("postgresql://u:p@h:5432/d", "/ca.pem")["PGHOST"] }
output "pooled" { value = provider::hosting::pooled_url("postgresql://u:p@h:5432/d") }
output "signature" { value = provider::hosting::webhook_signature("what do ya want for nothing?", "Jefe") }
`,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownOutputValue("env", knownvalue.StringExact("h")),
				statecheck.ExpectKnownOutputValue("pooled", knownvalue.StringExact("postgresql://u:p@h:6432/d")),
				statecheck.ExpectKnownOutputValue("signature", knownvalue.StringExact("sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")),
			},
		},
		resource.TestStep{
			Config:      `output "x" { value = provider::hosting::libpq_env("postgresql://h/d", "") }`,
			ExpectError: wrapped(`Invalid value for "ca_file" parameter: the path of the CA file is empty; write the instance's ca_certificate to a file, and give that file's path.`),
		},
		resource.TestStep{
			Config:      `output "x" { value = provider::hosting::pooled_url("redis://h") }`,
			ExpectError: wrapped(`Invalid value for "url" parameter: it must be a Postgres URL`),
		},
		resource.TestStep{
			Config:      `output "x" { value = provider::hosting::webhook_signature("b", "") }`,
			ExpectError: wrapped(`Invalid value for "secret" parameter: the secret is empty.`),
		},
	)
}

func TestEphemeralConnection(t *testing.T) {
	needsCLI(t)
	fake := seeded(t)
	factories := providers()
	factories["echo"] = echoprovider.NewProviderServer()
	cli, err := versionUnderTest()
	if err != nil {
		t.Fatal(err)
	}
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{{
			Config: config(fake, `
ephemeral "hosting_connection" "test" { instance_id = "i-one" }
provider "echo" { data = ephemeral.hosting_connection.test }
resource "echo" "test" {}
`),
			ExpectNonEmptyPlan: plansEphemerals(cli),
			ConfigStateChecks: []statecheck.StateCheck{
				shows("echo.test", knownvalue.StringRegexp(regexp.MustCompile("^[a-z]+$")), "data", "postgres_username"),
				shows("echo.test", knownvalue.NotNull(), "data", "postgres_password"),
				shows("echo.test", knownvalue.NotNull(), "data", "postgres_owner_url"),
				shows("echo.test", knownvalue.NotNull(), "data", "postgres_readonly_url"),
				shows("echo.test", knownvalue.NotNull(), "data", "auth_service_key"),
				shows("echo.test", knownvalue.NotNull(), "data", "ca_certificate"),
				shows("echo.test", knownvalue.Int64Exact(5432), "data", "postgres_direct_port"),
				shows("echo.test", knownvalue.Null(), "data", "redis_url"),
				shows("echo.test", knownvalue.Null(), "data", "couchdb_url"),
				shows("echo.test", knownvalue.Null(), "data", "nats_url"),
			},
		}},
	})
}

// everything contains one resource of each type that can be imported, except an instance.
const everything = `
resource "hosting_account_profile" "test" {
  company = "Example Ltd"
}
resource "hosting_app" "test" {
  instance_id         = hosting_instance.test.id
  name                = "guestbook"
  repo                = "octo/guestbook"
  deletion_protection = false
}
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
resource "hosting_webhook_endpoint" "test" { url = "https://hooks.example" }
resource "hosting_postgres_database" "test" {
  instance_id         = hosting_instance.test.id
  name                = "orders"
  deletion_protection = false
}
resource "hosting_postgres_extension" "test" {
  instance_id = hosting_instance.test.id
  database    = hosting_postgres_database.test.name
  name        = "pgcrypto"
}
`

func TestImportByIdentity(t *testing.T) {
	fake := startFake(t)
	configuration := config(fake, "%s", appsInstance+everything)
	steps := []resource.TestStep{{Config: configuration, ConfigPlanChecks: emptyPlan}}
	for _, kind := range []string{"instance", "app", "allowlist", "console_mode", "auth_settings", "webhook_endpoint", "postgres_database", "postgres_extension", "account_profile"} {
		// An import sets deletion_protection to its default. The configuration here sets
		// another value, so the plan is an update.
		step := resource.TestStep{
			ResourceName:    "hosting_" + kind + ".test",
			ImportState:     true,
			ImportStateKind: resource.ImportBlockWithResourceIdentity,
		}
		if kind == "instance" || kind == "app" || kind == "postgres_database" {
			step.ImportPlanChecks = resource.ImportPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction("hosting_"+kind+".test", plancheck.ResourceActionUpdate),
			}}
			step.ExpectError = wrapped("importing resource hosting_" + kind + ".test: expected a no-op import operation")
		}
		steps = append(steps, step)
	}
	runWith(t, resourceIdentity, steps...)
}

func TestPostgresDatabaseAndExtensionLifecycle(t *testing.T) {
	fake := startFake(t)
	body := appsInstance + `
resource "hosting_postgres_database" "test" {
  instance_id         = hosting_instance.test.id
  name                = %q
  deletion_protection = %t
  timeouts            = %[3]s
}
resource "hosting_postgres_extension" "test" {
  instance_id = hosting_instance.test.id
  database    = hosting_postgres_database.test.name
  name        = "pgcrypto"
  timeouts    = %[3]s
}
`
	with := func(name string, protected bool) string { return config(fake, body, name, protected, "null") }
	id := func(suffix string) resource.ImportStateIdFunc {
		return func(*terraformState) (string, error) { return onlyInstance(t, fake) + suffix, nil }
	}
	const database, extension = "hosting_postgres_database.test", "hosting_postgres_extension.test"
	run(t,
		resource.TestStep{Config: with("orders", true), ConfigPlanChecks: emptyPlan},
		resource.TestStep{ResourceName: database, ImportState: true, ImportStateIdFunc: id("/orders"), ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "name"},
		resource.TestStep{ResourceName: extension, ImportState: true, ImportStateIdFunc: id("/orders/pgcrypto"), ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "name"},
		resource.TestStep{ResourceName: extension, ImportState: true, ImportStateIdFunc: id("/pgcrypto"), ExpectError: wrapped("The import ID is the instance's id, the database's name and the extension's name")},
		refuses(with("other", false), "Database orders is protected from deletion"),
		resource.TestStep{Config: with("orders", false), ConfigPlanChecks: plans(database, plancheck.ResourceActionUpdate)},
		resource.TestStep{
			Config: config(fake, body, "orders", false, `{ delete = "7m" }`),
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(database, plancheck.ResourceActionUpdate),
					plancheck.ExpectResourceAction(extension, plancheck.ResourceActionUpdate),
				},
				PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
			},
		},
		resource.TestStep{Config: with("other", false), ConfigPlanChecks: plans(database, plancheck.ResourceActionDestroyBeforeCreate)},
		resource.TestStep{ // dropped by another client
			PreConfig:        func() { fake.RemoveExtension(onlyInstance(t, fake), "other", "pgcrypto") },
			Config:           with("other", false),
			ConfigPlanChecks: plans(extension, plancheck.ResourceActionCreate),
		},
		resource.TestStep{
			PreConfig:        func() { fake.RemoveDatabase(onlyInstance(t, fake), "other") },
			Config:           with("other", false),
			ConfigPlanChecks: plans(database, plancheck.ResourceActionCreate),
		},
		resource.TestStep{
			PreConfig: func() {
				fake.FailJobs(fakeservice.JobMatch{Operation: "database_create"}, 1, "trouble", "the disk is on fire")
			},
			Config:      with("third", false),
			ExpectError: wrapped("The disk is on fire (trouble)"),
		},
		resource.TestStep{Config: with("third", false), ConfigPlanChecks: emptyPlan},
	)
	// The first, the second and the last database, each with its extension.
	if databases, extensions := jobsOf(fake, "database_drop"), jobsOf(fake, "extension_drop"); databases != 3 || extensions != 3 {
		t.Errorf("dropped databases and extensions: got %d and %d, want 3 each", databases, extensions)
	}
}
