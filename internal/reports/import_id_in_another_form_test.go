package reports

import (
	"strings"
	"testing"
)

// An import id has another letter case, or white space at its end.
func TestImportIDInAnotherForm(t *testing.T) {
	hcl := machine("") + web(onMachine, "")
	// insensitive answers a path in any letter case.
	insensitive := trait{after: func(x *exchange) {
		if x.status == 404 && strings.HasPrefix(strings.ToLower(x.path), "/instances/i-") && strings.ToLower(x.path) != x.path {
			id := strings.ToLower(strings.TrimPrefix(x.path, "/instances/"))
			x.status, x.answer = 200, map[string]any{"id": id, "name": "shop", "plan": "free", "region": "eu-central", "status": "running"}
		}
	}}
	report(t, "hashicorp/terraform-provider-azurerm#28254", "an import id in another form", situations{
		"the id of a machine": func(w *world) {
			id := w.running()
			w.behaves(insensitive)
			o := w.run(hcl, "import", machineAddress, strings.ToUpper(id))
			if o.lacks("network problem", "base_url"); o.Exit == 1 {
				o.fails(id)
			}
			w.be(len(w.asked("GET", "")) < 6, "the import was repeated: %d requests", len(w.asked("GET", "")))
		},
		"a newline at its end": func(w *world) {
			id := w.running()
			w.run(hcl, "import", machineAddress, id+"\n").lacks("network problem", "base_url")
		},
		"an app in another case": func(w *world) {
			id := w.running()
			_, _ = w.fake.AddApp(id, appRecord{Name: "web", Repo: "acme/web"})
			w.run(hcl, "import", webAddress, id+"/Web").fails().lacks("network problem", "base_url")
		},
		"a slash at its end": func(w *world) {
			id := w.running()
			w.run(hcl, "import", machineAddress, id+"/").fails().lacks("network problem", "base_url")
		},
	})
}
