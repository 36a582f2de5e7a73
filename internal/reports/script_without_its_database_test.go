package reports

import "testing"

// The database of a script is gone, and with it all that the script has made.
func TestScriptWithoutItsDatabase(t *testing.T) {
	hcl := machine("") + orders(onMachine, "") + `
resource "hosting_postgres_script" "schema" {
  instance_id = hosting_instance.a.id
  database    = hosting_postgres_database.orders.name
  sql         = "CREATE TABLE IF NOT EXISTS t (id int)"
}
`
	report(t, "cyrilgdn/terraform-provider-postgresql#487", "a script without its database", situations{
		"dropped in the portal": func(w *world) {
			w.apply(hcl)
			w.fake.RemoveDatabase(w.id(), "orders")
			w.apply(hcl)
			w.counts(2, "POST", query)
			w.settled(hcl)
		},
		"replaced": func(w *world) {
			w.apply(hcl)
			o := w.run(hcl, "apply", "-replace="+ordersAddress).succeeds()
			w.be(len(w.asked("POST", query)) == 2 || len(o.Diagnostics) > 1, "the script did not run again, and no plan said so\n%s", o.text())
			w.run(hcl, "apply")
			w.counts(2, "POST", query)
		},
	})
}
