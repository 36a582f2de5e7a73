package reports

import (
	"testing"
	"time"
)

// The first build fails, because the link that it needs is only set after it has begun. The
// second one has the link.
func TestFirstBuildWithoutLinks(t *testing.T) {
	report(t, "render-oss/terraform-provider-render#31", "a first build without links", situations{
		"auth": func(w *world) {
			hcl := machine("") + web(onMachine, `links = ["auth"]`)
			// Builds of a linked app succeed, those of another one fail.
			w.behaves(trait{method: "POST", path: appImport, before: func(*exchange) {
				w.fake.FailBuilds(buildMatch{}, 1, "AUTH_URL is not set")
			}})
			w.apply(hcl)
			w.settled(hcl)
			w.manages(webAddress)
			w.be(w.builds() == 2, "builds: got %d, want 2", w.builds())
		},
		"auth, and another cause": func(w *world) {
			hcl := machine("") + web(onMachine, `links = ["auth"]`)
			remove := w.fake.FailBuilds(buildMatch{}, -1, "no such file")
			w.run(hcl, "apply").fails("no such file")
			w.be(w.builds() == 2, "builds: got %d, want 2", w.builds())
			remove()
			w.apply(hcl)
			w.settled(hcl)
		},
		"auth, and the second build is refused": func(w *world) {
			hcl := machine("") + web(onMachine, `links = ["auth"]`)
			w.fake.FailBuilds(buildMatch{}, 1, "AUTH_URL is not set")
			remove := w.behaves(answers("POST", app+"/actions/redeploy", 403, "forbidden", "builds are stopped"))
			w.run(hcl, "apply").says("Builds are stopped", "its first build began before", "not tainted").lacks("its first build continues")
			remove()
			w.apply(hcl)
			w.settled(hcl)
			w.manages(webAddress)
		},
		"links that are refused, and that no record shows": func(w *world) {
			hcl := machine("") + web(onMachine, `links = ["auth"]`)
			w.behaves(lacks(app, "links"), lacks(apps, "links"))
			remove := w.behaves(answers("PATCH", app, 422, "validation_failed", "not now"))
			w.apply(hcl).warns("not linked as planned")
			remove()
			w.wait(time.Hour)
			w.run(hcl, "apply", "-refresh-only").succeeds()
			w.fake.EditApp(w.id(), "web", func(a *appRecord) { a.Status = "failed" })
			w.run(hcl, "plan").changes(map[string]string{webAddress: "update"}) // it ran, so it is not replaced
			w.apply(hcl)
			w.settled(hcl)
			a, _ := w.fake.App(w.id(), "web")
			w.be(len(a.Links) == 1, "links: got %v, want one", a.Links)
		},
		"no links": func(w *world) {
			hcl := machine("") + web(onMachine, "")
			w.fake.FailBuilds(buildMatch{}, 1, "no such file")
			w.run(hcl, "apply").fails("no such file")
			w.be(w.builds() == 1, "builds: got %d, want 1", w.builds())
		},
	})
}
