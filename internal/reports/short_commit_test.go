package reports

import "testing"

// Records show the short form of a commit.
func TestShortCommit(t *testing.T) {
	report(t, "CleverCloud/terraform-provider-clevercloud#430", "a short commit", situations{
		"the record has seven digits": func(w *world) {
			w.apply(machine(""))
			commit := w.fake.Push("acme/web", "main")
			hcl := machine("") + web(onMachine, "deploy_commit = \""+commit+"\"")
			w.behaves(keeps("commit", func(v string) string { return v[:min(len(v), 7)] }))
			w.apply(hcl).lacks("different commit")
			w.quiet(hcl)
			w.apply(machine("") + web(onMachine, "deploy_commit = \""+commit+"\"\n  port = 4000"))
			w.be(w.builds() == 1, "builds: got %d, want 1", w.builds())
		},
		"the configuration has seven digits": func(w *world) {
			w.apply(machine(""))
			commit := w.fake.Push("acme/web", "main")
			hcl := machine("") + web(onMachine, "deploy_commit = \""+commit[:7]+"\"")
			w.apply(hcl).lacks("different commit")
			w.quiet(hcl)
		},
	})
}
