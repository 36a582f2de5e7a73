package reports

import (
	"maps"
	"slices"
	"testing"
)

// The service merges a change into the existing values, and removes nothing.
func TestMergedChange(t *testing.T) {
	// merges sends the former values of a field along with each change.
	merges := func(method, path, field string, former any) trait {
		return trait{method: method, path: path, before: func(x *exchange) {
			sent, _ := x.sent.(map[string]any)
			switch now := sent[field].(type) {
			case map[string]any:
				all := maps.Clone(former.(map[string]any))
				maps.Copy(all, now)
				sent[field] = all
			case []any:
				for _, element := range former.([]any) {
					if !slices.Contains(now, element) {
						now = append(now, element)
					}
				}
				sent[field] = now
			}
		}}
	}
	// keeps makes a change that removes something, which the service keeps.
	keeps := func(before, after string, merged trait, argument, kept string) func(*world) {
		return func(w *world) {
			w.apply(machine("") + before)
			w.behaves(merged)
			w.run(machine("")+after, "apply").failsOn(argument, kept).lacks("the change is in effect", "the service adds it")
			o := w.run(machine("")+after, "plan").succeeds()
			w.be(len(o.Changes) == 1, "changes of the next plan: got %v, want the same one again", o.Changes)
		}
	}
	settings := func(more string) string {
		return resource("hosting_auth_settings.s", onMachine, `site_url = "https://a.example"`, more)
	}
	variables := map[string]any{"A": "1", "OLD_TOKEN": "0123456789"}
	report(t, "aptible/terraform-provider-aptible#24", "a change that is merged into the existing values", situations{
		"a variable": keeps(web(onMachine, `env = { A = "1", OLD_TOKEN = "0123456789" }`), web(onMachine, `env = { A = "1" }`),
			merges("PATCH", app, "env", variables), "env", "OLD_TOKEN"),
		"a variable, and another one changes": keeps(web(onMachine, `env = { A = "1", OLD_TOKEN = "0123456789" }`), web(onMachine, `env = { A = "2" }`),
			merges("PATCH", app, "env", variables), "env", "OLD_TOKEN"),
		"all variables": keeps(web(onMachine, `env = { A = "1", OLD_TOKEN = "0123456789" }`), web(onMachine, `env = {}`),
			merges("PATCH", app, "env", variables), "env", "OLD_TOKEN"),
		"an address": keeps(list(`["192.0.2.1", "198.51.100.7"]`), list(`["192.0.2.1"]`),
			merges("PUT", allowlist, "allowlist", []any{"198.51.100.7"}), "cidrs", "198.51.100.7"),
		"a redirect URL": keeps(settings(`redirect_urls = ["https://a.example/**", "https://old.example/**"]`), settings(`redirect_urls = ["https://a.example/**"]`),
			merges("PATCH", "/instances/*/engines/auth/settings", "redirect_urls", []any{"https://old.example/**"}), "redirect_urls", "old.example"),
		"a link": keeps(web(onMachine, `links = ["auth"]`), web(onMachine, `links = []`),
			merges("PATCH", app, "links", []any{"auth"}), "links", "auth"),
		"a secret variable": func(w *world) {
			secret := w.secret("0123456789-secret")
			hcl := func(values string) string {
				return machine("") + web(onMachine, "env = { A = \"1\" }\n  "+values)
			}
			w.apply(hcl(`secret_env_wo = { OLD_TOKEN = "` + secret + `" }` + "\n  secret_env_wo_version = 1"))
			w.behaves(merges("PATCH", app, "env", map[string]any{"OLD_TOKEN": secret}))
			after := hcl("secret_env_wo = {}\n  secret_env_wo_version = 2")
			w.apply(after)
			w.run(after, "plan").changes(map[string]string{webAddress: "update"})
		},
	})
}
