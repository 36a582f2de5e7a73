package acceptance

import (
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// showsVariables changes the variables that the service's answers show.
func showsVariables(fake *fakeservicetest.Server, shown func(string) string) {
	change := func(app any) {
		if env, ok := app.(map[string]any)["env"].(map[string]any); ok {
			for name, value := range env {
				env[name] = shown(value.(string))
			}
		}
	}
	fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/*/apps/**", Times: -1, Rewrite: func(m map[string]any) { change(m) }})
	fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/*/apps", Times: -1, Rewrite: func(m map[string]any) {
		for _, app := range m["apps"].([]any) {
			change(app)
		}
	}})
}

// A service may show variables otherwise than it has them (vercel/terraform-provider-vercel#358,
// digitalocean/terraform-provider-digitalocean#514). A shown value is then never sent back.
func TestVariablesThatAreMaskedAreNotSentBack(t *testing.T) {
	t.Parallel()
	const notKnown = "The variables of app guestbook are not known"
	ignoring := func(env, ignored string) string {
		return oneEnv(env, "lifecycle {\n  ignore_changes = ["+ignored+"]\n}\n")
	}
	masks := map[string]func(string) string{
		"encrypted": func(value string) string { return "EV[1:" + value[:1] + "]" },
		"masked":    func(string) string { return "***" },
		"cut":       func(value string) string { return value[:min(3, len(value))] },
		"trimmed":   strings.TrimSpace,
		"empty":     func(string) string { return "" },
	}
	for name, mask := range masks {
		t.Run(name, func(t *testing.T) {
			fake := seededApps(t)
			w := newWorkspace(t, fake, ignoring(`A = "one ", API_KEY = "first "`, `env["API_KEY"]`))
			w.apply()
			setVariable(fake, "API_KEY", "canary-key ")
			showsVariables(fake, mask)
			w.configure(ignoring(`A = "two ", API_KEY = "first "`, `env["API_KEY"]`))
			w.says(1, []string{notKnown, "Set env to the complete set"}, "plan")
			w.says(1, []string{notKnown}, "apply", "-auto-approve")
			mustHaveEnv(t, fake, 0, map[string]string{"A": "one ", "API_KEY": "canary-key "})
			w.configure(oneEnv(`A = "two ", API_KEY = "canary-key "`, "")) // as the error advises
			w.apply()
			mustHaveEnv(t, fake, 1, map[string]string{"A": "two ", "API_KEY": "canary-key "})
		})
	}
	t.Run("imported", func(t *testing.T) {
		fake := appWithVariables(t)
		showsVariables(fake, masks["encrypted"])
		secret := secretEnv(`NEW = "canary-of-another"`, 1)
		w := newWorkspace(t, fake, importApp+oneApp(secret))
		w.says(1, []string{notKnown}, "plan")
		w.configure(importApp + oneApp(""))
		w.apply()
		w.configure(oneApp(secret))
		w.says(1, []string{notKnown}, "apply", "-auto-approve")
		mustHaveEnv(t, fake, 0, given)
		w.configure(oneEnv(`A = "1", TOKEN = "canary-of-a-secret"`, secret))
		w.apply()
		mustHaveEnv(t, fake, 1, map[string]string{"A": "1", "TOKEN": "canary-of-a-secret", "NEW": "canary-of-another"})
	})
	t.Run("ignored as a whole", func(t *testing.T) {
		fake := seededApps(t)
		w := newWorkspace(t, fake, ignoring(`A = "1", API_KEY = "first"`, "env"))
		w.apply()
		setVariable(fake, "API_KEY", "canary-key")
		showsVariables(fake, masks["masked"])
		w.configure(oneEnv(`A = "1", API_KEY = "first"`, secretEnv(`S = "canary-secret"`, 1)+"lifecycle {\n  ignore_changes = [env]\n}\n"))
		w.says(1, []string{notKnown}, "plan")
		mustHaveEnv(t, fake, 0, map[string]string{"A": "1", "API_KEY": "canary-key"})
	})
}
