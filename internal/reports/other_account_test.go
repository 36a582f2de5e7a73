package reports

import "testing"

// A command runs with the key of another account, which has none of the objects. They are
// not gone, and a destroy must not forget them.
func TestOtherAccount(t *testing.T) {
	hcl := machine("") + web(onMachine, "") + orders(onMachine, "") + endpoint("https://hooks.example.com/in", "")
	other := []trait{
		answers("GET", instance, 404, "not_found", "there is no such instance"),
		answers("GET", "/instances/*/**", 404, "not_found", "there is no such instance"),
		answers("DELETE", instance, 404, "not_found", "there is no such instance"),
		answers("GET", webhook, 404, "not_found", "there is no such endpoint"),
		answers("DELETE", webhook, 404, "not_found", "there is no such endpoint"),
		{method: "GET", path: instances, before: func(x *exchange) { x.status, x.answer = 200, map[string]any{"instances": []any{}} }},
		{method: "GET", path: webhooks, before: func(x *exchange) { x.status, x.answer = 200, map[string]any{"webhooks": []any{}} }},
		shows("/me", "id", "acc-other"),
	}
	with := func(arguments ...string) func(*world) {
		return func(w *world) {
			w.apply(hcl)
			remove := w.behaves(other...)
			w.run(hcl, arguments...).fails("account")
			w.manages(machineAddress, webAddress, ordersAddress, endpointAddress)
			remove()
			w.settled(hcl)
			w.counts(1, "POST", instances)
		}
	}
	report(t, "hashicorp/terraform-provider-aws#15260", "another account", situations{
		"plan": with("plan"), "apply": with("apply"), "destroy": with("destroy"), "destroy without a refresh": with("destroy", "-refresh=false"),
		"refresh": with("apply", "-refresh-only"),
	})
}
