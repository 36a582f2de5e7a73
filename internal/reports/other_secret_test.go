package reports

import (
	"strings"
	"testing"
)

// The service signs with another secret than the one that was sent.
func TestOtherSecret(t *testing.T) {
	other := func(method, path string) trait {
		return trait{method: method, path: path, after: func(x *exchange) {
			if x.status < 300 {
				x.object()["secret"] = "whsec_canary_0123456789"
			}
		}}
	}
	hcl := func(secret string) string { return endpoint("https://hooks.example.com/in", "secret = \""+secret+"\"") }
	report(t, "integrations/terraform-provider-github#171", "another secret than the one that was sent", situations{
		"at creation": func(w *world) {
			w.secret("whsec_canary_0123456789")
			w.behaves(other("POST", webhooks))
			w.run(hcl("0123456789abcdef-mine"), "apply").says("secret", "sign")
			w.manages(endpointAddress)
		},
		"in place of a generated one": func(w *world) {
			w.secret("whsec_canary_0123456789")
			w.behaves(other("POST", webhooks))
			w.apply(endpoint("https://hooks.example.com/in", "")).warns("another secret", "generated")
			w.holds("whsec_canary_0123456789", endpointAddress, "secret")
			w.settled(endpoint("https://hooks.example.com/in", ""))
		},
		"at a change": func(w *world) {
			w.secret("whsec_canary_0123456789")
			w.apply(hcl("0123456789abcdef-mine"))
			w.behaves(other("PATCH", webhook))
			w.run(hcl("0123456789abcdef-new"), "apply").says("secret", "sign")
		},
		"the answer is masked": func(w *world) {
			w.behaves(trait{after: func(x *exchange) {
				if _, there := x.object()["secret"]; there {
					x.object()["secret"] = "********"
				}
			}})
			w.apply(hcl("0123456789abcdef-mine"))
			w.holds("0123456789abcdef-mine", endpointAddress, "secret")
			w.apply(strings.Replace(hcl("0123456789abcdef-mine"), "/in", "/other", 1))
			for _, x := range w.asked("PATCH", webhook) {
				_, sent := x.sent.(map[string]any)["secret"]
				w.be(!sent, "the secret was sent with a change of the URL")
			}
		},
		"the answer to a generated one is masked in another form": func(w *world) {
			w.behaves(trait{method: "POST", path: webhooks, after: func(x *exchange) { x.object()["secret"] = "whsec_****" }})
			w.apply(endpoint("https://hooks.example.com/in", "")).lacks("another secret")
			sent := w.asked("POST", webhooks)[0].sent.(map[string]any)["secret"]
			w.holds(sent, endpointAddress, "secret")
		},
		"a word in place of a generated one": func(w *world) {
			placeholder := w.behaves(trait{method: "POST", path: webhooks, after: func(x *exchange) { x.object()["secret"] = "REDACTED" }})
			w.apply(endpoint("https://hooks.example.com/in", "")).warns("another secret", "set secret")
			placeholder()
			w.apply(hcl("0123456789abcdef-mine")).lacks("another secret")
			w.holds("0123456789abcdef-mine", endpointAddress, "secret")
		},
		"white space at its end": func(w *world) {
			hcl := endpoint("https://hooks.example.com/in", "secret_wo = \"0123456789abcdef\\n\"\n  secret_wo_version = 1")
			w.run(hcl, "plan").says("secret_wo", "white space")
		},
	})
}
