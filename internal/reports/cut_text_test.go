package reports

import (
	"strings"
	"testing"
)

// The service cuts a long text.
func TestCutText(t *testing.T) {
	long := strings.Repeat("a", 90)
	cut := func(field string, length int) trait {
		return keeps(field, func(v string) string { return v[:min(len(v), length)] })
	}
	report(t, "tailscale/terraform-provider-tailscale#320", "a text that is cut", situations{
		"the name of a machine": func(w *world) {
			hcl := strings.Replace(machine(""), `"shop"`, `"`+long+`"`, 1)
			w.behaves(cut("name", 50))
			w.run(hcl, "apply").says("name", long[:50]).lacks("the change is in effect")
			w.run(hcl, "apply")
			w.counts(1, "POST", instances)
		},
		"the name of a machine, and the answer is lost": func(w *world) {
			hcl := strings.Replace(machine(""), `"shop"`, `"`+long+`"`, 1)
			w.behaves(cut("name", 50), loses("POST", instances))
			w.run(hcl, "apply")
			w.run(hcl, "apply")
			w.be(len(w.fake.Instances()) == 1, "instances: got %d, want 1", len(w.fake.Instances()))
		},
		"an address of the profile": func(w *world) {
			hcl := resource("hosting_account_profile.me", "address = \""+long+"\"")
			w.behaves(cut("address", 50))
			w.run(hcl, "apply").says("address").lacks("the change is in effect")
		},
	})
}
