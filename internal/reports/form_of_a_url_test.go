package reports

import (
	"strings"
	"testing"
)

// The service keeps the default port, the host or the end of a URL in another form.
func TestFormOfAURL(t *testing.T) {
	kept := func(asked string, form func(string) string) func(*world) {
		return func(w *world) {
			hcl := endpoint(asked, "")
			w.behaves(keeps("url", form))
			w.apply(hcl).lacks("did not make the change")
			w.settled(hcl)
			w.be(len(w.fake.Webhooks()) == 1, "endpoints: got %d, want 1", len(w.fake.Webhooks()))
		}
	}
	lost := func(asked string, form func(string) string) func(*world) {
		return func(w *world) {
			hcl := endpoint(asked, "")
			w.behaves(keeps("url", form), loses("POST", webhooks))
			w.run(hcl, "apply")
			w.run(hcl, "apply")
			w.be(len(w.fake.Webhooks()) == 1, "endpoints: got %d, want 1", len(w.fake.Webhooks()))
		}
	}
	port := func(v string) string { return strings.Replace(v, ":443", "", 1) }
	puny := func(v string) string { return strings.Replace(v, "bücher", "xn--bcher-kva", 1) }
	report(t, "BunnyWay/terraform-provider-bunnynet#15", "the form of a URL", situations{
		"the default port":         kept("https://hooks.example.com:443/x", port),
		"punycode":                 kept("https://bücher.example/x", puny),
		"the host in another case": kept("https://Hooks.Example.com/x", strings.ToLower),
		"the default port, and the answer is lost": lost("https://hooks.example.com:443/x", port),
		"punycode, and the answer is lost":         lost("https://bücher.example/x", puny),
	})
}
