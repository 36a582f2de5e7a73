package reports

import (
	"sync"
	"testing"
)

// Somebody changes one part of an object between the plan and the apply. A change of another
// part does not undo that, and neither does one that ignores the part.
func TestUnplannedPart(t *testing.T) {
	settings := func(site, more string) string {
		return machine("") + resource("hosting_auth_settings.s",
			onMachine, `site_url = "`+site+`"`, `redirect_urls = ["https://shop.example.com/**"]`, more)
	}
	// first lets somebody act before the first request of a change.
	first := func(method, path string, act func()) trait {
		var once sync.Once
		return trait{method: method, path: path, before: func(*exchange) { once.Do(act) }}
	}
	redirects := func(w *world) []string {
		i, _ := w.fake.Instance(w.id())
		return i.Engines["auth"].RedirectURLs
	}
	const authSettings = "/instances/*/engines/auth/settings"
	changed := func(more string) func(*world) {
		return func(w *world) {
			w.apply(settings("https://old.example.com", more))
			w.behaves(first("PATCH", authSettings, func() {
				w.fake.EditInstance(w.id(), func(i *instanceRecord) {
					i.Engines["auth"].RedirectURLs = []string{"https://shop.example.com/**", "myapp://login"}
				})
			}))
			w.run(settings("https://shop.example.com", more), "apply")
			w.be(len(redirects(w)) == 2, "the redirect URLs: got %v, want two", redirects(w))
		}
	}
	report(t, "supabase/terraform-provider-supabase#229", "a part that the plan does not change", situations{
		"redirect URLs":          changed(""),
		"redirect URLs, ignored": changed(ignores("redirect_urls")),
		"the site URL": func(w *world) {
			hcl := func(urls string) string {
				return machine("") + resource("hosting_auth_settings.s", onMachine, `site_url = "https://old.example.com"`, `redirect_urls = `+urls)
			}
			w.apply(hcl(`["https://shop.example.com/**"]`))
			w.behaves(first("PATCH", authSettings, func() {
				w.fake.EditInstance(w.id(), func(i *instanceRecord) { i.Engines["auth"].SiteURL = "https://new.example.com" })
			}))
			w.run(hcl(`["https://shop.example.com/**", "myapp://login"]`), "apply")
			i, _ := w.fake.Instance(w.id())
			w.be(i.Engines["auth"].SiteURL == "https://new.example.com", "the site URL: got %s", i.Engines["auth"].SiteURL)
			w.be(len(redirects(w)) == 2, "the redirect URLs: got %v, want two", redirects(w))
		},
		"the name of a machine": func(w *world) {
			w.apply(machine(""))
			w.behaves(first("PATCH", instance, func() {
				w.fake.EditInstance(w.id(), func(i *instanceRecord) { i.Name = "renamed" })
			}))
			w.run(machine(`tags = ["a"]`), "apply")
			i, _ := w.fake.Instance(w.id())
			w.be(i.Name == "renamed", "the name: got %s, want renamed", i.Name)
		},
		"a port of an app": func(w *world) {
			w.apply(machine("") + web(onMachine, ""))
			w.behaves(first("PATCH", app, func() {
				w.fake.EditApp(w.id(), "web", func(a *appRecord) { a.Port = 8080 })
			}))
			w.run(machine("")+web(onMachine, "public = true"), "apply")
			a, _ := w.fake.App(w.id(), "web")
			w.be(a.Port == 8080 && a.Public, "the app: port %d, public %t", a.Port, a.Public)
		},
		"enabled of an endpoint": func(w *world) {
			w.apply(endpoint("https://hooks.example.com/in", ""))
			w.behaves(trait{method: "PATCH", path: webhook, before: func(x *exchange) {
				_, sent := x.sent.(map[string]any)["enabled"]
				w.be(!sent, "enabled is sent with another URL")
			}})
			w.apply(endpoint("https://hooks.example.com/new", ""))
		},
	})
}
