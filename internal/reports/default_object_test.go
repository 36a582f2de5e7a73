package reports

import "testing"

// An object exists from the start, and must not be managed.
func TestDefaultObject(t *testing.T) {
	own := machine("") + resource("hosting_postgres_database.own", onMachine, `name = "main"`)
	report(t, "FusionAuth/terraform-provider-fusionauth#214", "an object that exists from the start", situations{
		"imported": func(w *world) {
			w.apply(machine(""))
			w.run(own, "import", "hosting_postgres_database.own", w.id()+"/main").fails("main")
		},
		"imported while the connection record cannot be read": func(w *world) {
			w.apply(machine(""))
			w.behaves(answers("GET", connection, 503, "unavailable", "not now"))
			w.run(own, "import", "hosting_postgres_database.own", w.id()+"/main").fails()
		},
		"created": func(w *world) {
			w.run(own, "apply").fails("main", "own database").lacks("import {")
		},
	})
}
