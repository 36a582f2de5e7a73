package reports

import "testing"

// Records lack fields that they had before.
func TestFieldsThatVanish(t *testing.T) {
	hcl := machine(`tags = ["a"]`) + list(`["203.0.113.0/24"]`) +
		web(onMachine, "env = { A = \"1\" }\n  links = [\"auth\"]\n  public = true") +
		endpoint("https://hooks.example.com/in", "enabled = true") +
		resource("hosting_auth_settings.s",
			onMachine,
			`site_url = "https://shop.example.com"`,
			`redirect_urls = ["https://shop.example.com/**"]`)
	all := situations{}
	fields := []string{"tags", "env", "allowlist", "enabled", "redirect_urls", "site_url", "links", "public", "engines",
		"plan", "region", "repo", "branch", "host", "created_at", "url"}
	for _, field := range fields {
		all["without "+field] = func(w *world) {
			w.apply(hcl)
			w.behaves(lacks("", field))
			o := w.run(hcl, "plan").succeeds().never("replace", "delete")
			w.be(len(o.Changes) == 0, "the plan changes %v", o.Changes)
		}
		all["with null as "+field] = func(w *world) {
			w.apply(hcl)
			w.behaves(shows("", field, nil))
			w.run(hcl, "plan").never("replace", "delete")
		}
	}
	report(t, "cloudflare/terraform-provider-cloudflare#5641", "fields that vanish", all)
}
