package reports

import (
	"slices"
	"strings"
	"testing"
)

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
			w.run(hcl, "apply", "-replace="+ordersAddress).succeeds().warns("orders", "script", "next plan runs it")
			w.run(hcl, "apply")
			w.counts(2, "POST", query)
			w.quiet(hcl)
		},
		"replaced after an import": func(w *world) {
			w.apply(machine(""))
			w.fake.AddDatabase(w.id(), "orders")
			w.adopts(hcl, ordersAddress, w.id()+"/orders")
			w.apply(hcl)
			w.run(hcl, "apply", "-replace="+ordersAddress).succeeds().warns("orders", "script", "next plan runs it")
			w.run(hcl, "apply")
			w.counts(2, "POST", query)
			w.quiet(hcl)
		},
		"replaced without a refresh": func(w *world) {
			w.apply(hcl)
			w.run(hcl, "apply", "-replace="+ordersAddress, "-refresh=false").succeeds()
			w.run(hcl, "apply")
			w.counts(2, "POST", query)
			w.quiet(hcl)
		},
		"replaced, and the answer to the changed script lost": func(w *world) {
			changed := strings.Replace(hcl, "(id int)", "(id int, at date)", 1)
			w.apply(hcl)
			w.apply(hcl)
			w.behaves(loses("POST", query))
			w.run(changed, "apply", "-replace="+ordersAddress).fails("unknown whether the script ran")
			w.run(changed, "apply").fails("unknown whether the script ran")
			w.counts(2, "POST", query)
		},
		"with another time of its creation": func(w *world) {
			w.apply(hcl)
			w.apply(hcl) // its refresh notes the time
			later := w.behaves(shows(databases, "created_at", "2099-01-02T03:04:05Z"))
			w.run(hcl, "plan").never("create", "update", "delete", "replace").warns("script", "another", "terraform apply -replace=")
			w.run(hcl, "apply").succeeds().warns("script", "another")
			w.counts(1, "POST", query)
			w.quiet(hcl)
			later() // the time goes back
			w.quiet(hcl)
			w.run(hcl, "apply", "-replace=hosting_postgres_script.schema").succeeds()
			w.counts(2, "POST", query)
			w.quiet(hcl)
		},
		"replaced, and the script changed": func(w *world) {
			changed := strings.Replace(hcl, "(id int)", "(id int, at date)", 1)
			w.apply(hcl)
			w.apply(hcl) // its refresh notes the database
			w.run(changed, "apply", "-replace="+ordersAddress).succeeds().lacks("does not run")
			w.run(changed, "apply").succeeds().lacks("gone")
			w.counts(2, "POST", query)
			w.quiet(changed)
		},
		"in the instance's own database": func(w *world) {
			own := strings.Replace(hcl, "hosting_postgres_database.orders.name", `"main"`, 1)
			w.behaves(everyObject("GET", databases, func(o map[string]any) {
				if all, ok := o["databases"].([]any); ok {
					o["databases"] = slices.DeleteFunc(all, func(d any) bool { return d.(map[string]any)["name"] == "main" })
				}
			}))
			w.apply(own)
			w.quiet(own)
			w.behaves(lacks(connection, "database"))
			w.quiet(own)
			w.behaves(answers("GET", connection, 503, "unavailable", "not now"))
			w.run(own, "plan").fails("not now")
			w.manages("hosting_postgres_script.schema")
		},
	})
}
