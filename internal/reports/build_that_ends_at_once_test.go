package reports

import "testing"

// A build is over before it is looked for, or the answer does not name it.
func TestBuildThatEndsAtOnce(t *testing.T) {
	hcl := func(branch string) string {
		return machine("") + web(onMachine, "branch = \""+branch+"\"\n  public = true\n  timeouts = { create = \"20m\", update = \"20m\" }")
	}
	unnamed := func(method, path string) trait {
		return trait{method: method, path: path, after: func(x *exchange) { delete(x.object(), "build_id") }}
	}
	at := func(traits ...trait) func(*world) {
		return func(w *world) {
			for _, operation := range []string{"app_import", "app_update", "build", "first_build"} {
				w.fake.SetDuration(operation, 0)
			}
			w.behaves(traits...)
			w.apply(hcl("main"))
			w.quiet(hcl("main"))
			w.apply(hcl("next"))
			w.quiet(hcl("next"))
			w.be(w.builds() == 2, "builds: got %d, want 2", w.builds())
		}
	}
	report(t, "digitalocean/terraform-provider-digitalocean#807", "a build that ends at once", situations{
		"named":     at(),
		"not named": at(unnamed("POST", appImport), unnamed("PATCH", app)),
	})
}
