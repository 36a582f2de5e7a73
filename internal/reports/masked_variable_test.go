package reports

import "testing"

// Reads show other values of variables than those that the app has. Such a value must never
// be sent back.
func TestMaskedVariable(t *testing.T) {
	masked := masks(func(string, string) string { return "EV[1:abcd]" })
	cut := masks(func(_, v string) string { return v[:min(len(v), 4)] })
	ignored := func(log string) string {
		return machine("") + web(onMachine, "env = { API_KEY = \"the-true-key\", LOG = \""+log+"\" }\n"+ignores(`env["API_KEY"]`))
	}
	change := func(form trait) func(*world) {
		return func(w *world) {
			w.apply(ignored("info"))
			w.behaves(form)
			w.run(ignored("debug"), "apply")
			w.hasVariable("API_KEY", "the-true-key")
		}
	}
	report(t, "digitalocean/terraform-provider-digitalocean#514", "a masked variable is written back", situations{
		"masked, and another one changes": change(masked),
		"cut, and another one changes":    change(cut),
		"an import, then secret_env_wo": func(w *world) {
			hcl := func(more string) string { return machine("") + web(onMachine, more) }
			w.running()
			_, _ = w.fake.AddApp(w.id(), appRecord{Name: "web", Repo: "acme/web", Env: map[string]string{"API_KEY": "the-true-key"}})
			w.adopts(hcl(""), machineAddress, w.id())
			w.adopts(hcl(""), webAddress, w.id()+"/web")
			w.behaves(masked)
			w.run(hcl("secret_env_wo = { TOKEN = \"t\" }\n  secret_env_wo_version = 1"), "apply")
			w.hasVariable("API_KEY", "the-true-key")
		},
		"without masks": func(w *world) {
			w.apply(ignored("info"))
			w.apply(ignored("debug"))
			w.hasVariable("API_KEY", "the-true-key")
			w.hasVariable("LOG", "debug")
		},
	})
}

// hasVariable checks a variable of the app.
func (w *world) hasVariable(name, want string) {
	w.t.Helper()
	a, _ := w.fake.App(w.id(), "web")
	w.be(a.Env[name] == want, "the variable %s of the app: got %q, want %q", name, a.Env[name], want)
}
