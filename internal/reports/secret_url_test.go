package reports

import (
	"strings"
	"testing"
)

// The URL of a webhook is a secret at many receivers.
func TestSecretURL(t *testing.T) {
	const url = "https://hooks.example.com/services/T0/B0/canary"
	report(t, "hashicorp/terraform-provider-http#96", "a secret URL is printed", situations{
		"an invalid one": func(w *world) {
			w.secret("canary")
			w.run(endpoint("http://hooks.example.com/T0/canary", ""), "plan").failsOn("url")
			w.run(endpoint("https://hooks.example.com:port/canary", ""), "plan").failsOn("url")
			w.run(endpoint("hooks.example.com/canary", ""), "plan").failsOn("url")
		},
		"two endpoints with one URL": func(w *world) {
			w.secret("canary")
			hcl := endpoint(url, "") + strings.Replace(endpoint(url, ""), `"hook"`, `"twin"`, 1)
			w.apply(hcl) // the service allows it
			w.settled(hcl)
			w.be(len(w.fake.Webhooks()) == 2, "endpoints: got %d, want 2", len(w.fake.Webhooks()))
		},
		"one with the same URL exists": func(w *world) {
			w.secret("canary")
			w.fake.AddWebhook(webhookRecord{URL: url})
			w.run(endpoint(url, ""), "plan").warns("same URL")
		},
		"the service refuses it": func(w *world) {
			w.secret("canary")
			w.behaves(answers("POST", webhooks, 422, "validation_failed", "url: "+url+" does not answer"))
			w.run(endpoint(url, ""), "apply").failsOn("url", "does not answer")
		},
		"one that exists is adopted": func(w *world) {
			w.secret("canary")
			w.behaves(loses("POST", webhooks))
			w.run(endpoint(url, ""), "apply").succeeds()
			w.be(len(w.fake.Webhooks()) == 1, "endpoints: got %d, want 1", len(w.fake.Webhooks()))
		},
		"a repository with a token": func(w *world) {
			w.secret("ghp_canary")
			hcl := machine("") + strings.Replace(web(onMachine, ""), `"acme/web"`, `"https://x:ghp_canary@github.com/acme/web"`, 1)
			w.run(hcl, "plan").failsOn("repo")
		},
	})
}
