package acceptance

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

const appAddress = "hosting_app.test"

// appHCL returns an app on the test instance, with further arguments.
func appHCL(arguments string) string {
	return appsInstance + `
resource "hosting_app" "test" {
  instance_id         = hosting_instance.test.id
  deletion_protection = false
  ` + arguments + `
}
`
}

func appHas(attribute string, value knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(appAddress, tfjsonpath.New(attribute), value)
}

// theApp returns the fake's app guestbook.
func theApp(t *testing.T, fake *fakeservicetest.Server) fakeservice.App {
	t.Helper()
	app, ok := fake.App(onlyInstance(t, fake), "guestbook")
	if !ok {
		t.Fatal("the fake has no app guestbook")
	}
	return app
}

func TestAppLifecycle(t *testing.T) {
	fake := startFake(t)
	const basics = "name = \"guestbook\"\nrepo = \"octo/guestbook\"\n"
	with := func(arguments string) string { return config(fake, "%s", appHCL(basics+arguments)) }
	builds := func(n int) resource.TestCheckFunc {
		return func(*terraformState) error {
			if got := len(theApp(t, fake).Builds); got != n {
				t.Errorf("builds: got %d, want %d", got, n)
			}
			return nil
		}
	}
	updates := plans(appAddress, plancheck.ResourceActionUpdate)
	run(t,
		resource.TestStep{
			Config: with(""),
			ConfigStateChecks: []statecheck.StateCheck{
				appHas("branch", knownvalue.StringExact("main")),
				appHas("port", knownvalue.Int64Exact(3000)),
				appHas("health_path", knownvalue.StringExact("/healthz")),
				appHas("public", knownvalue.Bool(false)),
				appHas("url", knownvalue.Null()),
				appHas("status", knownvalue.StringExact("running")),
				appHas("build_id", knownvalue.NotNull()),
				appHas("commit", knownvalue.NotNull()),
				appHas("memory_mb", knownvalue.NotNull()),
			},
			ConfigPlanChecks: emptyPlan,
			Check:            builds(1),
		},
		resource.TestStep{
			Config:            with(`public = true`),
			ConfigStateChecks: []statecheck.StateCheck{appHas("url", knownvalue.NotNull())},
			ConfigPlanChecks:  updates,
			Check:             builds(1),
		},
		resource.TestStep{
			ResourceName:                         appAddress,
			ImportState:                          true,
			ImportStateIdFunc:                    func(*terraformState) (string, error) { return onlyInstance(t, fake) + "/guestbook", nil },
			ImportStateVerify:                    true,
			ImportStateVerifyIgnore:              []string{"deletion_protection"},
			ImportStateVerifyIdentifierAttribute: "name",
		},
		resource.TestStep{Config: with("public = true\nport = 8080"), ConfigPlanChecks: updates, Check: builds(1)},
		resource.TestStep{Config: with("public = true\nport = 8080\nhealth_path = \"/up\""), ConfigPlanChecks: updates, Check: builds(1)},
		resource.TestStep{Config: with("public = true\nmemory_mb = 600"), ConfigPlanChecks: updates, Check: builds(1)},
		resource.TestStep{Config: with("public = true"), ConfigPlanChecks: plans(appAddress, plancheck.ResourceActionNoop)},
		resource.TestStep{Config: with("public = true\nlinks = [\"auth\"]"), ConfigPlanChecks: updates, Check: builds(1)},
		resource.TestStep{Config: with("public = true\nbranch = \"next\""), ConfigPlanChecks: updates, Check: builds(2)},
		resource.TestStep{Config: with("public = true\nenv = { A = \"1\" }"), ConfigPlanChecks: updates, Check: builds(3)},
		resource.TestStep{Config: with("public = true\nenv = { A = \"1\" }\nredeploy_triggers = { v = \"1\" }"), ConfigPlanChecks: updates, Check: builds(4)},
		resource.TestStep{Config: with("public = true\nenv = { A = \"2\" }\nredeploy_triggers = { v = \"2\" }"), ConfigPlanChecks: updates, Check: builds(5)},
		resource.TestStep{
			Config:           with("public = true\nenv = { A = \"2\" }\nredeploy_triggers = { v = \"2\" }\ntimeouts = { delete = \"7m\" }"),
			ConfigPlanChecks: updates,
			Check:            builds(5),
		},
		resource.TestStep{ // the same repository in different case
			Config:           config(fake, "%s", appHCL("name = \"guestbook\"\nrepo = \"Octo/Guestbook\"\npublic = true\nenv = { A = \"2\" }\nredeploy_triggers = { v = \"2\" }\ntimeouts = { delete = \"7m\" }")),
			ConfigPlanChecks: plans(appAddress, plancheck.ResourceActionNoop),
		},
		resource.TestStep{ // a different repository replaces the app
			Config:           config(fake, "%s", appHCL("name = \"guestbook\"\nrepo = \"octo/other\"")),
			ConfigPlanChecks: plans(appAddress, plancheck.ResourceActionDestroyBeforeCreate),
		},
	)
	if n := fake.Count("POST", "/instances/*/apps/import"); n != 2 {
		t.Errorf("imports of apps: got %d, want 2", n)
	}
	if n := jobsOf(fake, "app_delete"); n != 2 {
		t.Errorf("deletions of apps: got %d, want 2", n)
	}
}
