package reports

import (
	"strings"
	"testing"
)

// Records show variables in another form, and each apply builds the app again.
func TestVariablesInAnotherForm(t *testing.T) {
	heredoc := "env = {\n    CERT = <<-EOT\n      line one\n      line two\n    EOT\n  }"
	trimmed := masks(func(_, v string) string { return strings.TrimSpace(v) })
	masked := masks(func(_, _ string) string { return "EV[1:abcd]" })
	platform := apparently(func(o map[string]any) {
		if env, ok := o["env"].(map[string]any); ok {
			env["DATABASE_URL"], env["PORT"] = "postgresql://owner:pw@host/db", "3000"
		}
	})
	quiet := func(form trait, more string) func(*world) {
		return func(w *world) {
			hcl := machine("") + web(onMachine, more)
			w.behaves(form)
			w.apply(hcl)
			w.apply(hcl)
			w.apply(hcl)
			w.be(w.builds() == 1, "builds: got %d, want 1", w.builds())
			w.settled(hcl)
		}
	}
	report(t, "goauthentik/terraform-provider-authentik#979", "variables in another form", situations{
		"the newline of a heredoc is stripped": quiet(trimmed, heredoc),
		"white space at both ends":             quiet(trimmed, `env = { A = "  x  " }`),
		"a masked value is said": func(w *world) {
			secret := w.secret("the-true-key")
			hcl := machine("") + web(onMachine, "env = { API_KEY = \""+secret+"\" }")
			w.behaves(masked)
			w.apply(hcl).warns("API_KEY", "env")
		},
		"a masked value, and a build that failed": func(w *world) {
			hcl := func(branch string) string {
				return machine("") + web(onMachine, "env = { API_KEY = \"the-true-key\" }\n  branch = \""+branch+"\"")
			}
			w.behaves(masked)
			w.apply(hcl("main"))
			w.fake.FailBuilds(buildMatch{}, 1, "no such file")
			w.run(hcl("next"), "apply").fails("no such file", "apply again")
			w.apply(hcl("next"))
			w.be(w.builds() == 3, "builds: got %d, want 3", w.builds())
		},
		"the platform's own variables": func(w *world) {
			hcl := machine("") + web(onMachine, `env = { LOG = "info" }`)
			w.behaves(platform)
			w.apply(hcl).warns("PORT", "DATABASE_URL", "ignore_changes").lacks("owner:pw")
			ignored := machine("") + web(onMachine, "env = { LOG = \"info\" }\n"+ignores(`env["PORT"], env["DATABASE_URL"]`))
			w.apply(ignored)
			w.settled(ignored)
		},
	})
}
