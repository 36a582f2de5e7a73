package acceptance

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// These tests check that an app keeps the variables that the configuration has never set.

const importApp = "import {\n to = hosting_app.test\n id = \"i-one/guestbook\"\n}\n"

// appWithVariables returns a fake with an app that has variables.
func appWithVariables(t *testing.T) *fakeservicetest.Server {
	t.Helper()
	fake := seededApps(t)
	fake.AddApp("i-one", fakeservice.App{Name: "guestbook", Repo: "octo/guestbook", Branch: "main", Port: 3000, HealthPath: "/healthz",
		MemoryMB: 512, Env: map[string]string{"A": "1", "TOKEN": "canary-of-a-secret"}})
	return fake
}

// mustHaveEnv checks the app's variables, and how many PATCHes contained variables.
func mustHaveEnv(t *testing.T, fake *fakeservicetest.Server, sent int, want map[string]string) {
	t.Helper()
	must(t, maps.Equal(theSeededApp(t, fake).Env, want), "the app's variables: got %v, want %v", theSeededApp(t, fake).Env, want)
	got := 0
	for _, request := range fake.Requests() {
		if request.Method == "PATCH" && bytes.Contains(request.Body, []byte(`"env"`)) {
			got++
		}
	}
	must(t, got == sent, "PATCHes with env: got %d, want %d", got, sent)
}

var given = map[string]string{"A": "1", "TOKEN": "canary-of-a-secret"}

func TestImportedVariablesAreLeftAlone(t *testing.T) {
	t.Parallel()
	for name, changes := range map[string][]string{
		"port, after the import":          {"", "port = 8080"},
		"port, with the import":           {"port = 8080"},
		"timeouts, with the import":       {"timeouts = { update = \"7m\" }"},
		"timeouts, after the import":      {"", "timeouts = { update = \"7m\" }"},
		"branch, which builds":            {"", "branch = \"next\""},
		"redeploy_triggers, which builds": {"", "redeploy_triggers = { v = \"1\" }"},
		"links and memory":                {"", "links = [\"auth\"]", "memory_mb = 600"},
	} {
		t.Run(name, func(t *testing.T) {
			fake := appWithVariables(t)
			w := newWorkspace(t, fake, "")
			for _, arguments := range changes {
				w.configure(importApp + oneApp(arguments))
				w.apply()
				w.mustBeSettled()
			}
			mustHaveEnv(t, fake, 0, given)
			must(t, !strings.Contains(w.read("terraform.tfstate"), "canary-of-a-secret"), "the state holds a variable that may be secret")
		})
	}
}

