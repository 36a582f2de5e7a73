package reports

import "testing"

// The provider sends a default that the configuration does not have, and the service keeps
// another value.
func TestDefaultKeptOtherwise(t *testing.T) {
	other := func(field string, value any) func(*world) {
		return func(w *world) {
			hcl := machine("") + web(onMachine, "")
			w.behaves(shows(apps, field, value), shows(app, field, value))
			w.apply(hcl).warns(field)
			w.manages(webAddress)
			w.run(hcl, "plan").changes(map[string]string{webAddress: "update"})
			w.run(hcl, "apply").failsOn(field, "did not make the change")
		}
	}
	report(t, "spectrocloud/terraform-provider-spectrocloud#925", "a default that the service keeps otherwise", situations{
		"branch": other("branch", "master"), "health path": other("health_path", "/"), "port": other("port", 8080), "public": other("public", true),
		"in another form": func(w *world) {
			hcl := machine("") + web(onMachine, "")
			w.behaves(keeps("health_path", func(v string) string { return v + "/" }))
			w.apply(hcl).warns("health_path", "/healthz/")
			written := machine("") + web(onMachine, `health_path = "/healthz/"`)
			w.apply(written)
			w.settled(written)
		},
	})
}
