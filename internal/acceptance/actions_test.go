package acceptance

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// actionCases are the actions on the seeded instance, each with an invalid argument and
// its message.
var actionCases = map[string]struct {
	arguments string
	operation string
	target    string
	fails     string // arguments that are refused
	says      string
}{
	"instance_rotate":  {"", "rotate", "", `timeouts = { invoke = "x" }`, `timeouts.invoke "x" is not a duration. Write 45m.`},
	"instance_reset":   {`confirm = "i-one"`, "reset", "", `confirm = "i-two"`, `To go ahead, set confirm to the instance id "i-one"; it is "i-two".`},
	"instance_restore": {`confirm = "i-one"` + "\n" + `backup_id = "bak-1"`, "restore", "", `confirm = "no"` + "\n" + `backup_id = "bak-1"`, `To go ahead, set confirm to the instance id "i-one"`},
	"engine_restart":   {`engine = "postgres"`, "engine_restart", "engines/postgres", `engine = ""`, "engine must not be empty."},
	"app_restart":      {`app = "web"`, "app_restart", "apps/web", `app = ""`, "app must not be empty."},
	"app_redeploy":     {`app = "web"`, "app_redeploy", "apps/web", `app = ""`, "app must not be empty."},
}

func actionHCL(name, arguments string) string {
	return fmt.Sprintf("action \"hosting_%s\" \"test\" {\n  config {\n    instance_id = \"i-one\"\n    %s\n  }\n}\n", name, arguments)
}

func TestActionsInvoked(t *testing.T) {
	t.Parallel()
	for name, c := range actionCases {
		t.Run(name, func(t *testing.T) {
			needs(t, providerActions)
			fake := seeded(t)
			w := newWorkspace(t, fake, actionHCL(name, c.arguments))
			r := w.run("apply", "-auto-approve", "-no-color", "-invoke=action.hosting_"+name+".test")
			if r.exit != 0 {
				t.Fatalf("the apply that invokes the action: got exit %d, want 0:\n%s", r.exit, r.output)
			}
			jobs := fake.Jobs()
			if len(jobs) != 1 || jobs[0].Operation != c.operation || jobs[0].Target != c.target || jobs[0].Status != "done" {
				t.Fatalf("jobs: got %+v, want %s of %s done", jobs, c.operation, c.target)
			}
			if first := fmt.Sprintf("Job %s (%s) is accepted.", jobs[0].ID, c.operation); !strings.Contains(r.output, first) {
				t.Errorf("the output of the apply: got\n%s\nwant %q in it", r.output, first)
			}
			if name == "app_redeploy" && !strings.Contains(r.output, "is deployed and runs.") {
				t.Errorf("the output of the apply: got\n%s\nwant the end of the build in it", r.output)
			}
		})
	}
}

func TestActionsRefuseBadArguments(t *testing.T) {
	fake := seeded(t)
	var steps []resource.TestStep
	for name, c := range actionCases {
		steps = append(steps, refuses(config(fake, "%s", actionHCL(name, c.fails)), c.says))
	}
	runWith(t, providerActions, steps...)
	if n := fake.Count("POST", "**"); n != 0 {
		t.Errorf("requests that were sent: got %d, want none", n)
	}
}

func TestActionTriggeredByAResource(t *testing.T) {
	fake := seeded(t)
	runWith(t, providerActions, resource.TestStep{
		Config: config(fake, "%s", actionHCL("app_redeploy", `app = "web"`)+`
resource "terraform_data" "release" {
  input = "v2"
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.hosting_app_redeploy.test]
    }
  }
}`),
		PostApplyFunc: func() {
			app, _ := fake.App("i-one", "web")
			if jobsOf(fake, "app_redeploy") != 1 || len(app.Builds) == 0 || app.Builds[0].Status != "successful" {
				t.Errorf("jobs: got %+v, want one redeployment; builds: got %+v, want the first successful", fake.Jobs(), app.Builds)
			}
		},
	})
}

func TestActionWhoseJobFails(t *testing.T) {
	needs(t, providerActions)
	fake := seeded(t)
	fake.FailJobs(fakeservice.JobMatch{Operation: "rotate"}, 1, "trouble", "the vault is on fire")
	w := newWorkspace(t, fake, actionHCL("instance_rotate", ""))
	r := w.run("apply", "-auto-approve", "-no-color", "-invoke=action.hosting_instance_rotate.test")
	if r.exit == 0 || !strings.Contains(r.output, "The vault is on fire (trouble)") {
		t.Errorf("the failed rotation: got exit %d, want another than 0 and the job's error:\n%s", r.exit, r.output)
	}
}

