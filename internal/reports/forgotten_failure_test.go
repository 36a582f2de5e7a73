package reports

import "testing"

// The build of a change fails. The next plan does not pretend that the change was made.
func TestForgottenFailure(t *testing.T) {
	hcl := func(more string) string { return machine("") + web(onMachine, more) }
	fails := func(before, after string) func(*world) {
		return func(w *world) {
			w.apply(hcl(before))
			w.fake.FailBuilds(buildMatch{}, 1, "no such file")
			w.run(hcl(after), "apply").fails("no such file")
			w.be(!w.cli.Tainted(webAddress), "the app is tainted")
			if o := w.run(hcl(after), "plan").never("replace", "delete"); o.Changes[webAddress] == "" && len(o.Diagnostics) == 0 {
				o.wrong("the plan is empty, and the old version still runs")
			}
			w.apply(hcl(after))
			w.quiet(hcl(after))
			a, _ := w.fake.App(w.id(), "web")
			ran, last := a.Status == "running", a.Builds[0].Status
			w.be(ran && last == "successful", "the app is %s, its build %s", a.Status, last)
		}
	}
	report(t, "hashicorp/terraform-provider-kubernetes#2332", "a failure that is forgotten", situations{
		"branch":            fails(`branch = "main"`, `branch = "next"`),
		"variable":          fails(`env = { A = "1" }`, `env = { A = "2" }`),
		"secret variable":   fails("secret_env_wo = { A = \"1\" }\n  secret_env_wo_version = 1", "secret_env_wo = { A = \"2\" }\n  secret_env_wo_version = 2"),
		"redeploy trigger":  fails(`redeploy_triggers = { a = "1" }`, `redeploy_triggers = { a = "2" }`),
		"variable and port": fails("env = { A = \"1\" }\n  port = 3000", "env = { A = \"2\" }\n  port = 8080"),
	})
}
