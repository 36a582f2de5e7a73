package reports

import "testing"

// A change of one setting resets another one at the service. Nothing stays reset without a
// word, and nothing is changed permanently.
func TestChangeThatResets(t *testing.T) {
	resets := func(w *world, operation string, reset func(*instanceRecord)) {
		method, path := "POST", resize
		if operation == "engines" {
			method, path = "PUT", "/instances/*/engines"
		}
		w.behaves(trait{method: method, path: path, after: func(x *exchange) {
			if x.status < 300 {
				w.fake.EditInstance(w.id(), reset)
			}
		}})
	}
	hcl := func(plan, memory string) string {
		return `
resource "hosting_instance" "a" {
  name                = "shop"
  plan                = "` + plan + `"
  region              = "eu-central"
  engines             = { postgres = { memory_mb = ` + memory + ` }, apps = {}, auth = {} }
  deletion_protection = false
}
` + list(`["203.0.113.0/24"]`)
	}
	walls := func(before, after, operation string) func(*world) {
		return func(w *world) {
			w.free("medium")
			w.apply(before)
			resets(w, operation, func(i *instanceRecord) { i.Allowlist = nil })
			w.apply(after)
			w.run(after, "plan").changes(map[string]string{listAddress: "update"})
			w.apply(after)
			w.quiet(after)
		}
	}
	report(t, "scaleway/terraform-provider-scaleway#3627", "a change that resets another setting", situations{
		"a larger plan empties the allowlist": walls(hcl("free", "512"), hcl("medium", "512"), "resize"),
		"other engines empty the allowlist":   walls(hcl("free", "512"), hcl("free", "600"), "engines"),
		"another URL disables a webhook endpoint": func(w *world) {
			w.apply(endpoint("https://hooks.example.com/in", ""))
			remove := w.behaves(trait{method: "PATCH", path: webhook, before: func(x *exchange) {
				sent := x.sent.(map[string]any)
				if _, there := sent["url"]; there {
					sent["enabled"] = false
				}
			}})
			after := endpoint("https://hooks.example.com/new", "")
			w.apply(after)
			remove()
			w.run(after, "plan").changes(map[string]string{endpointAddress: "update"})
			w.apply(after)
			w.be(w.fake.Webhooks()[0].Enabled, "the endpoint is disabled")
			w.quiet(after)
		},
		"another port closes an app": func(w *world) {
			before := machine("") + web(onMachine, "public = true\n  port = 3000\n  links = [\"auth\"]")
			after := machine("") + web(onMachine, "public = true\n  port = 8080\n  links = [\"auth\"]")
			w.apply(before)
			remove := w.behaves(trait{method: "PATCH", path: app, before: func(x *exchange) {
				sent := x.sent.(map[string]any)
				if _, there := sent["port"]; there {
					sent["public"], sent["links"] = false, []any{}
				}
			}})
			w.run(after, "apply")
			remove()
			w.run(after, "apply")
			a, _ := w.fake.App(w.id(), "web")
			w.be(a.Public && len(a.Links) == 1, "the app: public %t, links %v", a.Public, a.Links)
			w.quiet(after)
		},
	})
}
