package reports

import (
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

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
		"newer commits are asked for": func(w *world) {
			with := func(commit string) string { return machine("") + web(onMachine, "deploy_commit = \""+commit[:7]+"\"") }
			w.apply(machine(""))
			first := w.fake.Push("acme/web", "main")
			w.apply(with(first))
			second := w.fake.Push("acme/web", "main")
			w.settled(with(first))
			w.apply(with(second))
			w.quiet(with(second))
			w.counts(1, "POST", app+"/actions/redeploy")
			third := w.fake.Push("acme/web", "main")
			w.fake.EditApp(w.id(), "web", func(a *fakeservice.App) { // somebody else deploys it
				a.Builds = append([]fakeservice.Build{{ID: "bld-portal", Status: "successful", Commit: third}}, a.Builds...)
			})
			w.run(with(second), "plan").warns("runs another commit", third)
			w.run(with(second), "apply").fails("runs commit "+third, "set deploy_commit to "+third)
			w.apply(with(third))
			w.quiet(with(third))
			w.counts(2, "POST", app+"/actions/redeploy")
		},
	})
}
