package acceptance

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// instanceHCL returns an instance that fits every plan, with additional arguments.
func instanceHCL(arguments string) string {
	return fmt.Sprintf(`
resource "hosting_instance" "test" {
  name                = "test"
  plan                = "free"
  region              = "eu-central"
  deletion_protection = false
  %s
}
`, arguments)
}

// appsInstance has the engines that the guestbook needs, with memory for an app of 640
// MB.
var appsInstance = instanceHCL(`engines = { postgres = {}, apps = { memory_mb = 640 }, auth = {} }`)

const instanceAddress = "hosting_instance.test"

func instanceHas(attribute string, value knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(instanceAddress, tfjsonpath.New(attribute), value)
}

func TestInstanceLifecycle(t *testing.T) {
	fake := startFake(t)
	one := `
resource "hosting_instance" "test" {
  name   = %q
  plan   = %q
  region = "eu-central"
  tags   = %s
  engines = %s
  deletion_protection = %t
  timeouts = %s
}`
	with := func(name, tags, engines string, protected bool) string {
		return config(fake, one, name, "free", tags, engines, protected, "null")
	}
	run(t,
		resource.TestStep{
			Config: with("first", `["b", "a"]`, `{ postgres = {}, redis = { memory_mb = 128 } }`, true),
			ConfigStateChecks: []statecheck.StateCheck{
				instanceHas("status", knownvalue.StringExact("running")),
				instanceHas("host", knownvalue.NotNull()),
				instanceHas("created_at", knownvalue.NotNull()),
				instanceHas("ca_certificate", knownvalue.NotNull()),
				instanceHas("checkout_url", knownvalue.Null()),
				instanceHas("auth_url", knownvalue.Null()),
				instanceHas("engines", knownvalue.MapExact(map[string]knownvalue.Check{
					"postgres": knownvalue.ObjectExact(map[string]knownvalue.Check{"memory_mb": knownvalue.Int64Exact(512)}),
					"redis":    knownvalue.ObjectExact(map[string]knownvalue.Check{"memory_mb": knownvalue.Int64Exact(128)}),
				})),
			},
			ConfigPlanChecks: emptyPlan,
		},
		resource.TestStep{ResourceName: instanceAddress, ImportState: true, ImportStateVerify: true},
		resource.TestStep{ // name
			Config:            with("second", `["b", "a"]`, `{ postgres = {}, redis = { memory_mb = 128 } }`, true),
			ConfigStateChecks: []statecheck.StateCheck{instanceHas("name", knownvalue.StringExact("second"))},
			ConfigPlanChecks:  plans(instanceAddress, plancheck.ResourceActionUpdate),
		},
		resource.TestStep{ // tags in a different order, and one fewer
			Config:           with("second", `["a"]`, `{ postgres = {}, redis = { memory_mb = 128 } }`, true),
			ConfigPlanChecks: plans(instanceAddress, plancheck.ResourceActionUpdate),
		},
		resource.TestStep{ // no tags; an empty set stays an empty set
			Config:           with("second", `[]`, `{ postgres = {}, redis = { memory_mb = 128 } }`, true),
			ConfigPlanChecks: plans(instanceAddress, plancheck.ResourceActionUpdate),
		},
		resource.TestStep{ // a budget
			Config:           with("second", `[]`, `{ postgres = { memory_mb = 640 }, redis = { memory_mb = 128 } }`, true),
			ConfigPlanChecks: plans(instanceAddress, plancheck.ResourceActionUpdate),
		},
		resource.TestStep{ // a budget that is removed from the configuration stays as it is
			Config:           with("second", `[]`, `{ postgres = {}, redis = {} }`, true),
			ConfigPlanChecks: plans(instanceAddress, plancheck.ResourceActionNoop),
		},
		refuses(with("second", `[]`, `{ postgres = {} }`, true), "is protected from losing its redis data"),
		resource.TestStep{
			Config:           with("second", `[]`, `{ postgres = {}, redis = {} }`, false),
			ConfigPlanChecks: plans(instanceAddress, plancheck.ResourceActionUpdate),
		},
		resource.TestStep{ // engines on and off, with their attributes
			Config: with("second", `[]`, `{ postgres = {}, apps = {}, auth = {} }`, false),
			ConfigStateChecks: []statecheck.StateCheck{
				instanceHas("auth_url", knownvalue.NotNull()),
				instanceHas("auth_anon_key", knownvalue.NotNull()),
			},
			ConfigPlanChecks: plans(instanceAddress, plancheck.ResourceActionUpdate),
		},
		resource.TestStep{
			Config:            with("second", `[]`, `{ postgres = {} }`, false),
			ConfigStateChecks: []statecheck.StateCheck{instanceHas("auth_url", knownvalue.Null()), instanceHas("auth_anon_key", knownvalue.Null())},
			ConfigPlanChecks:  plans(instanceAddress, plancheck.ResourceActionUpdate),
		},
		resource.TestStep{ // another plan
			Config:            config(fake, one, "second", "small", `[]`, `{ postgres = {} }`, false, "null"),
			ConfigStateChecks: []statecheck.StateCheck{instanceHas("plan", knownvalue.StringExact("small"))},
			ConfigPlanChecks:  plans(instanceAddress, plancheck.ResourceActionUpdate),
		},
		resource.TestStep{ // an argument that is not sent to the service
			Config:           config(fake, one, "second", "small", `[]`, `{ postgres = {} }`, false, `{ delete = "7m" }`),
			ConfigPlanChecks: plans(instanceAddress, plancheck.ResourceActionUpdate),
		},
	)
	if n := fake.Count("POST", "/instances"); n != 1 {
		t.Errorf("creations: got %d, want 1", n)
	}
	if n := len(fake.Instances()); n != 0 {
		t.Errorf("instances after the destroy: got %d, want none", n)
	}
}