func TestImportedVariablesThatTheConfigurationSets(t *testing.T) {
	t.Parallel()
	t.Run("equal", func(t *testing.T) {
		fake := appWithVariables(t)
		w := newWorkspace(t, fake, importApp+oneApp("env = { A = \"1\", TOKEN = \"canary-of-a-secret\" }"))
		w.apply()
		w.mustBeSettled()
		mustHaveEnv(t, fake, 0, given)
	})
	t.Run("different", func(t *testing.T) {
		fake := appWithVariables(t)
		w := newWorkspace(t, fake, importApp+oneApp("env = { A = \"2\" }"))
		w.says(0, []string{`"A" = "2"`, "TOKEN"}, "plan") // the variable that is set, and the name of the removed one
		w.apply()
		w.mustBeSettled()
		mustHaveEnv(t, fake, 1, map[string]string{"A": "2"})
	})
	t.Run("different, later", func(t *testing.T) {
		fake := appWithVariables(t)
		w := newWorkspace(t, fake, importApp+oneApp(""))
		w.apply()
		w.configure(oneApp("env = { A = \"2\" }"))
		w.says(0, []string{`"A" = "2"`, "TOKEN"}, "plan")
		w.apply()
		w.mustBeSettled()
		mustHaveEnv(t, fake, 1, map[string]string{"A": "2"})
		w.configure(oneApp("env = { A = \"2\" }\nport = 8080"))
		w.apply()
		mustHaveEnv(t, fake, 1, map[string]string{"A": "2"})
	})
	t.Run("secret ones alone", func(t *testing.T) {
		fake := appWithVariables(t)
		secrets := "secret_env_wo = { NEW = \"canary-of-another\", TOKEN = \"canary-of-a-secret\" }\nsecret_env_wo_version = 1\n"
		w := newWorkspace(t, fake, importApp+oneApp(secrets))
		w.apply()
		w.mustBeSettled()
		mustHaveEnv(t, fake, 1, map[string]string{"A": "1", "TOKEN": "canary-of-a-secret", "NEW": "canary-of-another"})
		w.configure(oneApp(secrets + "port = 8080"))
		w.apply()
		w.mustBeSettled()
		mustHaveEnv(t, fake, 1, map[string]string{"A": "1", "TOKEN": "canary-of-a-secret", "NEW": "canary-of-another"})
		must(t, !strings.Contains(w.read("terraform.tfstate"), "canary"), "the state holds a secret")
	})
	t.Run("secret ones alone, and none to compare", func(t *testing.T) {
		fake := appWithVariables(t)
		w := newWorkspace(t, fake, importApp+oneApp("secret_env_wo = { NEW = \"canary-of-another\" }\nsecret_env_wo_version = 1"))
		w.says(1, []string{"The variables of app guestbook are not known"}, "plan")
		mustHaveEnv(t, fake, 0, given)
	})
}

func TestGeneratedConfigurationLeavesVariablesAlone(t *testing.T) {
	needs(t, listResources)
	fake := appWithVariables(t)
	w := newWorkspace(t, fake, "")
	w.write("all.tfquery.hcl", "list \"hosting_app\" \"all\" {\n provider = hosting\n include_resource = true\n}\n")
	r := w.run("query", "-no-color", "-generate-config-out=generated.tf")
	must(t, r.exit == 0, "query: got exit %d, want 0:\n%s", r.exit, r.output)
	w.apply()
	w.mustBeSettled()
	generated := w.read("generated.tf")
	must(t, strings.Contains(generated, "3000"), "the generated configuration: got\n%s\nwant the port 3000 in it", generated)
	w.write("generated.tf", strings.Replace(generated, "3000", "8080", 1))
	w.apply()
	w.mustBeSettled()
	must(t, theSeededApp(t, fake).Port == 8080, "the port was not changed")
	mustHaveEnv(t, fake, 0, given)
}

// A plan warns only if it sends a variable for browsers as a secret.
func TestSecretVariablesForBrowsers(t *testing.T) {
	fake := seeded(t)
	app := func(arguments string) string {
		return "resource \"terraform_data\" \"later\" {}\n" + appOn(`"i-one"`, "name = \"shop\"\n"+arguments)
	}
	const warning = "Warning: Secret variables will be public"
	secret := func(variables string, version int) string {
		return app(fmt.Sprintf("secret_env_wo = {%s}\nsecret_env_wo_version = %d", variables, version))
	}
	silent := func(w *workspace) {
		t.Helper()
		r := w.run("plan", "-no-color")
		must(t, r.exit == 0 && !strings.Contains(r.output, warning), "the plan: got exit %d, want 0 and no warning:\n%s", r.exit, r.output)
	}
	w := newWorkspace(t, fake, secret("NEXT_PUBLIC_KEY = \"a\", KEY = \"b\", NEXT_PUBLIC_URL = terraform_data.later.id", 1))
	w.says(0, []string{warning, "NEXT_PUBLIC_KEY, NEXT_PUBLIC_URL of app shop"}, "plan")
	w.configure(secret("KEY = \"b\", KEY_NEXT_PUBLIC_ = \"c\"", 1))
	silent(w)
	w.configure(app("env = { NEXT_PUBLIC_KEY = \"a\" }\nsecret_env_wo = terraform_data.later.id == \"x\" ? { A = \"b\" } : { A = \"c\" }\nsecret_env_wo_version = 1"))
	silent(w)
	w.configure(secret("NEXT_PUBLIC_KEY = \"a\"", 1))
	w.apply()
	silent(w)
	w.configure(secret("NEXT_PUBLIC_KEY = \"a\"", 2))
	w.says(0, []string{warning}, "plan")
}

