package reports

import "testing"

// A value is refused, and the error must be at its argument.
func TestRefusedValue(t *testing.T) {
	profile := resource("hosting_account_profile.me",
		`company = "Example Ltd"`,
		`address = "1 Main St."`,
		`vat_id  = "DE12"`)
	refused := func(hcl, method, path, detail, attribute string) func(*world) {
		return func(w *world) {
			w.behaves(answers(method, path, 422, "validation_failed", detail))
			w.run(hcl, "apply").failsOn(attribute)
		}
	}
	report(t, "exoscale/terraform-provider-exoscale#303", "a refused value", situations{
		"vat_id":  refused(profile, "PATCH", "/me", "vat_id: not a VAT number", "vat_id"),
		"company": refused(profile, "PATCH", "/me", "company: too long", "company"),
		"address": refused(profile, "PATCH", "/me", "address: no street", "address"),
		"secret_wo": refused(endpoint("https://hooks.example.com/in", "secret_wo = \"0123456789abcdef\"\n  secret_wo_version = 1"),
			"POST", webhooks, "secret: too weak", "secret_wo"),
		"secret_env_wo": refused(machine("")+web(onMachine, "secret_env_wo = { TOKEN = \"x\" }\n  secret_env_wo_version = 1"),
			"POST", appImport, "env.TOKEN: not allowed", "secret_env_wo"),
		"url":   refused(endpoint("https://hooks.example.com/in", ""), "POST", webhooks, "url: does not answer", "url"),
		"cidrs": refused(machine("")+list(`["203.0.113.0/24"]`), "PUT", allowlist, "allowlist: too many", "cidrs"),
	})
}
