package acceptance

import (
	"fmt"
	"net/http"
	"syscall"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

const guestbookApp = "name = \"guestbook\"\nrepo = \"octo/guestbook\"\n"

// push adds a commit to the guestbook's branch and returns its hash.
func push(fake *fakeservicetest.Server) string { return fake.Push("octo/guestbook", "main") }

// redeploys returns how many redeploys the fake was asked for.
func redeploys(fake *fakeservicetest.Server) int {
	return fake.Count("POST", "/instances/*/apps/*/actions/redeploy")
}

// redeploy builds and deploys the app's newest commit outside of Terraform.
func redeploy(t *testing.T, fake *fakeservicetest.Server) {
	t.Helper()
	built := len(theApp(t, fake).Builds)
	behind(t, fake, http.MethodPost, "/instances/"+onlyInstance(t, fake)+"/apps/guestbook/actions/redeploy", "{}")
	machine.Until(t, "the app is deployed again", func() bool {
		app := theApp(t, fake)
		return len(app.Builds) == built+1 && app.Builds[0].Status == "successful" && app.Status == "running"
	})
}

// A build that was deployed outside of Terraform appears at the next refresh and plans no
// change.
func TestDeployedBuildIsRefreshed(t *testing.T) {
	fake := startFake(t)
	configuration := config(fake, "%s", appHCL(guestbookApp))
	var pushed string
	run(t,
		resource.TestStep{Config: configuration},
		resource.TestStep{
			PreConfig: func() {
				pushed = push(fake)
				redeploy(t, fake)
			},
			RefreshState: true,
			Check: func(s *terraformState) error {
				app := s.RootModule().Resources[appAddress].Primary.Attributes
				if newest := theApp(t, fake).Builds[0].ID; app["commit"] != pushed || app["build_id"] != newest {
					return fmt.Errorf("the app: got build %s of commit %s, want %s of %s", app["build_id"], app["commit"], newest, pushed)
				}
				return nil
			},
		},
		resource.TestStep{Config: configuration, ConfigPlanChecks: plans(appAddress, plancheck.ResourceActionNoop)},
	)
}

func TestDeployCommit(t *testing.T) {
	fake := startFake(t)
	first := push(fake)
	with := func(commit string) string {
		return config(fake, "%s", appHCL(guestbookApp+fmt.Sprintf("deploy_commit = %q", commit)))
	}
	deployed := func(commit *string) resource.TestCheckFunc {
		return func(s *terraformState) error {
			if got := s.RootModule().Resources[appAddress].Primary.Attributes["commit"]; got != *commit {
				return fmt.Errorf("the deployed commit: got %s, want %s", got, *commit)
			}
			return nil
		}
	}
	second := push(fake)
	run(t,
		resource.TestStep{Config: with(second), ConfigPlanChecks: emptyPlan, Check: deployed(&second)},
		// The commit stays deployed, whatever is pushed later.
		resource.TestStep{PreConfig: func() { push(fake) }, Config: with(second), ConfigPlanChecks: plans(appAddress, plancheck.ResourceActionNoop)},
		// An abbreviated hash names the same commit.
		resource.TestStep{Config: with(second[:7]), ConfigPlanChecks: plans(appAddress, plancheck.ResourceActionUpdate), Check: deployed(&second)},
		// An import asks for no commit, and shows the deployed one.
		resource.TestStep{
			ResourceName: appAddress, ImportState: true, ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "name",
			ImportStateIdFunc:       func(*terraformState) (string, error) { return onlyInstance(t, fake) + "/guestbook", nil },
			ImportStateVerifyIgnore: []string{"deletion_protection", "deploy_commit", "env"},
		},
	)
	if n := redeploys(fake); n != 0 || first == second {
		t.Errorf("redeployments of %s and %s: got %d, want none of two different commits", first, second, n)
	}
}

func TestDeployCommitDrift(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, "")
	asks := func(commit string) {
		w.configure(appHCL(guestbookApp + fmt.Sprintf("deploy_commit = %q", commit)))
	}
	first := push(fake)
	asks(first)
	w.apply()
	w.mustBeSettled()

	// Another client deploys a newer commit.
	second := push(fake)
	redeploy(t, fake)
	w.says(0, []string{"App guestbook runs another commit", "Commit " + second + " is deployed, and not commit " + first, "will be updated in-place"}, "plan", "-no-color")
	// The branch has moved on, so the wanted commit can no longer be built.
	w.says(1, []string{"App guestbook runs commit " + second + ", and not commit " + first + " that deploy_commit asks for", "set deploy_commit to " + second}, "apply", "-auto-approve", "-no-color")
	must(t, redeploys(fake) == 2, "redeployments: got %d, want 2", redeploys(fake))

	asks(second)
	w.says(0, []string{"1 changed"}, "apply", "-auto-approve", "-no-color")
	w.mustBeSettled()
	must(t, redeploys(fake) == 2, "redeployments: got %d, want 2: the commit was deployed already", redeploys(fake))

	// The configuration asks for a new commit.
	third := push(fake)
	asks(third)
	w.says(0, []string{"1 changed"}, "apply", "-auto-approve", "-no-color")
	w.mustBeSettled()
	must(t, redeploys(fake) == 3, "redeployments: got %d, want 3", redeploys(fake))
	must(t, theApp(t, fake).Builds[0].Commit == third, "the newest build: got %v, want the commit %s", theApp(t, fake).Builds[0], third)
}

