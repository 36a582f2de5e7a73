package reports

import (
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

type appRecord = fakeservice.App

// renames lets the service keep another name than it was asked for.
func renames(path string, form func(string) string) trait {
	return trait{method: "POST", path: path, before: func(x *exchange) {
		if body, ok := x.sent.(map[string]any); ok {
			name, _ := body["name"].(string)
			body["name"] = form(name)
		}
	}}
}

// The service keeps another name for an object than it was asked for.
func TestRewrittenName(t *testing.T) {
	another := func(name string) string { return name + "1" }
	report(t, "cloudflare/terraform-provider-cloudflare#39", "a name that the service rewrites", situations{
		"an app whose name breaks the rule": func(w *world) {
			w.behaves(renames(appImport, func(name string) string { return strings.ReplaceAll(strings.ToLower(name), " ", "-") }))
			hcl := machine("") + strings.Replace(web(onMachine, ""), `"web"
  repo`, `"Web App"
  repo`, 1)
			w.run(hcl, "apply").failsOn("name", "Web App")
			w.run(hcl, "apply").failsOn("name", "Web App")
			w.be(len(w.asked("POST", appImport)) <= 1, "the app was imported again")
		},
		"an app": func(w *world) {
			remove := w.behaves(renames(appImport, another))
			hcl := machine("") + web(onMachine, "")
			w.run(hcl, "apply").failsOn("name", "web1").lacks("is not deployed yet")
			w.run(hcl, "plan").never("create").says("web1")
			after := machine("") + strings.Replace(web(onMachine, ""), `"web"
  repo`, `"web1"
  repo`, 1)
			w.run(after, "plan").fails("untaint")
			w.run(after, "untaint", webAddress)
			w.apply(after)
			w.settled(after)
			w.manages(webAddress)
			w.counts(1, "POST", appImport)
			remove()
			w.run(after, "apply", "-replace="+webAddress).succeeds()
		},
		"an app that is not wanted": func(w *world) {
			w.behaves(renames(appImport, another))
			w.run(machine("")+web(onMachine, ""), "apply").failsOn("name", "web1")
			w.apply(machine(""))
			w.settled(machine(""))
			w.counts(1, "DELETE", app)
		},
		"a database": func(w *world) {
			w.behaves(renames(databases, another))
			hcl := machine("") + orders(onMachine, "")
			w.run(hcl, "apply").failsOn("name", "orders1")
			w.run(hcl, "plan").never("create").says("orders1")
			after := machine("") + strings.Replace(orders(onMachine, ""), `= "orders"`, `= "orders1"`, 1)
			w.run(after, "untaint", ordersAddress)
			w.apply(after)
			w.settled(after)
			w.counts(1, "POST", databases)
		},
		"an import id of an object that was not found": func(w *world) {
			hcl := machine("") + orders(onMachine, "")
			w.apply(machine(""))
			w.behaves(answers("POST", databases, 409, "already_exists", "orders is reserved"))
			w.run(hcl, "apply").fails("orders is reserved").lacks("import {", "terraform import")
		},
	})
}

type (
	instanceRecord = fakeservice.Instance
	webhookRecord  = fakeservice.Webhook
	jobMatch       = fakeservice.JobMatch
	buildMatch     = fakeservice.BuildMatch
)
