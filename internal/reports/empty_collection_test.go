package reports

import "testing"

// A collection without elements is answered in another way than with an empty list.
func TestEmptyCollection(t *testing.T) {
	// hollow changes the answer of a collection while it is empty.
	hollow := func(path, member string, change func(*exchange)) trait {
		return trait{method: "GET", path: path, after: func(x *exchange) {
			if list, ok := x.object()[member].([]any); ok && len(list) == 0 {
				change(x)
			}
		}}
	}
	absent := func(x *exchange) { x.refuses(404, "not_found", "none") }
	bare := func(x *exchange) { x.answer = []any{} }
	nothing := func(x *exchange) { x.status, x.answer, x.body = 204, nil, nil }
	first := func(change func(*exchange)) func(*world) {
		return func(w *world) {
			hcl := machine("") + orders(onMachine, "") + endpoint("https://hooks.example.com/in", "")
			w.behaves(hollow(webhooks, "webhooks", change), hollow(databases, "databases", change), hollow(apps, "apps", change))
			w.apply(hcl)
			w.settled(hcl)
			w.run(hcl, "destroy").succeeds()
		}
	}
	data := func(change func(*exchange)) func(*world) {
		return func(w *world) {
			hcl := `
data "hosting_instances" "none" { tag = "nobody" }
data "hosting_webhook_endpoints" "all" {}
output "n" { value = length(data.hosting_instances.none.instances) + length(data.hosting_webhook_endpoints.all.endpoints) }
`
			w.behaves(hollow(webhooks, "webhooks", change), hollow(instances, "instances", change))
			w.apply(hcl)
			w.outputs("n", 0)
		}
	}
	report(t, "hashicorp/vault#1958", "an empty collection", situations{
		"first objects, a bare list": first(bare), "first objects, 204": first(nothing),
		// The key may not be allowed to read it (SERVICE.md#tolerance).
		"first objects, 404 is a refusal": func(w *world) {
			w.behaves(hollow(webhooks, "webhooks", absent))
			w.run(endpoint("https://hooks.example.com/in", ""), "apply").fails("may not be allowed to read it")
			w.counts(0, "POST", webhooks)
		},
		"data sources, a bare list": data(bare), "data sources, 204": data(nothing),
		"data sources, 404 is an error": func(w *world) {
			w.behaves(hollow(webhooks, "webhooks", absent))
			w.run("data \"hosting_webhook_endpoints\" \"all\" {}\n", "plan").lacks("An instance id looks like")
		},
	})
}
