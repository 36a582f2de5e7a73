package reports

import "testing"

// A setting is created on an instance that has one already, which somebody else made. The
// plan says what it replaces.
func TestSettingThatExisted(t *testing.T) {
	walls := machine("") + list(`["203.0.113.0/24"]`)
	signIns := machine("") + resource("hosting_auth_settings.s",
		onMachine,
		`site_url = "https://shop.example.com"`,
		`redirect_urls = ["https://shop.example.com/**"]`)
	has := func(hcl string, edit func(*instanceRecord)) func(*world) {
		return func(w *world) {
			id := w.running()
			w.fake.EditInstance(id, edit)
			w.adopts(machine(""), machineAddress, id)
			w.run(hcl, "plan").lacks("will be replaced")
			w.apply(hcl).lacks("will be replaced")
			w.quiet(hcl)
		}
	}
	loses := func(hcl string, edit func(*instanceRecord), texts ...string) func(*world) {
		return func(w *world) {
			id := w.running()
			w.fake.EditInstance(id, edit)
			w.adopts(machine(""), machineAddress, id)
			w.run(hcl, "plan").warns(append(texts, "import {", id)...)
			w.apply(hcl)
			w.quiet(hcl)
		}
	}
	report(t, "namecheap/terraform-provider-namecheap#65", "a setting that existed", situations{
		"an allowlist": loses(walls, func(i *instanceRecord) { i.Allowlist = []string{"198.51.100.7/32", "203.0.113.0/24"} }, "198.51.100.7/32"),
		"auth settings": loses(signIns, func(i *instanceRecord) {
			i.Engines["auth"].SiteURL, i.Engines["auth"].RedirectURLs = "https://old.example.com", []string{"https://old.example.com/**"}
		}, "https://old.example.com", "https://old.example.com/**"),
		"redirect URLs alone": loses(signIns, func(i *instanceRecord) {
			i.Engines["auth"].SiteURL, i.Engines["auth"].RedirectURLs = "https://shop.example.com", []string{"myapp://login"}
		}, "myapp://login"),
		"the same allowlist in another form": has(walls, func(i *instanceRecord) { i.Allowlist = []string{"203.0.113.0/24"} }),
		"no allowlist":                       has(walls, func(i *instanceRecord) {}),
		"no auth settings":                   has(signIns, func(i *instanceRecord) {}),
		"the advice is followed": func(w *world) {
			id := w.running()
			w.fake.EditInstance(id, func(i *instanceRecord) { i.Allowlist = []string{"198.51.100.7/32"} })
			w.adopts(machine(""), machineAddress, id)
			imported := "\nimport {\n  to = hosting_allowlist.list\n  id = \"" + id + "\"\n}\n"
			w.run(walls+imported, "plan").never("create", "delete").lacks("will be replaced")
		},
		"an instance of the same plan": func(w *world) {
			w.apply(walls).lacks("will be replaced")
			w.quiet(walls)
		},
	})
}
