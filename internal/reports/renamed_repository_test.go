package reports

import (
	"strings"
	"testing"
)

// A repository is renamed at the code host, and the service follows.
func TestRenamedRepository(t *testing.T) {
	hcl := machine("") + web(onMachine, "")
	after := machine("") + strings.Replace(web(onMachine, ""), "acme/web", "acme-inc/web", 1)
	renamed := keeps("repo", func(string) string { return "acme-inc/web" })
	report(t, "integrations/terraform-provider-github#58", "a renamed repository", situations{
		"not protected": func(w *world) {
			w.apply(hcl)
			w.behaves(renamed)
			w.run(hcl, "plan").says("acme-inc/web", "repo")
		},
		"protected": func(w *world) {
			protected := strings.ReplaceAll(hcl, "acme/web\"\n  deletion_protection = false", "acme/web\"\n  deletion_protection = true")
			w.apply(protected)
			w.behaves(renamed)
			w.run(protected, "plan").says("acme-inc/web").lacks("deletion_protection = false")
		},
		"and a port changes": func(w *world) {
			w.apply(hcl)
			w.behaves(renamed)
			w.apply(hcl).warns("acme-inc/web")
			w.run(machine("")+web(onMachine, "port = 4000"), "apply").succeeds().warns("acme-inc/web").lacks("did not make the change")
			w.settled(machine("") + web(onMachine, "port = 4000"))
			w.counts(1, "POST", appImport)
		},
		"written in the configuration": func(w *world) {
			w.apply(hcl)
			w.behaves(renamed)
			w.run(after, "plan").never("replace", "delete")
			w.apply(after)
			w.settled(after)
			w.be(w.builds() == 1, "builds: got %d, want 1", w.builds())
		},
	})
}
