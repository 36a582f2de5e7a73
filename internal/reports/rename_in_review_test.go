package reports

import (
	"strings"
	"testing"
)

// A rename of an object is a deletion in the plan.
func TestRenameInReview(t *testing.T) {
	app := machine("") + resource("hosting_app.web", onMachine, `name = "web"`, `repo = "acme/web"`)
	database := machine("") + resource("hosting_postgres_database.orders", onMachine, `name = "orders"`)
	refused := func(hcl, before, after string) func(*world) {
		return func(w *world) {
			w.apply(hcl)
			w.run(strings.Replace(hcl, `name = "`+before+`"`, `name = "`+after+`"`, 1), "plan").failsOn("name", before, after)
			w.counts(0, "DELETE", "")
		}
	}
	report(t, "alphagov/govuk-infrastructure#2688", "a rename that deletes", situations{
		"an app": refused(app, "web", "shop-web"), "a database": refused(database, "orders", "invoices"),
		"a machine is renamed in place": func(w *world) {
			w.apply(machine(""))
			w.run(strings.Replace(machine(""), `"shop"`, `"store"`, 1), "apply").succeeds().never("replace")
			w.counts(1, "POST", instances)
		},
	})
}
