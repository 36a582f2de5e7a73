package reports

import "testing"

// A record lacks arguments that replace, and is imported.
func TestImportOfASparseRecord(t *testing.T) {
	sparse := func(fields ...string) func(*world) {
		return func(w *world) {
			id := w.running()
			_, _ = w.fake.AddApp(id, appRecord{Name: "web", Repo: "acme/web"})
			hcl := machine("") + web(onMachine, "")
			for _, field := range fields {
				w.behaves(lacks("", field))
			}
			w.adopts(hcl, machineAddress, id)
			w.adopts(hcl, webAddress, id+"/web")
			w.run(hcl, "apply").never("replace", "delete", "create").lacks("Change the value of")
			w.counts(0, "POST", "")
			w.counts(0, "DELETE", "")
		}
	}
	report(t, "hetznercloud/terraform-provider-hcloud#78", "an import of a sparse record", situations{
		"without region and plan": sparse("region", "plan"), "without repo": sparse("repo"),
		"without engines": sparse("engines"), "complete": sparse(),
	})
}
