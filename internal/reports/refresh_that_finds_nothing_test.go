package reports

import "testing"

// A refresh without any change at the service changes nothing in the state.
func TestRefreshThatFindsNothing(t *testing.T) {
	all := machine("") + web(onMachine, "") + orders(onMachine, "") + crypto(onMachine) +
		list(`["203.0.113.7"]`) + endpoint("https://hooks.example.com/in", "")
	report(t, "hashicorp/terraform#36403", "a refresh that finds nothing", situations{
		"plan -refresh-only": func(w *world) {
			w.apply(all)
			w.run(all, "plan", "-refresh-only").changes(nil)
		},
		"after an import": func(w *world) {
			id := w.running()
			w.adopts(machine(""), machineAddress, id)
			w.run(machine(""), "plan", "-refresh-only").changes(nil)
		},
	})
}
