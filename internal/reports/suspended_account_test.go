package reports

import "testing"

// The account is suspended: reads work, and every change is refused.
func TestSuspendedAccount(t *testing.T) {
	suspended := func(status int, code string) func(*world) {
		return func(w *world) {
			w.apply(machine(""))
			w.behaves(trait{before: func(x *exchange) {
				if x.method != "GET" {
					x.refuses(status, code, "account suspended: invoice overdue")
				}
			}}, shows("/instances/*", "status", "suspended"))
			w.settled(machine(""))
			w.run(machine(`tags = ["a"]`), "apply").fails("invoice overdue").lacks("Use a key of the account", "base_url")
			w.run(machine(""), "destroy").fails("invoice overdue")
			w.manages(machineAddress)
		}
	}
	report(t, "hashicorp/terraform-provider-aws#24949", "a suspended account", situations{
		"402": suspended(402, "payment_required"), "403": suspended(403, "payment_required"),
	})
}
