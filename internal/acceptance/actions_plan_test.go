package acceptance

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

func TestPlansOfActions(t *testing.T) {
	t.Parallel()
	const confirmed = `confirm = "i-one"` + "\n"
	for name, c := range map[string]struct {
		action, arguments string
		exit              int
		texts             []string
	}{
		"rotate": {"instance_rotate", "", 0, []string{"A rotation replaces all passwords", "Rotating instance one (i-one) replaces every password", "the auth service key"}},
		"reset": {"instance_reset", confirmed, 0, []string{
			"The reset will lose data", "deletes all data of every engine on instance i-one", "deletion_protection does not prevent it"}},
		"reset of one engine":     {"instance_reset", confirmed + `engine = "postgres"`, 0, []string{"deletes all data of engine postgres on instance i-one"}},
		"reset of an engine off":  {"instance_reset", confirmed + `engine = "redis"`, 0, []string{"The engine redis is off"}},
		"reset of no engine":      {"instance_reset", confirmed + `engine = "postgress"`, 1, []string{`There is no engine "postgress"; did you mean "postgres"?`}},
		"reset of an empty one":   {"instance_reset", confirmed + `engine = trimprefix(terraform_data.other.output, "i-two")`, 1, []string{"engine must not be empty"}},
		"restart of no engine":    {"engine_restart", `engine = "mysql"`, 1, []string{`There is no engine "mysql"; there are: apps, auth,`}},
		"restart of an engine":    {"engine_restart", `engine = "postgres"`, 0, nil},
		"restore":                 {"instance_restore", confirmed + `backup_id = "bak-1"`, 0, []string{"The restore will lose data", "everything that came after backup bak-1", "on instance i-one"}},
		"restore of no backup":    {"instance_restore", confirmed + `backup_id = "bak-2"`, 1, []string{`There is no backup "bak-2"; did you mean "bak-1"?`}},
		"another confirmation":    {"instance_reset", `confirm = "i-two"`, 1, []string{`To go ahead, set confirm to the instance id "i-one"; it is "i-two".`}},
		"confirmation from state": {"instance_reset", `confirm = terraform_data.other.output`, 1, []string{`To go ahead, set confirm to the instance id "i-one"; it is "i-two".`}},
	} {
		t.Run(name, func(t *testing.T) {
			needs(t, providerActions)
			fake := seeded(t)
			other := "resource \"terraform_data\" \"other\" {\n  input = \"i-two\"\n}\n"
			w := newWorkspace(t, fake, other)
			w.apply()
			w.configure(other + actionHCL(c.action, c.arguments))
			w.says(c.exit, c.texts, "plan", "-invoke=action.hosting_"+c.action+".test")

			// The same plan, with a trigger.
			w.configure(other + actionHCL(c.action, c.arguments) + fmt.Sprintf(`
resource "terraform_data" "release" {
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.hosting_%s.test]
    }
  }
}`, c.action))
			w.says(c.exit, c.texts, "plan")
			changedNothing(t, fake)
		})
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

// Arguments that are known only after apply are not checked when planning. A failed read
// is a warning.
func TestPlansOfActionsThatCannotBeChecked(t *testing.T) {
	needs(t, providerActions)
	fake := seeded(t)
	later := `
resource "terraform_data" "later" {
  input = "i-one"
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.hosting_instance_restore.test]
    }
  }
}
`
	restore := func(confirm, backup string) string {
		return actionHCL("instance_restore", "confirm = "+confirm+"\nbackup_id = "+backup)
	}
	w := newWorkspace(t, fake, later+restore("terraform_data.later.output", "terraform_data.later.output"))
	w.says(0, []string{"everything that came after the backup that is known after apply"}, "plan")

	remove := fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/*/backups", Times: -1, Status: http.StatusForbidden, Code: "forbidden"})
	w.configure(later + restore(`"i-one"`, `"bak-1"`))
	w.says(0, []string{"The backup_id could not be checked", "everything that came after backup bak-1"}, "plan")
	remove()
	w.configure(strings.ReplaceAll(restore(`"one"`, `"bak-1"`), "i-one", "one"))
	w.says(1, []string{`The service has no instance with the id "one"`, "finds an instance by its name"}, "plan", "-invoke=action.hosting_instance_restore.test")
	changedNothing(t, fake)
}

// An empty engine does not mean every engine, even if it is known only after apply.
func TestResetOfAnEmptyEngine(t *testing.T) {
	needs(t, providerActions)
	fake := seeded(t)
	fake.Inject(fakeservice.Fault{Method: "GET", Path: "/plans", Times: -1, Status: http.StatusForbidden, Code: "forbidden"})
	w := newWorkspace(t, fake, `
resource "terraform_data" "engine" {
  input = ""
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.hosting_instance_reset.test]
    }
  }
}
`+actionHCL("instance_reset", "confirm = \"i-one\"\nengine = terraform_data.engine.output"))
	w.says(0, []string{"all data of the engine that is known after apply, or of every engine if that is null, on instance i-one"}, "plan")
	w.says(1, []string{"engine must not be empty"}, "apply", "-auto-approve")
	changedNothing(t, fake)
}
