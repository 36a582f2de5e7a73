package reports

import "testing"

// Records lack fields that were there before.
func TestFieldsThatVanish(t *testing.T) {
	hcl := machine(`tags = ["a"]`) + web(onMachine, "env = { A = \"1\" }\n  links = [\"auth\"]\n  public = true") + list(`["203.0.113.0/24"]`) +
		endpoint("https://hooks.example.com/in", "enabled = true") +
		"\nresource \"hosting_auth_settings\" \"s\" {\n  instance_id = hosting_instance.a.id\n  site_url = \"https://shop.example.com\"\n  redirect_urls = [\"https://shop.example.com/**\"]\n}\n"
	all := situations{}
	for _, field := range []string{"tags", "env", "allowlist", "enabled", "redirect_urls", "site_url", "links", "public", "engines", "plan", "region", "repo", "branch", "host", "created_at", "url"} {
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
