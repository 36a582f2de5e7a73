package reports

import (
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// A message names an argument that the configuration does not have, or advice that does not
// fit.
func TestMessageThatNamesAnotherArgument(t *testing.T) {
	report(t, "pulumi/pulumi-cloudflare#513", "a message that names another argument", situations{
		"tags that the service drops": func(w *world) {
			w.behaves(shows("", "tags", []any{}))
			w.run(machine(`tags = ["a"]`), "apply").says("tags").lacks("default_tags")
		},
		"endpoints answer 404": func(w *world) {
			w.behaves(answers("POST", webhooks, 404, "not_found", "no such resource"))
			w.run(endpoint("https://hooks.example.com/in", ""), "apply").fails("no such resource").lacks("An instance id looks like")
		},
		"a conflict without a code": func(w *world) {
			hcl := machine("") + orders(onMachine, "")
			w.apply(machine(""))
			w.behaves(trait{method: "POST", path: databases, before: func(x *exchange) {
				x.status, x.answer = 409, map[string]any{"detail": "maintenance in progress"}
			}})
			w.run(hcl, "apply").fails("maintenance in progress").lacks("network problem")
		},
		"a floor that was raised": func(w *world) {
			w.apply(machine(""))
			w.fake.EditCatalog(func(c *fakeservice.Catalog) {
				floor := c.Engines["postgres"]
				floor.FloorMB = 1024
				c.Engines["postgres"] = floor
			})
			hcl := strings.Replace(machine(""), "postgres = {}, ", "postgres = {}, redis = {}, ", 1)
			w.run(hcl, "apply").fails().lacks(`Change the value of engines["postgres"].memory_mb`)
		},
		"the machine is on a plan that is not offered": func(w *world) {
			id := w.running()
			hcl := strings.Replace(machine(""), `"free"`, `"tiny"`, 1)
			w.adopts(hcl, machineAddress, id)
			w.fake.EditInstance(id, func(i *fakeservice.Instance) { i.Plan = "micro-2" })
			w.run(hcl, "plan").failsOn("plan", "tiny", "micro-2")
		},
		"a URL as an address": func(w *world) {
			w.run(machine("")+list(`["https://203.0.113.7"]`), "plan").failsOn("cidrs", "https://203.0.113.7").lacks("2001:db8")
		},
	})
}
