package reports

import "testing"

// The record of an app lacks its URL for a while.
func TestURLThatIsNullForAWhile(t *testing.T) {
	hcl := machine("") + web(onMachine, "public = true") + `
resource "hosting_auth_settings" "auth" {
  instance_id   = hosting_instance.a.id
  site_url      = hosting_app.web.url
  redirect_urls = ["${hosting_app.web.url}/**"]
}
`
	while := func(status string) func(*world) {
		return func(w *world) {
			w.apply(hcl)
			w.behaves(apparently(func(o map[string]any) { o["url"], o["status"] = nil, status }))
			o := w.run(hcl, "plan").lacks("interpolation", "must be set")
			w.be(o.Exit == 1 || o.Changes["hosting_auth_settings.auth"] == "", "the settings are changed: %v", o.Changes)
			w.counts(1, "PATCH", "/instances/*/engines/auth/settings")
		}
	}
	report(t, "ngrok/terraform-provider-ngrok#28", "a URL that is null for a while", situations{
		"while it is built": while("building"), "while it has failed": while("failed"),
		"while it is stopped": while("stopped"), "while it runs": while("running"),
	})
}
