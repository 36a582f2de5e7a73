package reports

import "testing"

// A change leaves alone what the configuration does not set.
func TestFieldThatIsNotConfigured(t *testing.T) {
	profile := func(arguments ...string) string { return resource("hosting_account_profile.p", arguments...) }
	report(t, "aiven/terraform-provider-aiven#47", "a field that is not configured", situations{
		"of the profile": func(w *world) {
			w.fake.EditProfile("Ada", "Acme", "1 Main Street", "DE123")
			w.apply(profile(`name = "Ada"`))
			w.apply(profile(`name = "Grace"`))
			name, company, address, vat := w.fake.Profile()
			w.be(name == "Grace" && company == "Acme" && address == "1 Main Street" && vat == "DE123",
				"the profile: got %s, %s, %s, %s", name, company, address, vat)
			w.quiet(profile(`name = "Grace"`))
		},
		"that was configured": func(w *world) {
			w.apply(profile(`name = "Ada"`, `company = "Acme"`))
			w.apply(profile(`name = "Grace"`))
			_, company, _, _ := w.fake.Profile()
			w.be(company == "Acme", "the company: got %q", company)
			w.quiet(profile(`name = "Grace"`))
		},
		"of an imported app": func(w *world) {
			id := w.running()
			_, _ = w.fake.AddApp(id, appRecord{Name: "web", Repo: "acme/web", MemoryMB: 320, Env: map[string]string{"A": "1"}})
			hcl := machine("") + web(onMachine, "health_path = \"/ready\"")
			w.adopts(hcl, machineAddress, id)
			w.adopts(hcl, webAddress, id+"/web")
			w.apply(hcl)
			a, _ := w.fake.App(id, "web")
			w.be(a.MemoryMB == 320, "the memory: got %d, want 320", a.MemoryMB)
			w.hasVariable("A", "1")
			w.quiet(hcl)
		},
		"of an imported machine": func(w *world) {
			id := w.running()
			w.fake.EditInstance(id, func(i *instanceRecord) { i.Tags, i.Engines["postgres"].MemoryMB = []string{"a"}, 640 })
			w.adopts(machine(""), machineAddress, id)
			w.apply(machine(""))
			i, _ := w.fake.Instance(id)
			w.be(i.Engines["postgres"].MemoryMB == 640, "the budget: got %d", i.Engines["postgres"].MemoryMB)
		},
	})
}
