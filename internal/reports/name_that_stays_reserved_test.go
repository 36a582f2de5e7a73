package reports

import "testing"

// A name stays reserved after the deletion of its object.
func TestNameThatStaysReserved(t *testing.T) {
	replaced := func(hcl, address, path string) func(*world) {
		return func(w *world) {
			w.apply(hcl)
			remove := w.behaves(answers("POST", path, 409, "already_exists", "the name is reserved until noon"))
			w.run(hcl, "apply", "-replace="+address).fails("reserved until noon").lacks("import {", "terraform import")
			remove()
			w.apply(hcl)
			w.settled(hcl)
			w.manages(address)
		}
	}
	report(t, "hashicorp/terraform-provider-google#5179", "a name that stays reserved", situations{
		"of an app":     replaced(machine("")+web(onMachine, ""), webAddress, appImport),
		"of a database": replaced(machine("")+orders(onMachine, ""), ordersAddress, databases),
	})
}
