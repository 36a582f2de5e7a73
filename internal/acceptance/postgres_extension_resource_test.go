package acceptance

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
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
