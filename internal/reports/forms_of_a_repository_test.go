package reports

import (
	"strings"
	"testing"
)

// Repositories are written as URLs, with .git, and with a branch.
func TestFormsOfARepository(t *testing.T) {
	app := func(repo string) string {
		return machine("") + strings.Replace(web(onMachine, ""), `"acme/web"`, `"`+repo+`"`, 1)
	}
	refused := func(repo string, texts ...string) func(*world) {
		return func(w *world) {
			w.run(app(repo), "plan").failsOn("repo", texts...).lacks(`"apps/api"`, `"tree/main"`)
		}
	}
	report(t, "env0/terraform-provider-env0#519", "forms of a repository", situations{
		"with a branch after @":      refused("acme/web@main"),
		"with a branch after #":      refused("acme/web#main"),
		"a folder of a monorepo":     refused("https://github.com/acme/web/tree/main/apps/api", "acme/web", "folder"),
		"a browser URL with a query": refused("https://github.com/acme/web?tab=readme", `"acme/web"`),
		"a clone URL":                refused("https://github.com/acme/web.git", `"acme/web"`),
		"the form of SSH":            refused("git@github.com:acme/web.git", `"acme/web"`),
		"the service strips .git": func(w *world) {
			strip := func(v string) string { return strings.TrimSuffix(v, ".git") }
			w.behaves(keeps("repo", strip), trait{method: "POST", path: appImport, before: func(x *exchange) {
				body := x.sent.(map[string]any)
				body["repo"] = strip(body["repo"].(string))
			}})
			hcl := app("acme/web.git")
			if w.run(hcl, "apply").Exit == 1 {
				return // it is refused
			}
			w.run(hcl, "plan").never("replace", "delete", "update")
		},
	})
}
