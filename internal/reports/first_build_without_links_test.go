package reports

import "testing"

// The first build fails, because the link that it needs is only set after it has begun.
func TestFirstBuildWithoutLinks(t *testing.T) {
	report(t, "render-oss/terraform-provider-render#31", "a first build without links", situations{
		"auth": func(w *world) {
			hcl := machine("") + web(onMachine, `links = ["auth"]`)
			remove := w.fake.FailBuilds(buildMatch{}, 1, "AUTH_URL is not set")
			w.run(hcl, "apply").fails("AUTH_URL is not set")
			remove()
			// Builds of a linked app succeed, those of another one fail.
			w.behaves(trait{method: "POST", path: appImport, before: func(*exchange) {
				w.fake.FailBuilds(buildMatch{}, 1, "AUTH_URL is not set")
			}})
			w.run(hcl, "apply")
			w.apply(hcl)
			w.settled(hcl)
		},
	})
}
