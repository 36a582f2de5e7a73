package reports

import (
	"strings"
	"testing"
)

// A rename of an object is a deletion in the plan.
func TestRenameInReview(t *testing.T) {
	app := machine("") + "\nresource \"hosting_app\" \"web\" {\n  instance_id = hosting_instance.a.id\n  name = \"web\"\n  repo = \"acme/web\"\n}\n"
	database := machine("") + "\nresource \"hosting_postgres_database\" \"orders\" {\n  instance_id = hosting_instance.a.id\n  name = \"orders\"\n}\n"
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
