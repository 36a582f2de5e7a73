package reports

import "testing"

// A refresh without any change at the service changes nothing in the state. Terraform 1.11
// exits with 2 even so, which is the report.
func TestRefreshThatFindsNothing(t *testing.T) {
	all := machine("") + web(onMachine, "") + orders(onMachine, "") + crypto(onMachine) +
		list(`["203.0.113.7"]`) + endpoint("https://hooks.example.com/in", "")
	finds := func(w *world, hcl string) {
		w.t.Helper()
		o := w.run(hcl, "plan", "-refresh-only").succeeds()
		w.be(len(o.Changes) == 0, "the refresh changes %v", o.Changes)
		w.be(o.Exit == 0 || w.isTerraform("1.12.0"), "the refresh ends with exit %d", o.Exit)
	}
	report(t, "hashicorp/terraform#36403", "a refresh that finds nothing", situations{
		"plan -refresh-only": func(w *world) {
			w.apply(all)
			finds(w, all)
		},
		"after an import": func(w *world) {
			id := w.running()
			w.adopts(machine(""), machineAddress, id)
			finds(w, machine(""))
		},
	})
}
