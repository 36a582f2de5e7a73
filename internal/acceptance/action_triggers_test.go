package acceptance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// These tests show what Terraform does if an action that a resource triggers fails. The
// rule is Terraform's. The documentation describes what it means for an instance.

// restartedInstance returns an instance whose postgres is restarted by a trigger.
func restartedInstance(protection bool, trigger string) string {
	return fmt.Sprintf(`
action "hosting_engine_restart" "test" {
  config {
    instance_id = caller.id
    engine      = "postgres"
  }
}
resource "hosting_instance" "test" {
  name                = "test"
  plan                = "free"
  region              = "eu-central"
  engines             = { postgres = {} }
  deletion_protection = %t
  lifecycle {
    action_trigger {
      actions = [action.hosting_engine_restart.test]
      %s
    }
  }
}
`, protection, strings.ReplaceAll(trigger, "; ", "\n      "))
}

// failRestart makes the next restart of an engine fail.
func failRestart(fake *fakeservicetest.Server) {
	fake.FailJobs(fakeservice.JobMatch{Operation: "engine_restart"}, 1, "trouble", "it is on fire")
}

// on_failure = taint makes the next apply replace a new instance. Only
// deletion_protection prevents this, until terraform untaint removes the mark.
func TestTriggeredActionThatTaintsAMachine(t *testing.T) {
	t.Parallel()
	needs(t, actionFailures)
	const trigger = "events = [after_create, after_update]; on_failure = taint"
	t.Run("protected", func(t *testing.T) {
		fake := startFake(t)
		failRestart(fake)
		w := newWorkspace(t, fake, restartedInstance(true, trigger))
		w.says(1, []string{"It is on fire (trouble)"}, "apply", "-auto-approve")
		id := onlyInstance(t, fake)
		w.says(1, []string{"is protected from deletion", "terraform untaint"}, "apply", "-auto-approve")
		must(t, onlyInstance(t, fake) == id && fake.Count("DELETE", "**") == 0, "the protected instance was deleted")
		must(t, w.run("untaint", "hosting_instance.test").exit == 0, "the protected instance cannot be untainted")
		w.mustBeSettled()

		// Terraform does not taint an instance for the action of a successful update.
		failRestart(fake)
		w.configure(restartedInstance(false, trigger))
		w.says(1, []string{"It is on fire (trouble)"}, "apply", "-auto-approve")
		w.mustBeKept("hosting_instance", "test")
		w.mustBeSettled()
	})
	t.Run("not protected", func(t *testing.T) {
		fake := startFake(t)
		failRestart(fake)
		w := newWorkspace(t, fake, restartedInstance(false, trigger))
		w.says(1, []string{"It is on fire (trouble)"}, "apply", "-auto-approve")
		id := onlyInstance(t, fake)
		w.says(0, []string{"is tainted, so must be replaced"}, "apply", "-auto-approve")
		must(t, onlyInstance(t, fake) != id && fake.Count("POST", "/instances") == 2, "the instance was not replaced")
		w.mustBeSettled()
	})
}

// An action before a destruction runs first. If it fails, an apply that replaces the
// instance destroys nothing, unless on_failure is continue. A destroy of everything
// continues whatever on_failure says.
func TestActionBeforeADestruction(t *testing.T) {
	t.Parallel()
	needs(t, destroyTriggers)
	for mode, goesOn := range map[string]bool{"halt": false, "continue": true, "taint": false} {
		t.Run(mode, func(t *testing.T) {
			fake := startFake(t)
			w := newWorkspace(t, fake, restartedInstance(false, "events = [before_destroy]; on_failure = "+mode))
			w.apply()
			id := onlyInstance(t, fake)
			must(t, jobsOf(fake, "engine_restart") == 0, "the action ran before the deletion")
			failRestart(fake)
			r := w.run("apply", "-replace=hosting_instance.test", "-auto-approve", "-no-color")
			must(t, strings.Contains(r.output, "It is on fire (trouble)"), "the apply: got exit %d, want the job's error:\n%s", r.exit, r.output)
			must(t, (r.exit == 0) == goesOn && (onlyInstance(t, fake) != id) == goesOn, "the apply: got exit %d and instances %+v, want a success and a new instance: %t\n%s", r.exit, fake.Instances(), goesOn, r.output)
			w.mustBeKept("hosting_instance", "test")
			w.mustBeSettled()

			failRestart(fake)
			w.says(0, []string{"Warning: Unable to complete action engine_restart", "It is on fire (trouble)"}, "destroy", "-auto-approve")
			jobs := fake.Jobs()
			must(t, len(fake.Instances()) == 0 && jobs[len(jobs)-1].Operation == "delete" && jobs[len(jobs)-2].Operation == "engine_restart", "jobs: got %+v, want a restart and then a deletion, and no instance", jobs)
		})
	}
}