// Terraform drops an action's diagnostics on Ctrl-C. By then, the job's id has been
// printed.
func TestInterruptedActionHasToldItsJob(t *testing.T) {
	needs(t, providerActions)
	fake := seeded(t)
	w := newWorkspace(t, fake, actionHCL("instance_rotate", ""))
	release := fake.HoldJobs(fakeservice.JobMatch{Operation: "rotate"})
	defer release()
	apply := w.start("apply", "-auto-approve", "-no-color", "-invoke=action.hosting_instance_rotate.test")
	apply.until("the job is polled", func() bool { return fake.Count("GET", "/jobs/*") > 0 })
	apply.signal(syscall.SIGINT)
	r := apply.wait()
	if job := fake.Jobs()[0].ID; !strings.Contains(r.output, "Job "+job+" (rotate) is accepted.") {
		t.Errorf("the output of the interrupted apply: got\n%s\nwant the accepted job %s in it", r.output, job)
	}
	if n := fake.Count("POST", "/instances/*/actions/rotate"); n != 1 {
		t.Errorf("rotations: got %d, want 1", n)
	}
}

// If the answer to the request is lost, the last line says that the outcome is unknown.
func TestInterruptedActionHasToldThatItIsUnknown(t *testing.T) {
	needs(t, providerActions)
	fake := seeded(t)
	w := newWorkspace(t, fake, actionHCL("instance_rotate", ""))
	var sent atomic.Bool
	fake.Inject(fakeservice.Fault{
		Method: "POST", Path: "/instances/*/actions/rotate", Page: http.StatusBadGateway,
		Before: func() { sent.Store(true) }, Delay: 5 * time.Second, // the answer comes after the interrupt
	})
	apply := w.start("apply", "-auto-approve", "-no-color", "-invoke=action.hosting_instance_rotate.test")
	apply.until("the request is sent", sent.Load)
	apply.signal(syscall.SIGINT)
	r := apply.wait()
	must(t, strings.Contains(r.output, "Requesting rotate on instance i-one. If no job is accepted below, check in the portal"), "the interrupted apply: got exit %d, want the advice to check in the portal:\n%s", r.exit, r.output)
}

// A redeployment waits for its build, even if no answer named the build.
func TestRedeployWaitsForTheBuild(t *testing.T) {
	needs(t, providerActions)
	t.Parallel()
	const path = "/instances/*/apps/*/actions/redeploy"
	for name, fault := range map[string]fakeservice.Fault{
		"the answer is lost":         {Method: "POST", Path: path, Times: 2, AfterCommit: true, Page: http.StatusBadGateway},
		"the answer names only jobs": {Method: "POST", Path: path, Times: 2, Rewrite: func(m map[string]any) { delete(m, "build_id") }},
	} {
		t.Run(name, func(t *testing.T) {
			fake := seededApps(t)
			w := newWorkspace(t, fake, oneApp("")+`
action "hosting_app_redeploy" "test" {
  config {
    instance_id = "i-one"
    app         = "guestbook"
  }
}
`)
			w.apply()
			fake.Inject(fault)
			fake.FailBuilds(fakeservice.BuildMatch{}, 1, "error: no space")
			redeploy := []string{"apply", "-auto-approve", "-invoke=action.hosting_app_redeploy.test"}
			w.says(1, []string{"error: no space", "terraform apply -invoke=ADDRESS"}, redeploy...)
			w.says(0, []string{"is deployed and runs."}, redeploy...)
			must(t, len(theSeededApp(t, fake).Builds) == 3, "got %d builds, want 3", len(theSeededApp(t, fake).Builds))
		})
	}
}

// Actions wait in the instance's queue like all other changes.
func TestActionsQueueWithResources(t *testing.T) {
	fake := seeded(t)
	runWith(t, providerActions, resource.TestStep{
		Config: config(fake, "%s", actionHCL("engine_restart", `engine = "postgres"`)+`
resource "hosting_allowlist" "test" {
  instance_id = "i-one"
  cidrs       = ["203.0.113.0/24"]
}
resource "terraform_data" "restart" {
  count = 3
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.hosting_engine_restart.test]
    }
  }
}`),
		PostApplyFunc: func() { mustHaveNoConflict(t, fake) },
	})
	if n := jobsOf(fake, "engine_restart"); n != 3 {
		t.Errorf("restarts: got %d, want 3", n)
	}
}

func mustHaveNoConflict(t *testing.T, fake *fakeservicetest.Server) {
	t.Helper()
	if n := conflicts(fake); n != 0 {
		t.Errorf("requests that were answered 409: got %d, want 0", n)
	}
}
