package acceptance

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

func profile(arguments string) string {
	return "resource \"hosting_account_profile\" \"test\" {\n" + arguments + "\n}\n"
}

const profileAddress = "hosting_account_profile.test"

func profileHas(attribute string, value knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(profileAddress, tfjsonpath.New(attribute), value)
}

func TestAccountProfileLifecycle(t *testing.T) {
	fake := startFake(t)
	fake.EditProfile("Ada", "", "", "")
	run(t,
		resource.TestStep{
			Config:           config(fake, "%s", profile("company = \"Example Ltd\"\nvat_id = \"\"")),
			ConfigPlanChecks: emptyPlan,
			ConfigStateChecks: []statecheck.StateCheck{
				profileHas("id", knownvalue.NotNull()), profileHas("name", knownvalue.StringExact("Ada")),
				profileHas("company", knownvalue.StringExact("Example Ltd")), profileHas("address", knownvalue.Null()), profileHas("vat_id", knownvalue.StringExact("")),
			},
		},
		resource.TestStep{ResourceName: profileAddress, ImportState: true, ImportStateVerify: true, ImportStateVerifyIgnore: []string{"vat_id"}},
		resource.TestStep{ // an argument that is removed keeps its value
			Config:            config(fake, "%s", profile("address = \"1 Example Street\"")),
			ConfigPlanChecks:  plans(profileAddress, plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{profileHas("company", knownvalue.StringExact("Example Ltd")), profileHas("address", knownvalue.StringExact("1 Example Street"))},
		},
		resource.TestStep{
			Config:            config(fake, "%s", profile("address = \"1 Example Street\"\ncompany = \"\"")),
			ConfigPlanChecks:  plans(profileAddress, plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{profileHas("company", knownvalue.StringExact(""))},
		},
		resource.TestStep{ // drift
			PreConfig:        func() { fake.EditProfile("Ada", "Somebody Else Inc", "1 Example Street", "") },
			Config:           config(fake, "%s", profile("address = \"1 Example Street\"\ncompany = \"Example Ltd\"")),
			ConfigPlanChecks: plans(profileAddress, plancheck.ResourceActionUpdate),
		},
		resource.TestStep{ // a destroy leaves the profile
			Config: config(fake, "%s", "data \"hosting_account\" \"me\" {}\n"),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("data.hosting_account.me", tfjsonpath.New("company"), knownvalue.StringExact("Example Ltd")),
			},
		},
	)
	must(t, fake.Count("PATCH", "/me") == 4, "PATCHes: got %d, want 4", fake.Count("PATCH", "/me"))
}
