package reports

import "testing"

// A key may read the machine and nothing below it: each path below answers 404.
func TestRefusedCollection(t *testing.T) {
	all := machine("") + web(onMachine, "") + orders(onMachine, "") + crypto(onMachine)
	refused := answers("", "/instances/*/**", 404, "not_found", "not allowed to access project 4711 with this key")
	keeps := func(hcl, address string) func(*world) {
		return func(w *world) {
			w.apply(hcl)
			w.behaves(refused)
			w.run(hcl, "plan").fails("not allowed to access project 4711").never("create")
			w.run(hcl, "destroy").fails("not allowed to access project 4711")
			w.manages(machineAddress, address)
		}
	}
	report(t, "kislerdm/terraform-provider-neon#198", "a collection that is refused", situations{
		"everything below": func(w *world) {
			w.apply(all)
			w.behaves(refused)
			w.run(all, "plan").fails("not allowed to access project 4711").lacks("is gone", "no longer exists")
			w.manages(webAddress, ordersAddress, cryptoAddress)
		},
		"an app":       keeps(machine("")+web(onMachine, ""), webAddress),
		"a database":   keeps(machine("")+orders(onMachine, ""), ordersAddress),
		"an extension": keeps(machine("")+crypto(onMachine), cryptoAddress),
		"only the list of databases": func(w *world) {
			hcl := machine("") + orders(onMachine, "")
			w.apply(hcl)
			w.behaves(answers("GET", databases, 404, "not_found", "no access"))
			w.run(hcl, "plan").fails("no access")
			w.manages(ordersAddress)
		},
		"only the list of endpoints": func(w *world) {
			hcl := endpoint("https://hooks.example.com/in", "")
			w.apply(hcl)
			w.behaves(answers("GET", "/webhooks/*", 404, "not_found", "no access"), answers("GET", webhooks, 404, "not_found", "no access"))
			w.run(hcl, "plan").fails("no access")
			w.manages(endpointAddress)
		},
	})
}
