package reports

import "testing"

// The first apply after an import acts, because only the provider knows some arguments.
func TestImportThatActs(t *testing.T) {
	hcl := func(more string) string {
		return machine("") + web(onMachine, more) + "\nimport {\n  to = hosting_app.web\n  id = \"${hosting_instance.a.id}/web\"\n}\n"
	}
	after := func(more string) func(*world) {
		return func(w *world) {
			id := w.running()
			_, _ = w.fake.AddApp(id, appRecord{Name: "web", Repo: "acme/web", Env: map[string]string{"A": "1"}})
			w.adopts(machine(""), machineAddress, id)
			before := w.builds()
			w.apply(hcl(more))
			w.be(w.builds() == before, "builds: got %d, want %d", w.builds(), before)
			w.settled(hcl(more))
		}
	}
	report(t, "Azure/terraform-provider-azapi#858", "an import that acts", situations{
		"redeploy_triggers": after(`redeploy_triggers = { release = "2026-11-22" }`),
		"redeploy_triggers that change later": func(w *world) {
			id := w.running()
			_, _ = w.fake.AddApp(id, appRecord{Name: "web", Repo: "acme/web"})
			w.adopts(machine(""), machineAddress, id)
			w.apply(hcl(`redeploy_triggers = { release = "1" }`))
			before := w.builds()
			w.apply(hcl(`redeploy_triggers = { release = "2" }`))
			w.be(w.builds() == before+1, "builds: got %d, want %d", w.builds(), before+1)
			w.settled(hcl(`redeploy_triggers = { release = "2" }`))
		},
		"a machine whose plan no record shows": func(w *world) {
			id := w.running()
			w.behaves(lacks("", "plan"))
			w.adopts(machine(""), machineAddress, id)
			w.run(machine(""), "plan").warns("The plan of the instance is not known", "portal").lacks("checkout")
			w.apply(machine(""))
			w.counts(0, "POST", resize)
			w.settled(machine(""))
		},
		"timeouts":     after(`timeouts = { create = "45m" }`),
		"nothing else": after(""),
		"on_destroy of an allowlist": func(w *world) {
			id := w.running()
			w.fake.EditInstance(id, func(i *instanceRecord) { i.Allowlist = []string{"203.0.113.0/24"} })
			hcl := machine("") + resource("hosting_allowlist.list",
				onMachine,
				`cidrs = ["203.0.113.0/24"]`,
				`on_destroy = "open"`)
			w.adopts(hcl, machineAddress, id)
			w.adopts(hcl, listAddress, id)
			w.apply(hcl)
			w.counts(0, "PUT", allowlist)
			w.settled(hcl)
		},
		"an endpoint": func(w *world) {
			made := w.fake.AddWebhook(webhookRecord{URL: "https://hooks.example.com/in", Enabled: true})
			hcl := endpoint("https://hooks.example.com/in", "")
			w.adopts(hcl, endpointAddress, made.ID)
			w.apply(hcl)
			w.counts(0, "PATCH", webhook)
			w.counts(0, "DELETE", webhook)
			w.settled(hcl)
		},
		"an endpoint with a secret": func(w *world) {
			made := w.fake.AddWebhook(webhookRecord{URL: "https://hooks.example.com/in", Enabled: true})
			hcl := endpoint("https://hooks.example.com/in", "secret_wo = \""+w.secret("canary-0123456789abcdef")+"\"\n  secret_wo_version = 1")
			w.adopts(hcl, endpointAddress, made.ID)
			w.apply(hcl)
			w.counts(1, "PATCH", webhook)
			w.counts(0, "DELETE", webhook)
			w.settled(hcl)
		},
	})
}
