package reports

import (
	"encoding/json"
	"strings"
	"testing"
)

// Ids are numbers.
func TestIDThatIsANumber(t *testing.T) {
	numbered := func(prefix string, names ...string) trait {
		return everyObject("", "", func(o map[string]any) {
			for _, name := range names {
				if v, ok := o[name].(string); ok && strings.HasPrefix(v, prefix) {
					o[name] = json.Number("4711")
				}
			}
		})
	}
	report(t, "danitso/terraform-provider-proxmox#98", "an id that is a number", situations{
		"of a machine": func(w *world) {
			w.behaves(numbered("i-", "id", "instance_id"))
			w.run(machine(""), "apply").lacks("network problem")
			w.run(machine(""), "apply")
			w.counts(1, "POST", instances)
		},
		"of a build": func(w *world) {
			w.behaves(numbered("bld-", "id", "build_id"))
			hcl := machine("") + web(onMachine, "")
			w.apply(hcl)
			w.quiet(hcl)
		},
		"of an endpoint": func(w *world) {
			w.behaves(numbered("wh-", "id"))
			w.run(endpoint("https://hooks.example.com/in", ""), "apply").lacks("network problem")
			w.run(endpoint("https://hooks.example.com/in", ""), "apply")
			w.counts(1, "POST", webhooks)
		},
	})
}
