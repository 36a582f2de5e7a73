package reports

import (
	"html"
	"strings"
	"testing"
)

// Text is escaped for HTML when it is read.
func TestEscapedText(t *testing.T) {
	escaped := everyObject("", "", func(o map[string]any) {
		for name, v := range o {
			if text, ok := v.(string); ok && name != "detail" && name != "url" {
				o[name] = html.EscapeString(text)
			}
		}
	})
	profile := func(company string) string {
		return resource("hosting_account_profile.me", "company = \""+company+"\"")
	}
	report(t, "cloudflare/terraform-provider-cloudflare#2930", "text that is read back escaped", situations{
		"of the profile": func(w *world) {
			w.behaves(escaped)
			w.run(profile("Smith & Sons"), "apply").says("Smith & Sons", "Smith &amp; Sons").
				lacks("the change is in effect", "write in the configuration what the service keeps")
			_, company, _, _ := w.fake.Profile()
			w.be(company == "Smith & Sons", "the company at the service: got %q", company)
		},
		"of a machine": func(w *world) {
			hcl := strings.Replace(machine(""), `"shop"`, `"r&d"`, 1)
			w.behaves(escaped)
			w.run(hcl, "apply").says("r&d", "r&amp;d").lacks("write in the configuration what the service keeps")
			w.counts(1, "POST", instances)
		},
	})
}
