package acceptance

import (
	"strings"
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

func TestAppLinksAreSetWhileTheFirstBuildRuns(t *testing.T) {
	fake := startFake(t)
	release := fake.HoldBuilds(fakeservice.BuildMatch{App: "guestbook"})
	whenever(t, func() bool {
		for _, instance := range fake.Instances() {
			if app, ok := fake.App(instance.ID, "guestbook"); ok && len(app.Links) == 1 && app.Status == "building" {
				return true
			}
		}
		return false
	}, release)
	run(t, resource.TestStep{
		Config:           config(fake, "%s", appHCL("name = \"guestbook\"\nrepo = \"octo/guestbook\"\nlinks = [\"auth\"]")),
		ConfigPlanChecks: emptyPlan,
	})
}

func TestAppDrift(t *testing.T) {
	fake := startFake(t)
	configuration := config(fake, "%s", appHCL("name = \"guestbook\"\nrepo = \"octo/guestbook\"\nlinks = [\"auth\"]"))
	steps := []resource.TestStep{{Config: configuration}}
	for _, change := range []func(*fakeservice.App){
		func(a *fakeservice.App) { a.Branch = "other" },
		func(a *fakeservice.App) { a.Port = 1234 },
		func(a *fakeservice.App) { a.HealthPath = "/other" },
		func(a *fakeservice.App) { a.Public = true },
		func(a *fakeservice.App) { a.Links = nil },
		func(a *fakeservice.App) { a.Env = map[string]string{"X": "1"} },
	} {
		steps = append(steps, resource.TestStep{
			PreConfig:        func() { fake.EditApp(onlyInstance(t, fake), "guestbook", change) },
			Config:           configuration,
			ConfigPlanChecks: plans(appAddress, plancheck.ResourceActionUpdate),
		})
	}
	steps = append(steps, resource.TestStep{ // gone
		PreConfig:        func() { fake.RemoveApp(onlyInstance(t, fake), "guestbook") },
		Config:           configuration,
		ConfigPlanChecks: plans(appAddress, plancheck.ResourceActionCreate),
	})
	run(t, steps...)
}

func TestAppUnknownAtPlan(t *testing.T) {
	fake := startFake(t)
	run(t, resource.TestStep{
		Config: config(fake, `
resource "terraform_data" "later" { input = { word = "later", port = 8080, memory = 600 } }
%s`, appHCL(`
  name              = terraform_data.later.output.word
  repo              = "octo/${terraform_data.later.output.word}"
  branch            = terraform_data.later.output.word
  port              = terraform_data.later.output.port
  memory_mb         = terraform_data.later.output.memory
  health_path       = "/${terraform_data.later.output.word}"
  public            = terraform_data.later.output.port > 1
  env               = { A = terraform_data.later.output.word }
  links             = [terraform_data.later.output.word == "later" ? "auth" : "none"]
  redeploy_triggers = { v = terraform_data.later.output.word }`)),
		ConfigPlanChecks: emptyPlan,
	})
}

func TestAppInvalid(t *testing.T) {
	fake := startFake(t)
	with := func(arguments string) string { return config(fake, "%s", appHCL(arguments)) }
	const basics = "name = \"guestbook\"\nrepo = \"octo/guestbook\"\n"
	run(t,
		refuses(with("name = \"\"\nrepo = \"octo/guestbook\""), `name must not be empty, "." or ".."`),
		refuses(with("name = \"a\"\nrepo = \"guestbook\""), `repo must have the form owner/repo, not "guestbook".`),
		refuses(with(basics+"port = 0"), `port must be from 1 to 65535, not 0.`),
		refuses(with(basics+"health_path = \"up\""), `health_path must begin with /, not "up"; did you mean "/up"?`),
		refuses(with(basics+"memory_mb = 5"), `An app needs at least 512 MB, not 5.`),
		refuses(with(basics+"branch = \"\""), `branch must not be empty.`),
		refuses(with(basics+"links = [\"\"]"), `links`),
		refuses(with(basics+"secret_env_wo = { A = \"1\" }"), `secret_env_wo_version`),
		refuses(with(basics+"env = { A = \"1\" }\nsecret_env_wo = { A = \"2\" }\nsecret_env_wo_version = 1"), `The variable A is in both env and secret_env_wo.`),
		refuses(with(basics+"env = { A = \"(value not shown)\" }"), `Write the value itself.`),
	)
}

func TestAppFirstBuildFails(t *testing.T) {
	fake := startFake(t)
	configuration := config(fake, "%s", appHCL("name = \"guestbook\"\nrepo = \"octo/guestbook\""))
	fake.FailBuilds(fakeservice.BuildMatch{App: "guestbook"}, 1, "step 7 of 9\nerror: no such file app.go")
	run(t,
		refuses(configuration, "of app guestbook failed. The end of the build's log: step 7 of 9 error: no such file app.go Fix the cause in the repository"),
		resource.TestStep{ // the app never ran, so it is replaced
			Config:            configuration,
			ConfigPlanChecks:  plans(appAddress, plancheck.ResourceActionDestroyBeforeCreate),
			ConfigStateChecks: []statecheck.StateCheck{appHas("status", knownvalue.StringExact("running"))},
		},
	)
}

func TestAppImportJobFails(t *testing.T) {
	fake := startFake(t)
	configuration := config(fake, "%s", appHCL("name = \"guestbook\"\nrepo = \"octo/guestbook\""))
	fake.FailJobs(fakeservice.JobMatch{Operation: "app_import"}, 1, "repo_not_visible", "octo/guestbook is not visible to the integration")
	run(t,
		refuses(configuration, "octo/guestbook is not visible to the integration (repo_not_visible)"),
		resource.TestStep{Config: configuration, ConfigPlanChecks: emptyPlan},
	)
}

func TestAppFailedBuildInAnUpdateKeepsTheRunningVersion(t *testing.T) {
	fake := startFake(t)
	with := func(env string) string {
		return config(fake, "%s", appHCL("name = \"guestbook\"\nrepo = \"octo/guestbook\"\nenv = { A = \""+env+"\" }"))
	}
	run(t,
		resource.TestStep{Config: with("1")},
		resource.TestStep{
			PreConfig:   func() { fake.FailBuilds(fakeservice.BuildMatch{App: "guestbook"}, 1, "error: out of disk") },
			Config:      with("2"),
			ExpectError: wrapped("of app guestbook failed. The app still runs the previous version. The end of the build's log: error: out of disk"),
		},
		resource.TestStep{ // the planned version was never deployed, so it is built again
			Config:           with("2"),
			ConfigPlanChecks: plans(appAddress, plancheck.ResourceActionUpdate),
			Check: func(*terraformState) error {
				app := theApp(t, fake)
				if app.Status != "running" || len(app.Builds) != 3 || app.Builds[0].Status != "successful" {
					t.Errorf("the app: got %s with builds %+v, want running with three builds, the newest successful", app.Status, app.Builds)
				}
				return nil
			},
		},
	)
	if n := fake.Count("POST", "/instances/*/apps/import"); n != 1 {
		t.Errorf("imports of apps: got %d, want 1", n)
	}
}

func TestAppFirstDeployIsNotHealthy(t *testing.T) {
	fake := startFake(t)
	configuration := config(fake, "%s", appHCL("name = \"guestbook\"\nrepo = \"octo/guestbook\""))
	fake.FailStarts(fakeservice.AppMatch{App: "guestbook"}, 1, fakeservice.AppFailure{Exited: true, Log: "panic: no table"})
	run(t,
		refuses(configuration, "App guestbook does not run: /healthz on port 3000 did not answer at all within a minute. The process ended by itself. "+
			"The end of the app's log: panic: no table Fix what ended the process"),
		resource.TestStep{ // the app never ran, so it is replaced
			Config:            configuration,
			ConfigPlanChecks:  plans(appAddress, plancheck.ResourceActionDestroyBeforeCreate),
			ConfigStateChecks: []statecheck.StateCheck{appHas("status", knownvalue.StringExact("running"))},
		},
	)
}

// An unhealthy version takes the app down, whether it comes from a build or a restart.
// The state shows this, and the next apply deploys the app again.
func TestAppUpdateThatIsNotHealthyTakesTheAppDown(t *testing.T) {
	t.Parallel()
	for way, change := range map[string]string{"build": `branch = "next"`, "restart": "port = 8080"} {
		t.Run(way, func(t *testing.T) {
			fake := seededApps(t)
			w := newWorkspace(t, fake, oneApp(""))
			w.apply()
			fake.FailStarts(fakeservice.AppMatch{}, 2, fakeservice.AppFailure{Status: 503, Log: "no table"})
			w.configure(oneApp(change))
			w.fails("/healthz on port " + map[string]string{"build": "3000", "restart": "8080"}[way] + " did not answer 200 within a minute; its last answer was 503 Service Unavailable. " +
				"The process is still running. The app was running before this change and is down now. The end of the app's log: no table Fix what makes /healthz fail.")
			must(t, w.mustBeKept("hosting_app", "test").Attributes["status"] == "failed", "the state does not say that the app has failed")
			w.fails("The app was down before this change and still is.")
			w.apply()
			w.mustBeSettled()
			must(t, theSeededApp(t, fake).Status == "running", "the app: got %s, want running", theSeededApp(t, fake).Status)
		})
	}
}

func TestAppUpdateJobFails(t *testing.T) {
	fake := startFake(t)
	with := func(port string) string {
		return config(fake, "%s", appHCL("name = \"guestbook\"\nrepo = \"octo/guestbook\"\nport = "+port))
	}
	run(t,
		resource.TestStep{Config: with("3000")},
		resource.TestStep{
			PreConfig: func() {
				fake.FailJobs(fakeservice.JobMatch{Operation: "app_update"}, 1, "trouble", "the port is on fire")
			},
			Config:      with("3001"),
			ExpectError: wrapped("The port is on fire (trouble)"),
		},
		resource.TestStep{Config: with("3001"), ConfigPlanChecks: plans(appAddress, plancheck.ResourceActionUpdate)},
	)
}

func TestAppAfterImportIsNotBuiltAgain(t *testing.T) {
	fake := startFake(t)
	arguments := "name = \"guestbook\"\nrepo = \"octo/guestbook\"\nenv = { A = \"1\" }"
	run(t,
		resource.TestStep{Config: config(fake, "%s", appHCL(arguments))},
		resource.TestStep{ // removed from the state, then imported again
			Config: config(fake, "%s", appsInstance+"\nremoved {\n  from = hosting_app.test\n  lifecycle {\n    destroy = false\n  }\n}"),
		},
		resource.TestStep{
			Config: config(fake, "%s", appHCL(arguments)+"\nimport {\n  to = hosting_app.test\n  id = \"${hosting_instance.test.id}/guestbook\"\n}"),
			ConfigStateChecks: []statecheck.StateCheck{
				appHas("env", knownvalue.MapExact(map[string]knownvalue.Check{"A": knownvalue.StringExact("1")})),
			},
			ConfigPlanChecks: emptyPlan,
			Check: func(*terraformState) error {
				if n := len(theApp(t, fake).Builds); n != 1 {
					t.Errorf("builds: got %d, want 1", n)
				}
				return nil
			},
		},
	)
}

func TestImportIDMustHaveItsForm(t *testing.T) {
	t.Parallel()
	fake := startFake(t)
	for _, id := range []string{"guestbook", "a/b/c", "/guestbook", "i-1/"} {
		t.Run(strings.ReplaceAll(id, "/", "_"), func(t *testing.T) {
			run(t, resource.TestStep{
				Config:        config(fake, "%s", appHCL("name = \"guestbook\"\nrepo = \"octo/guestbook\"")),
				ResourceName:  appAddress,
				ImportState:   true,
				ImportStateId: id,
				ExpectError:   wrapped("The import ID is the instance's id and the app's name, such as i-4f2a/web"),
			})
		})
	}
}
