package acceptance

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// actionCases are the actions on the seeded instance.
var actionCases = map[string]struct {
	arguments string
	operation string
	target    string
}{
	"instance_rotate":  {"", "rotate", ""},
	"instance_reset":   {`confirm = "i-one"`, "reset", ""},
	"instance_restore": {`confirm = "i-one"` + "\n" + `backup_id = "bak-1"`, "restore", ""},
	"engine_restart":   {`engine = "postgres"`, "engine_restart", "engines/postgres"},
	"app_restart":      {`app = "web"`, "app_restart", "apps/web"},
	"app_redeploy":     {`app = "web"`, "app_redeploy", "apps/web"},
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

// An engine that the instance has is not refused, even if the service no longer offers it or
// does not say what it offers.
func TestActionOnAnEngineThatIsNotOffered(t *testing.T) {
	needs(t, providerActions)
	t.Parallel()
	for name, rewrite := range map[string]func(map[string]any){
		"no longer offered": func(m map[string]any) {
			if engines, ok := m["engines"].(map[string]any); ok {
				delete(engines, "postgres")
			}
		},
		"not told": func(m map[string]any) { m["engines"] = nil },
	} {
		t.Run(name, func(t *testing.T) {
			fake := seeded(t)
			fake.Inject(fakeservice.Fault{Method: "GET", Path: "/plans", Times: -1, Rewrite: rewrite})
			w := newWorkspace(t, fake, actionHCL("engine_restart", `engine = "postgres"`))
			w.says(0, nil, "plan", "-invoke=action.hosting_engine_restart.test")
		})
	}
}