// tellsNoVariables removes env from the records of apps.
func tellsNoVariables(fake *fakeservicetest.Server) {
	fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/*/apps/**", Times: -1, Rewrite: func(m map[string]any) { delete(m, "env") }})
	fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/*/apps", Times: -1, Rewrite: func(m map[string]any) {
		for _, app := range m["apps"].([]any) {
			delete(app.(map[string]any), "env")
		}
	}})
}

// The variables of an imported app are unknown then, and the configuration does not
// remove them.
func TestImportedVariablesThatNobodyTells(t *testing.T) {
	fake := appWithVariables(t)
	tellsNoVariables(fake)
	const secret = "secret_env_wo = { NEW = \"canary-of-another\" }\nsecret_env_wo_version = 1"
	w := newWorkspace(t, fake, importApp+oneApp(secret))
	w.says(1, []string{"The variables of app guestbook are not known", "Set env to the complete set of the app's other variables"}, "plan")
	w.configure(importApp + oneApp(""))
	w.apply()
	w.configure(oneApp(secret))
	w.says(1, []string{"The variables of app guestbook are not known"}, "apply", "-auto-approve", "-no-color")
	mustHaveEnv(t, fake, 0, given)
	w.configure(oneApp(secret + "\nenv = { A = \"1\" }"))
	w.says(0, []string{"Variables of an app may be removed", "those of app guestbook of instance"}, "plan")
	w.apply()
	w.mustBeSettled()
	mustHaveEnv(t, fake, 1, map[string]string{"A": "1", "NEW": "canary-of-another"})
}

func TestRecordsThatDoNotTellVariables(t *testing.T) {
	fake := seededApps(t)
	tellsNoVariables(fake)
	w := newWorkspace(t, fake, oneApp("env = { A = \"1\" }"))
	w.apply()
	w.mustBeSettled()
	w.configure(oneApp("env = { A = \"1\" }\nport = 8080"))
	w.apply()
	w.mustBeSettled()
	mustHaveEnv(t, fake, 0, map[string]string{"A": "1"})
	w.configure(oneApp("env = { A = \"2\" }\nport = 8080"))
	w.apply()
	w.mustBeSettled()
	mustHaveEnv(t, fake, 1, map[string]string{"A": "2"})
}

// Variables of an imported app are also compared if values, or all of them, are known only
// after apply.
func TestImportedVariablesBesideLaterValues(t *testing.T) {
	t.Parallel()
	later := "resource \"terraform_data\" \"later\" {\n  input = { A = \"2\" }\n}\n"
	for arguments, warning := range map[string]string{
		"env = { A = terraform_data.later.output.A }":                                                           "Variables of an app will be removed",
		"env = { A = \"2\" }\nsecret_env_wo = { B = terraform_data.later.output.A }\nsecret_env_wo_version = 1": "Variables of an app will be removed",
		"env = terraform_data.later.output":                                                                     "Variables of an app may be removed",
	} {
		t.Run(arguments, func(t *testing.T) {
			fake := appWithVariables(t)
			w := newWorkspace(t, fake, importApp+oneApp(""))
			w.apply()
			w.configure(later + oneApp(arguments))
			w.says(0, []string{warning}, "plan")
			w.apply()
			w.mustBeSettled()
			must(t, theSeededApp(t, fake).Env["A"] == "2", "the app's variables: got %v, want A to be 2", theSeededApp(t, fake).Env)
		})
	}
}
