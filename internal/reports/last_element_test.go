package reports

import "testing"

// The last element of a set or map is removed.
func TestLastElement(t *testing.T) {
	hcl := func(tags, env, links, urls string) string {
		return machine("tags = ["+tags+"]") + web(onMachine, "env = {"+env+"}\n  links = ["+links+"]") +
			resource("hosting_auth_settings.s",
				onMachine,
				`site_url = "https://shop.example.com"`,
				"redirect_urls = ["+urls+"]") +
			resource("hosting_account_profile.me",
				"company = \""+map[bool]string{true: "", false: "Shop Ltd"}[tags == ""]+"\"")
	}
	report(t, "netskopeoss/terraform-provider-netskope#7", "the last element", situations{
		"of each collection": func(w *world) {
			full, empty := hcl(`"a"`, `A = "1"`, `"auth"`, `"https://shop.example.com/**"`), hcl("", "", "", "")
			w.apply(full)
			w.apply(empty)
			w.settled(empty)
			i, _ := w.fake.Instance(w.id())
			a, _ := w.fake.App(w.id(), "web")
			_, company, _, _ := w.fake.Profile()
			w.be(len(i.Tags) == 0 && len(a.Env) == 0 && len(a.Links) == 0 && len(i.Engines["auth"].RedirectURLs) == 0 && company == "",
				"left at the service: %v %v %v %v %q", i.Tags, a.Env, a.Links, i.Engines["auth"].RedirectURLs, company)
		},
	})
}
