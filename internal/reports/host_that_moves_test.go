package reports

import (
	"sync/atomic"
	"testing"
)

// A change of the plan moves a machine to another host. Everything follows in the end, and
// nothing is replaced.
func TestHostThatMoves(t *testing.T) {
	hcl := func(plan string) string {
		return `
resource "hosting_instance" "a" {
  name                = "shop"
  plan                = "` + plan + `"
  region              = "eu-central"
  engines             = { postgres = {}, apps = {}, auth = {} }
  deletion_protection = false
}
output "host" { value = hosting_instance.a.host }
` + web(onMachine, "env = { HOST = hosting_instance.a.host, AUTH = hosting_instance.a.auth_url }")
	}
	report(t, "CleverCloud/terraform-provider-clevercloud#410", "a host that moves", situations{
		"with the plan": func(w *world) {
			w.free("medium")
			w.apply(hcl("free"))
			var moved atomic.Bool
			w.behaves(trait{method: "POST", path: resize, after: func(*exchange) { moved.Store(true) }},
				everyObject("GET", "", func(o map[string]any) {
					if _, there := o["host"]; there && moved.Load() && o["host"] != nil {
						o["host"] = "moved.hosting.test"
					}
				}))
			w.run(hcl("medium"), "apply").never("replace", "delete")
			w.apply(hcl("medium")).never("replace", "delete")
			w.apply(hcl("medium")).never("replace", "delete")
			w.be(w.cli.Output("host") == "moved.hosting.test", "the output: got %v", w.cli.Output("host"))
			w.hasVariable("HOST", "moved.hosting.test")
			w.quiet(hcl("medium"))
		},
		"a tag changes nothing else": func(w *world) {
			w.apply(hcl("free"))
			before := w.builds()
			tagged := hcl("free") + "\n"
			w.apply(tagged)
			w.be(w.builds() == before, "builds: got %d, want %d", w.builds(), before)
		},
	})
}
