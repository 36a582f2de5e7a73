package reports

import (
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// A setting has values that a person has made, and the first apply of its resource replaces
// them, also those that the configuration does not have.
func TestFirstApplyThatResets(t *testing.T) {
	settings := func(more string) string {
		return machine("") + resource("hosting_auth_settings.s", onMachine, `site_url = "https://shop.example"`, more)
	}
	made := func(w *world) {
		w.apply(machine(""))
		w.fake.EditInstance(w.id(), func(i *fakeservice.Instance) {
			i.Allowlist = []string{"198.51.100.0/24"}
			i.Engines["auth"].SiteURL, i.Engines["auth"].RedirectURLs = "https://shop.example", []string{"https://portal.example/**"}
		})
	}
	report(t, "jamf/terraform-provider-jamfplatform#405", "a first apply that resets what it does not set", situations{
		"redirect URLs": func(w *world) {
			made(w)
			w.run(settings(""), "plan").warns("https://portal.example/**", "auth settings", "import")
			w.apply(settings(""))
			w.quiet(settings(""))
		},
		"an allowlist": func(w *world) {
			made(w)
			hcl := machine("") + list(`["192.0.2.1"]`)
			w.run(hcl, "plan").warns("198.51.100.0/24", "allowlist", "import")
			w.apply(hcl)
			w.quiet(hcl)
		},
		"the same values": func(w *world) {
			made(w)
			hcl := settings(`redirect_urls = ["https://portal.example/**"]`) + list(`["198.51.100.0/24"]`)
			w.run(hcl, "plan").lacks("replaces")
			w.apply(hcl)
			w.quiet(hcl)
		},
		"no values": func(w *world) {
			w.apply(machine(""))
			w.run(settings("")+list(`["192.0.2.1"]`), "plan").lacks("replaces")
		},
		"imported first": func(w *world) {
			made(w)
			w.adopts(settings(""), "hosting_auth_settings.s", w.id())
			w.run(settings(""), "plan").changes(map[string]string{"hosting_auth_settings.s": "update"}).lacks("replaces")
		},
	})
}
