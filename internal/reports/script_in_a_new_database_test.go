package reports

import "testing"

// A script runs in a database that another state has just made.
func TestScriptInANewDatabase(t *testing.T) {
	hcl := machine("") + resource("hosting_postgres_script.s",
		onMachine,
		`database = "orders"`,
		`sql = "SELECT 1"`)
	report(t, "cyrilgdn/terraform-provider-postgresql#254", "a script in a new database", situations{
		"it is not there yet": func(w *world) {
			w.run(hcl, "apply").failsOn("database", "orders")
			w.be(len(w.cli.State()) == 1, "in the state: %v", w.cli.State())
			w.fake.AddDatabase(w.id(), "orders")
			w.apply(hcl)
			w.counts(0, "DELETE", "")
		},
	})
}
