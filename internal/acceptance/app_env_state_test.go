package acceptance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// These tests check that the state has no value of a variable that Terraform has not set,
// and what becomes of such a variable.

// oneEnv returns the app on the seeded instance, with variables and additional arguments.
func oneEnv(env, arguments string) string {
	return oneApp("env = { " + env + " }\n" + arguments)
}

// secretEnv returns the arguments for secret variables.
func secretEnv(secret string, version int) string {
	return fmt.Sprintf("secret_env_wo = { %s }\nsecret_env_wo_version = %d\n", secret, version)
}

// setVariable is what a person does in the portal.
func setVariable(fake *fakeservicetest.Server, name, value string) {
	fake.EditApp("i-one", "guestbook", func(a *fakeservice.App) { a.Env[name] = value })
}

// A killed apply saves nothing, so a refresh cannot know which variables are secret.
func TestSecretIsHiddenThoughItsUpdateWasKilled(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]string{"new": `A = "1"`, "moved from env": `A = "1", B = "old"`} {
		t.Run(name, func(t *testing.T) {
			fake := seededApps(t)
			w := newWorkspace(t, fake, oneEnv(before, ""))
			w.apply()
			w.configure(oneEnv(`A = "1"`, secretEnv(`B = "canary-bbbb"`, 1)))
			w.dies(fake, "app_update", func() bool { return theSeededApp(t, fake).Env["B"] == "canary-bbbb" })
			w.mustNotHold("canary-bbbb")
			w.apply()
			w.mustBeSettled()
			w.mustNotHold("canary-bbbb")
			mustHaveEnv(t, fake, 1, map[string]string{"A": "1", "B": "canary-bbbb"})
		})
	}
}

func TestVariableOfAPersonIsRemovedWithoutBeingShown(t *testing.T) {
	fake := seededApps(t)
	w := newWorkspace(t, fake, oneEnv(`A = "1"`, ""))
	w.apply()
	setVariable(fake, "A", "canary-aaaa")
	setVariable(fake, "B", "canary-bbbb")
	w.mustNotHold("canary-aaaa")
	w.mustNotHold("canary-bbbb")
	w.says(2, []string{`"A" = "(value not shown)" -> "1"`, `"B" = "(value not shown)" -> null`}, "plan", "-detailed-exitcode")
	w.apply()
	w.mustBeSettled()
	mustHaveEnv(t, fake, 1, map[string]string{"A": "1"})
}

// ignore_changes copies the state, where a person's variable has no value, into the plan.
func TestVariableOfAPersonThatIsIgnoredIsKept(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		ignored       string
		before, after string
		want          map[string]string
	}{
		"all": {"env", oneEnv(`A = "longer than B"`, ""), oneEnv(`A = "longer than B"`, secretEnv(`C = "canary-cccc"`, 1)),
			map[string]string{"A": "longer than B", "B": "canary-bbbb", "C": "canary-cccc"}},
		"one": {`env["B"]`, oneEnv(`A = "longer than B"`, ""), oneEnv(`A = "2"`, ""), map[string]string{"A": "2", "B": "canary-bbbb"}},
	} {
		t.Run(name, func(t *testing.T) {
			fake := seededApps(t)
			ignoring := func(configuration string) string {
				return strings.TrimSuffix(configuration, "}\n") + "lifecycle {\n  ignore_changes = [" + row.ignored + "]\n}\n}\n"
			}
			w := newWorkspace(t, fake, ignoring(row.before))
			w.apply()
			setVariable(fake, "B", "canary-bbbb")
			w.mustBeSettled()
			w.mustNotHold("canary-bbbb")
			w.configure(ignoring(row.after))
			w.apply()
			w.mustBeSettled()
			w.mustNotHold("canary-bbbb")
			mustHaveEnv(t, fake, 1, row.want)
		})
	}
}

// A variable may move between env and secret_env_wo. The version need not change with it.
func TestVariablesThatMove(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		before, after string
		sent          int
		want          map[string]string
	}{
		"to secret_env_wo with another value": {oneEnv(`A = "1", T = "old"`, secretEnv(`S = "canary"`, 1)), oneEnv(`A = "1"`, secretEnv(`S = "canary", T = "new"`, 1)),
			1, map[string]string{"A": "1", "S": "canary", "T": "new"}},
		"to env with the same value": {oneApp(secretEnv(`T = "same"`, 1)), oneEnv(`T = "same"`, ""), 0, map[string]string{"T": "same"}},
	} {
		t.Run(name, func(t *testing.T) {
			fake := seededApps(t)
			w := newWorkspace(t, fake, row.before)
			w.apply()
			w.configure(row.after)
			w.apply()
			w.mustBeSettled()
			mustHaveEnv(t, fake, row.sent, row.want)
		})
	}
}

// An apply that fails before it sends the variables leaves the names of secret ones as
// they were.
func TestFailedMoveOfAVariableIsTakenBack(t *testing.T) {
	fake := seededApps(t)
	before := oneEnv(`A = "1", T = "same"`, "")
	w := newWorkspace(t, fake, before)
	w.apply()
	w.configure(oneEnv(`A = "1"`, secretEnv(`T = "another"`, 1)))
	remove := fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/i-one/apps/guestbook", Status: 403, Code: "forbidden", Times: -1})
	w.says(1, []string{"forbidden"}, "apply", "-auto-approve", "-refresh=false")
	remove()
	w.configure(before)
	w.mustBeSettled()
	mustHaveEnv(t, fake, 0, map[string]string{"A": "1", "T": "same"})
}

// The text that stands for a value cannot be copied.
func TestHiddenVariableIsNotCopied(t *testing.T) {
	fake := seededApps(t)
	w := newWorkspace(t, fake, oneEnv(`A = "1"`, "lifecycle {\n  ignore_changes = [env]\n}\n"))
	w.apply()
	setVariable(fake, "B", "canary-bbbb")
	w.apply()
	other := strings.NewReplacer(`"test"`, `"other"`, `"guestbook"`, `"other"`).Replace(oneApp("env = hosting_app.test.env"))
	w.configure(oneEnv(`A = "1"`, "lifecycle {\n  ignore_changes = [env]\n}\n") + other)
	w.fails("Write the value itself.")
	must(t, fake.Count("POST", "/instances/i-one/apps/import") == 1, "another app was created")
}
