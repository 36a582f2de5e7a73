package reports

import (
	"strings"
	"testing"
)

// A variable moves from one argument to another one in a single change.
func TestMovedVariable(t *testing.T) {
	const secret = "canary-0123456789"
	plain := machine("") + web(onMachine, `env = { A = "1", TOKEN = "`+secret+`" }`)
	hidden := func(value string) string {
		return machine("") + web(onMachine, "env = { A = \"1\" }\n  secret_env_wo = { TOKEN = \""+value+"\" }\n  secret_env_wo_version = 1")
	}
	report(t, "vercel/terraform-provider-vercel#262", "a variable that moves", situations{
		"into secret_env_wo": func(w *world) {
			w.apply(plain)
			w.apply(hidden(secret))
			w.hasVariable("TOKEN", secret)
			w.hasVariable("A", "1")
			w.be(!strings.Contains(w.cli.Text(), secret), "the state has the secret")
			w.quiet(hidden(secret))
		},
		"into secret_env_wo, with another value": func(w *world) {
			w.apply(plain)
			w.apply(hidden("canary-new-0123456789"))
			w.hasVariable("TOKEN", "canary-new-0123456789")
			w.be(!strings.Contains(w.cli.Text(), secret), "the state has the secret")
			w.quiet(hidden("canary-new-0123456789"))
		},
		"out of secret_env_wo": func(w *world) {
			w.apply(hidden(secret))
			w.apply(plain)
			w.hasVariable("TOKEN", secret)
			w.quiet(plain)
		},
		"into secret_env_wo, and the answer is lost": func(w *world) {
			w.apply(plain)
			w.behaves(loses("PATCH", app))
			w.run(hidden("canary-new-0123456789"), "apply")
			w.apply(hidden("canary-new-0123456789"))
			w.hasVariable("TOKEN", "canary-new-0123456789")
			w.be(!strings.Contains(w.cli.Text(), secret), "the state has the secret")
			w.quiet(hidden("canary-new-0123456789"))
		},
		"into secret_env_wo, and the build fails": func(w *world) {
			w.apply(plain)
			w.fake.FailBuilds(buildMatch{}, 1, "no space left")
			w.run(hidden("canary-new-0123456789"), "apply")
			w.apply(hidden("canary-new-0123456789"))
			w.hasVariable("TOKEN", "canary-new-0123456789")
			w.be(!strings.Contains(w.cli.Text(), secret), "the state has the secret")
			w.quiet(hidden("canary-new-0123456789"))
		},
	})
}
