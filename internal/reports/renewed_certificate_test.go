package reports

import "testing"

// The service renews a certificate and a key.
func TestRenewedCertificate(t *testing.T) {
	hcl := machine("") + "output \"ca\" { value = hosting_instance.a.ca_certificate }\n"
	renewed := trait{method: "GET", path: connection, after: func(x *exchange) {
		x.object()["ca_certificate"] = "-----BEGIN CERTIFICATE-----\nrenewed\n-----END CERTIFICATE-----\n"
		if engines, ok := x.object()["engines"].(map[string]any); ok {
			engines["auth"].(map[string]any)["anon_key"] = "renewed-key"
		}
	}}
	report(t, "aiven/terraform-provider-aiven#2177", "a renewed certificate", situations{
		"refreshed": func(w *world) {
			w.apply(hcl)
			w.behaves(renewed)
			w.apply(hcl)
			w.holds("renewed-key", machineAddress, "auth_anon_key")
			w.settled(hcl)
		},
	})
}
