package reports

import "testing"

// Variables have names that the platform owns, or that no shell can have.
func TestNamesOfThePlatform(t *testing.T) {
	app := func(env string) string { return machine("") + web(onMachine, "env = { "+env+" }") }
	report(t, "GoogleCloudPlatform/terraform-google-cloud-run#181", "names of the platform", situations{
		"PORT":               func(w *world) { w.run(app(`PORT = "8080"`), "plan").says("PORT") },
		"DATABASE_URL":       func(w *world) { w.run(app(`DATABASE_URL = "postgres://other"`), "plan").says("DATABASE_URL") },
		"no name of a shell": func(w *world) { w.run(app(`"MY-VAR" = "x"`), "plan").says("MY-VAR") },
		"refused": func(w *world) {
			w.apply(machine(""))
			w.behaves(answers("POST", appImport, 422, "validation_failed", "env.PORT is reserved"))
			o := w.run(app(`PORT = "8080"`), "apply").failsOn(`env["PORT"]`, "reserved")
			o.lacks("network problem")
		},
	})
}
