package reports

import (
	"fmt"
	"strings"
	"testing"
)

// A change fails. The state does not have its values, so the next plan shows it again, also
// without a refresh.
func TestFailedChangeInTheState(t *testing.T) {
	all := situations{}
	for name, c := range map[string]struct{ before, after, method, path, address string }{
		"tags": {machine(`tags = ["a"]`), machine(`tags = ["b"]`), "PATCH", instance, machineAddress},
		"port": {machine("") + web(onMachine, "port = 3000"), machine("") + web(onMachine, "port = 8080"), "PATCH", app, webAddress},
		"variable": {machine("") + web(onMachine, `env = { A = "1" }`), machine("") + web(onMachine, `env = { A = "2" }`),
			"PATCH", app, webAddress},
		"list": {machine("") + list(`["203.0.113.0/24"]`), machine("") + list(`["198.51.100.0/24"]`),
			"PUT", allowlist, listAddress},
		"enabled": {endpoint("https://hooks.example.com/in", ""), endpoint("https://hooks.example.com/in", "enabled = false"),
			"PATCH", webhook, endpointAddress},
		"secret": {endpoint("https://hooks.example.com/in", `secret = "0123456789abcdef-one"`),
			endpoint("https://hooks.example.com/in", `secret = "0123456789abcdef-two"`), "PATCH", webhook, endpointAddress},
	} {
		for _, status := range []int{500, 403, 422, 504} {
			all[fmt.Sprint(name, ", ", status)] = func(w *world) {
				w.apply(c.before)
				refused := answers(c.method, c.path, status, "internal", "something went wrong")
				if status == 504 { // a gateway
					refused = trait{method: c.method, path: c.path, before: func(x *exchange) {
						x.status, x.body = status, []byte("<html>504 Gateway Time-out</html>")
					}}
				}
				remove := w.behaves(refused)
				w.run(c.after, "apply").fails()
				remove()
				for _, flag := range []string{"-refresh=false", "-refresh=true"} {
					if o := w.run(c.after, "plan", flag).never("replace", "delete"); o.Changes[c.address] == "" {
						o.wrong("%s: the plan is empty", strings.TrimPrefix(flag, "-"))
					}
				}
				w.apply(c.after)
				w.quiet(c.after)
			}
		}
	}
	report(t, "newrelic/terraform-provider-newrelic#2594", "a failed change in the state", all)
}
