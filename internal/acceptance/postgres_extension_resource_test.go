package acceptance

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// Without the argument database, the extension is in the instance's own database, which
// the connection record names.
func TestPostgresExtensionInTheOwnDatabaseLifecycle(t *testing.T) {
	fake := seeded(t)
	const address = "hosting_postgres_extension.test"
	with := func(arguments string) string {
		return config(fake, "resource \"hosting_postgres_extension\" \"test\" {\n  instance_id = \"i-one\"\n  name        = \"pgcrypto\"\n%s\n}\n", arguments)
	}
	inMain := []statecheck.StateCheck{shows(address, knownvalue.StringExact("main"), "database")}
	run(t,
		resource.TestStep{Config: with(""), ConfigPlanChecks: emptyPlan, ConfigStateChecks: inMain},
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateId: "i-one/main/pgcrypto", ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "name"},
		resource.TestStep{Config: with(`timeouts = { delete = "7m" }`), ConfigPlanChecks: plans(address, plancheck.ResourceActionUpdate), ConfigStateChecks: inMain},
		resource.TestStep{Config: with(`database = "main"`), ConfigPlanChecks: plans(address, plancheck.ResourceActionUpdate), ConfigStateChecks: inMain},
		resource.TestStep{ // its own database by name changes nothing, and a different database replaces it
			PreConfig:         func() { fake.AddDatabase("i-one", "orders") },
			Config:            with(`database = "orders"`),
			ConfigPlanChecks:  plans(address, plancheck.ResourceActionDestroyBeforeCreate),
			ConfigStateChecks: []statecheck.StateCheck{shows(address, knownvalue.StringExact("orders"), "database")},
		},
		resource.TestStep{Config: with(""), ConfigPlanChecks: emptyPlan, ConfigStateChecks: []statecheck.StateCheck{shows(address, knownvalue.StringExact("orders"), "database")}},
	)
}

// If the connection record names no database, the provider does not guess one.
func TestPostgresExtensionWithoutADatabaseToBeIn(t *testing.T) {
	fake := seeded(t)
	run(t, refuses(config(fake, `
resource "hosting_postgres_extension" "test" {
  instance_id = "i-twin"
  name        = "pgcrypto"
}`), "Unable to create extension pgcrypto in instance i-twin's own database"))
	must(t, jobsOf(fake, "extension_set") == 0, "an extension was set")
}

// An instance that is still being created has no connection record yet. The extension
// waits for the instance like any other change of it.
func TestPostgresExtensionWaitsForItsInstance(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, `
resource "hosting_instance" "test" {
  name     = "test"
  plan     = "free"
  region   = "eu-central"
  engines  = { postgres = {} }
  timeouts = { create = "`+soonOver+`" }
}
resource "hosting_postgres_extension" "test" {
  instance_id = hosting_instance.test.id
  name        = "pgcrypto"
}`)
	release := fake.HoldJobs(fakeservice.JobMatch{Operation: "create"})
	apply := w.start("apply", "-auto-approve", "-no-color")
	apply.until("the connection record is asked for", func() bool { return fake.Count("GET", "/instances/*/connection") > 0 })
	apply.mustRun()
	release()
	if r := apply.wait(); r.exit != 0 {
		t.Fatalf("the apply: got exit %d, want 0:\n%s", r.exit, r.output)
	}
	if object := w.mustBeKept("hosting_postgres_extension", "test"); object.Attributes["database"] != "main" {
		t.Errorf("the extension in the state: got %v, want the database main", object.Attributes)
	}
	w.apply()
	w.mustBeSettled()
}

// A record without its database may be that of any database.
func TestExtensionWhoseRecordLacksTheDatabase(t *testing.T) {
	fake := seeded(t)
	fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/*/postgres/extensions", Times: -1, Rewrite: func(m map[string]any) {
		extensions, _ := m["extensions"].([]any)
		for _, extension := range extensions {
			delete(extension.(map[string]any), "database")
		}
	}})
	w := newWorkspace(t, fake, "resource \"hosting_postgres_extension\" \"test\" {\n instance_id = \"i-one\"\n name = \"pgcrypto\"\n}\n")
	r := w.says(0, nil, "apply", "-auto-approve")
	must(t, !strings.Contains(r.output, "could not be read"), "the apply: got\n%s\nwant the extension found", r.output)
	w.mustBeSettled()
}