// A creation that built a different commit leaves the app as it is: it runs, and must not
// be replaced because of this.
func TestNewAppOfAnotherCommit(t *testing.T) {
	fake := startFake(t)
	pushed := push(fake)
	w := newWorkspace(t, fake, appHCL(guestbookApp+`deploy_commit = "0123456789"`))
	w.says(0, []string{"App guestbook was deployed from a different commit", "App guestbook runs commit " + pushed + ", and not commit 0123456789", "not tainted"}, "apply", "-auto-approve", "-no-color")
	w.configure(appHCL(guestbookApp + fmt.Sprintf("deploy_commit = %q", pushed)))
	w.says(0, []string{"0 added, 1 changed, 0 destroyed"}, "apply", "-auto-approve", "-no-color")
	w.mustBeSettled()
	must(t, len(theApp(t, fake).Builds) == 1, "builds: got %d, want 1", len(theApp(t, fake).Builds))
}

// An apply that was interrupted while it built is waited for. A commit that the
// configuration asks for later is built after that.
func TestDeployCommitResumes(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, "")
	asks := func(commit string) {
		w.configure(appHCL(guestbookApp + fmt.Sprintf("deploy_commit = %q", commit)))
	}
	asks(push(fake))
	w.apply()
	interrupt := func() {
		t.Helper()
		before, release := redeploys(fake), fake.HoldBuilds(fakeservice.BuildMatch{})
		apply := w.start("apply", "-auto-approve", "-no-color")
		apply.until("the app is built", func() bool { return redeploys(fake) == before+1 })
		apply.signal(syscall.SIGINT)
		must(t, apply.wait().exit == 1, "the apply: got another exit than 1, want it cut short")
		release()
	}
	second := push(fake)
	asks(second)
	interrupt()
	w.apply()
	w.mustBeSettled()
	must(t, redeploys(fake) == 1, "redeployments: got %d, want 1", redeploys(fake))

	third := push(fake)
	asks(third)
	interrupt()
	fourth := push(fake)
	asks(fourth)
	w.apply()
	w.mustBeSettled()
	must(t, theApp(t, fake).Builds[0].Commit == fourth, "the newest build: got %v, want the commit %s", theApp(t, fake).Builds[0], fourth)
}

// A replica that does not show the newest build yet leads to a plan that would build
// again. The apply reads the builds again, and builds nothing.
func TestDeployCommitBehindAReplica(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, "")
	asks := func(commit string) {
		w.configure(appHCL(guestbookApp + fmt.Sprintf("deploy_commit = %q", commit)))
	}
	asks(push(fake))
	w.apply()
	asks(push(fake))
	w.apply()
	must(t, redeploys(fake) == 1, "redeployments: got %d, want 1", redeploys(fake))
	fake.Inject(fakeservice.Fault{Method: http.MethodGet, Path: "/instances/*/apps/*/builds", Rewrite: func(body map[string]any) {
		body["builds"] = body["builds"].([]any)[1:]
	}})
	w.says(0, []string{"0 added, 1 changed, 0 destroyed"}, "apply", "-auto-approve", "-no-color")
	must(t, redeploys(fake) == 1, "redeployments: got %d, want 1, that of before", redeploys(fake))
	w.mustBeSettled()
}

func TestDeployCommitUnknownAndInvalid(t *testing.T) {
	fake := startFake(t)
	pushed := push(fake)
	run(t,
		refuses(config(fake, "%s", appHCL(guestbookApp+`deploy_commit = "main"`)), `deploy_commit must be a commit's hash, or its first 7 or more hexadecimal digits, not "main".`),
		resource.TestStep{
			Config: config(fake, "%s", fmt.Sprintf("resource \"terraform_data\" \"later\" {\n  input = %q\n}\n", pushed)+
				appHCL(guestbookApp+`deploy_commit = terraform_data.later.output`)),
			ConfigPlanChecks:  emptyPlan,
			ConfigStateChecks: []statecheck.StateCheck{appHas("deploy_commit", knownvalue.StringExact(pushed)), appHas("commit", knownvalue.StringExact(pushed))},
		},
	)
}
